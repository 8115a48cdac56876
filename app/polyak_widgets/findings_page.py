"""The page docs/findings.md and the table of iterations, made of the runs behind the paper's figures."""

from __future__ import annotations

import csv
from pathlib import Path

import polyak_core as pc

from .findings import PROBLEMS, by_method, findings
from .look import in_page_order
from .numbers import count_text, number_text
from .paper_panels import Runs, name_of
from .paper_runs import TOLERANCES, Summary, missing

PAGE = Path("docs") / "findings.md"
HEAD = """# What the paper claims, and what its experiments give here

`make figures` wrote this page from its runs; a test makes a part of it anew. The figures themselves come with
it, and in [06_the_papers_figures.ipynb](../notebooks/06_the_papers_figures.ipynb).
"""
HOW = """A cell has the iterations to 10⁻⁴, 10⁻⁸ and 10⁻¹⁰ of the first gap, first time below; “> k” where the
run ended at k before. Restart has its best γ of those tried, in brackets. An empty cell: the method needs
μ > 0, or the paper does not draw it there.
"""


def cell(summary: Summary | None) -> str:
    """Iterations to the three tolerances, for people."""
    if summary is None:
        return ""
    steps = (summary.reached[tolerance] for tolerance in TOLERANCES)
    text = " / ".join(f"> {count_text(summary.last_k)}" if k is None else count_text(k) for k in steps)
    gamma = summary.task.gamma
    return text if gamma is None else f"{text} ({number_text(gamma)})"


def findings_page(runs: Runs) -> str:
    """The whole page as Markdown."""
    lines = [HEAD, "## Line by line", "", "| the paper | here | because |", "|---|---|---|"]
    lines += [f"| {line.claim} | **{line.verdict}** | {line.found} |" for line in findings(runs)]
    each = by_method(runs)
    methods = in_page_order({method: None for found in each.values() for method in found})
    labels = [pc.METHODS[method].label for method in methods]
    lines += ["", "## Iterations", "", HOW]
    lines += [f"| problem | {' | '.join(labels)} |", "|---" * (1 + len(labels)) + "|"]
    for problem, found in each.items():
        cells = " | ".join(cell(found.get(method)) for method in methods)
        lines.append(f"| {name_of(problem)} | {cells} |")
    return "\n".join(lines) + "\n"


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
        for task, found in runs.items():
            start = f"{task.mu0[0]:g} {task.mu0[1]}" if task.method == "adapt_apg" else ""
            steps = [found.reached[t] for t in TOLERANCES]
            calls = [found.gradients[t] for t in TOLERANCES]
            row = [task.problem[0], task.problem[1], task.method, task.gamma, start, *steps, *calls]
            writer.writerow([*row, f"{found.products:.3g}", found.last_k, found.outcome])


def left_out() -> list[str]:
    """Why data sets are missing, in words; nothing if all are there."""
    return [why for data in dict.fromkeys(data for data, _ in PROBLEMS) if (why := missing(data))]
