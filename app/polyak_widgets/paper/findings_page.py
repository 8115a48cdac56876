"""The findings in docs/findings.md, and a table of every run, made of the runs behind the paper's figures."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path

import polyak_core as pc
from polyak_core.runs.trace import TOLERANCES
from polyak_widgets.look import in_page_order
from polyak_widgets.numbers import count_text, number_text, power_text
from polyak_widgets.paper.comparisons import PAPER_PROBLEMS, RIVAL_PROBLEMS, Finding, by_method
from polyak_widgets.paper.findings import findings
from polyak_widgets.paper.paper_panels import Runs, name_of
from polyak_widgets.paper.paper_runs import Key, Summary, missing

PAGE = Path("docs") / "findings.md"
START, END = "<!-- `make figures` writes from here -->", "<!-- to here -->"
NOT_RUN, NOT_REACHED = "–", "not reached"
HOW = """A cell has the iterations to 10⁻⁴, 10⁻⁸ and 10⁻¹⁰ of the initial gap. “> k” stands for all of
these that were not reached by the last iteration, k. Restart has the best γ of those tried, in brackets.
“–” is a method that the paper does not draw there.
"""


RIVALS_HOW = """Methods that the paper does not draw, under the same budgets. “–” is one that does not
take the problem: CG is for quadratics; ITEM, triple momentum, silver steps, the Polyak heavy ball and AdGD
are for problems without a penalty. For the Polyak heavy ball nothing is proven beyond quadratics, and on
logistic regression it does not converge. It, AdGD and AC-FGM make each step from the last differences, so
that rounding errors grow: the last two times this table was made, their counts differed by up to a tenth.
"""


def claim_row(line: Finding) -> str:
    """A finding as a line of the table."""
    return f"| {line.claim} | **{line.verdict}** | {line.finding} | {line.rule} |"


def cell(summary: Summary | None) -> str:
    """Iterations to the three tolerances, for people."""
    if summary is None:
        return NOT_RUN
    steps = dict.fromkeys(_steps(summary, summary.reached[tolerance], count_text) for tolerance in TOLERANCES)
    gamma = summary.task.gamma
    return " / ".join(steps) + ("" if gamma is None else f" ({number_text(gamma)})")


def _steps(summary: Summary, k: int | None, as_text: Callable[[int], str] = str) -> str:
    return f"> {as_text(summary.last_k)}" if k is None else as_text(k)


def findings_text(runs: Runs) -> str:
    """Both tables as Markdown: the paper's claims line by line, and the iterations."""
    lines = ["| the paper | here | because | it holds if |", "|---|---|---|---|"]
    lines += map(claim_row, findings(runs))
    each = by_method(runs)
    methods = in_page_order({method: None for summaries in each.values() for method in summaries})
    labels = [pc.METHODS[method].label for method in methods]
    lines += ["", HOW]
    lines += [f"| problem | {' | '.join(labels)} |", "|---" * (1 + len(labels)) + "|"]
    for problem, summaries in each.items():
        cells = " | ".join(cell(summaries.get(method)) for method in methods)
        lines.append(f"| {name_of(problem)} | {cells} |")
    lines += [
        "",
        *(text for problem, summaries in each.items() if (text := unreached(problem, summaries))),
    ]
    return "\n".join([*lines, *rivals_lines(runs)]).rstrip() + "\n"


def rivals_lines(runs: Runs) -> list[str]:
    """The iterations of the methods that the paper does not draw, as lines of a table; none without runs."""
    each = {problem: dict[str, Summary]() for problem in RIVAL_PROBLEMS}
    for task, summary in runs.items():
        if task.study == "rivals":
            each[task.problem][task.method] = summary
    methods = in_page_order({method: None for summaries in each.values() for method in summaries})
    if not methods:
        return []
    labels = [pc.METHODS[method].label for method in methods]
    lines = ["", RIVALS_HOW, f"| problem | {' | '.join(labels)} |", "|---" * (1 + len(labels)) + "|"]
    for problem, summaries in each.items():
        cells = " | ".join(cell(summaries.get(method)) for method in methods)
        lines += [f"| {name_of(problem)} | {cells} |"] if summaries else []
    return lines


def unreached(problem: Key, summaries: dict[str, Summary]) -> str:
    """In words that no method came to a tolerance; "" if one did."""
    for tolerance in TOLERANCES:
        if all(summary.reached[tolerance] is None for summary in summaries.values()):
            last = count_text(max(summary.last_k for summary in summaries.values()))
            power = power_text(round(math.log10(tolerance)))
            best = min(summaries.values(), key=lambda s: float(s.gap.min() / s.gap[0]))
            return (
                f"On {name_of(problem)} **no method reaches {power} within {last} iterations**; the best is "
                f"{pc.METHODS[best.task.method].label}, at {number_text(best.gap.min() / best.gap[0])}."
            )
    return ""


def put_into(page: Path, text: str) -> None:
    """Put the text between the marks of a page.

    Raises:
        ValueError: the page does not have both marks, once each.
    """
    old = page.read_text(encoding="utf-8")
    if old.count(START) != 1 or old.count(END) != 1:
        raise ValueError(
            f"{page} must have the lines {START} and {END}, once each: put them where the findings go."
        )
    before, after = old.split(START)[0], old.split(END)[1]
    page.write_text(f"{before}{START}\n\n{text}\n{END}{after}", encoding="utf-8")


def write_table(runs: Runs, path: Path) -> None:
    """Every run as a line of CSV: what was run, what it took to each tolerance, how it ended."""
    head = ["data", "loss", "method", "gamma", "mu0", *(f"iterations to {t:.0e}" for t in TOLERANCES)]
    head += [
        *(f"gradient calls to {t:.0e}" for t in TOLERANCES),
        "products per iteration",
        "last k",
        "outcome",
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        for task, summary in runs.items():
            start = f"{task.mu0[0]:g} {task.mu0[1]}" if task.method == "adapt_apg" else ""
            steps = [_steps(summary, summary.reached[t]) for t in TOLERANCES]
            calls = [NOT_REACHED if (n := summary.gradients[t]) is None else f"{n:g}" for t in TOLERANCES]
            row = [task.problem[0], task.problem[1], task.method, task.gamma, start, *steps, *calls]
            writer.writerow([*row, f"{summary.products:.3g}", summary.last_k, summary.outcome])


def left_out() -> list[str]:
    """Why data sets are missing, in words; nothing if all are there."""
    return [why for data in dict.fromkeys(data for data, _ in PAPER_PROBLEMS) if (why := missing(data))]
