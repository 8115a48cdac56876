"""What the paper claims beside what its experiments give here; every number comes from the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

import polyak_core as pc
from polyak_core.runs.trace import TOLERANCES
from polyak_widgets.look import in_page_order
from polyak_widgets.numbers import count_text, number_text
from polyak_widgets.paper.paper_panels import (
    ESTIMATE_PROBLEMS,
    LOSSES,
    VARIABILITY,
    Runs,
    best_of_each,
    envelope_of,
    estimate_tasks,
    gamma_tasks,
    largest_constant,
    name_of,
)
from polyak_widgets.paper.paper_runs import BUDGETS, DEEPER, WIDE_GAMMAS, Key, PaperRun, Summary

PROBLEMS: list[Key] = [
    ("matrix_completion", None),
    *((data, loss) for data in ("sonar", "musk", "madelon") for loss in LOSSES),
]
LOW, PRECISE = TOLERANCES[0], TOLERANCES[-1]
HOLDS, IN_PART, NOT = "holds", "holds in part", "does not hold"
MU0_PROBLEM: Key = ("sonar", "least_squares")
MU0 = {
    "L/2": (0.5, "L"),
    "L/100": (0.01, "L"),
    "10 μ": (10.0, "mu"),
    "μ": (1.0, "mu"),
    "μ/10": (0.1, "mu"),
    "μ/100": (0.01, "mu"),
}


class Finding(NamedTuple):
    """One line of the table.

    Attributes:
        claim: what the paper says, and where.
        verdict: whether that holds here.
        finding: the numbers.
    """

    claim: str
    verdict: str
    finding: str


def mu0_tasks() -> list[PaperRun]:
    """AdaptAPG with several first bounds."""
    return [
        PaperRun(MU0_PROBLEM, "adapt_apg", BUDGETS[MU0_PROBLEM], mu0=start, study="mu0")
        for start in MU0.values()
    ]


def findings(runs: Runs) -> list[Finding]:
    """All that can be said with these runs."""
    judges: list[Callable[[Runs], Finding | None]] = [
        _linear, _fast, _low_accuracy, _tuning, _without_gamma,
        _theorem_or_speed, _gradients, _mu0, _rate, _f_star,
    ]  # fmt: skip
    return [found for judge in judges if (found := judge(runs)) is not None]


# -- what is counted ---------------------------------------------------------------------------


def by_method(runs: Runs) -> dict[Key, dict[str, Summary]]:
    """The runs of each problem that was run, by method; of the restarted one the tuned run."""
    found = {problem: best_of_each(problem, runs) for problem in PROBLEMS}
    return {problem: {s.task.method: s for s in each} for problem, each in found.items() if each}


def ratios(runs: Runs, method: str, against: str, tolerance: float = PRECISE) -> dict[Key, float]:
    """How many times as many iterations a method takes as another, where both get there."""
    found = {}
    for problem, each in by_method(runs).items():
        if method in each and against in each:
            k, other = each[method].reached[tolerance], each[against].reached[tolerance]
            if k is not None and other:
                found[problem] = k / other
    return found


def _span(values: Iterable[float]) -> str:
    numbers = sorted(values)
    return f"{numbers[0]:.2f} to {numbers[-1]:.2f}"


def _cases(part: int, whole: int) -> str:
    return f"in all {whole} cases" if part == whole else f"in {part} of {whole} cases"


def _verdict(part: int, whole: int) -> str:
    return HOLDS if part == whole else NOT if part == 0 else IN_PART


# -- the claims --------------------------------------------------------------------------------


def _linear(runs: Runs) -> Finding | None:
    each = by_method(runs).get(("matrix_completion", None))
    if each is None:
        return None
    words, steady = [], True
    for method in ("adapt_apg_v2", "adapt_apg"):
        near, middle, far = (each[method].reached[t] for t in (1e-8, PRECISE, DEEPER))
        if near is None or middle is None or far is None:
            return None
        first, second = (middle - near) / 2, (far - middle) / 2
        steady = steady and abs(second / first - 1) < 1 / 3
        steps = f"{count_text(round(first))}, then {count_text(round(second))}"
        words.append(f"{pc.METHODS[method].label} {steps}")
    return Finding(
        "Figure 1: “our adaptive algorithms exhibit linear convergence” on matrix completion",
        HOLDS if steady else IN_PART,
        f"Iterations for a factor of ten, from 10⁻⁸ to 10⁻¹⁰, then to 10⁻¹²: {'; '.join(words)}.",
    )


def _fast(runs: Runs) -> Finding | None:
    all_runs = by_method(runs)
    there = [p for p, each in all_runs.items() if each["adapt_apg_v2"].reached[PRECISE] is not None]
    known = ratios(runs, "adapt_apg_v2", "apg")
    if not known:
        return None
    late = [name_of(p) for p in all_runs if p not in there]
    rest = f" Not there within the budget: {', '.join(late)}, and no other method gets there." if late else ""
    if late and any(s.reached[PRECISE] for p in all_runs if p not in there for s in all_runs[p].values()):
        rest = f" Not there within the budget: {', '.join(late)}."
    return Finding(
        "Figures 2 and 4: “in all cases, our algorithms perform well and display the fast converging rate”",
        _verdict(len(there), len(all_runs)),
        f"v2 reaches 10⁻¹⁰ {_cases(len(there), len(all_runs))}. Where μ is known, it takes "
        f"{_span(known.values())} times the iterations of APG with the true μ.{rest}",
    )


def _tuning(runs: Runs) -> Finding | None:
    restarted = [runs.get(task) for task in gamma_tasks()]
    steps = [s.reached[PRECISE] for s in restarted if s is not None]
    known = [k for k in steps if k is not None]
    if not known:
        return None
    factor = max(known) / min(known)
    never = f", and {steps.count(None)} of the {len(steps)} never" if None in steps else ""
    best = sorted(each["restart"].task.gamma or 0 for each in by_method(runs).values() if "restart" in each)
    return Finding(
        "Figure 3: “the γ tuning step still has a significant impact”",
        HOLDS if factor >= 2 else NOT,
        f"On {name_of(VARIABILITY)} the worst γ from {WIDE_GAMMAS[0]:g} to {WIDE_GAMMAS[-1]:g} takes "
        f"{number_text(factor)} times the iterations of the best ({count_text(max(known))} against "
        f"{count_text(min(known))}){never}. The best γ lies between {best[0]:g} and {best[-1]:g}, "
        "depending on the problem.",
    )


def _without_gamma(runs: Runs) -> Finding | None:
    found = ratios(runs, "adapt_apg_v2", "restart")
    if not found:
        return None
    fewer = sum(ratio <= 1 for ratio in found.values())
    return Finding(
        "Section 4: the adaptive methods compare well with the restarted one “tuned to give the best result”",
        _verdict(sum(ratio <= 1.25 for ratio in found.values()), len(found)),
        f"v2, which is not tuned, takes {_span(found.values())} times the iterations of the restarted method "
        f"with its best γ, and no more than it {_cases(fewer, len(found))}.",
    )


def _theorem_or_speed(runs: Runs) -> Finding | None:
    found = ratios(runs, "adapt_apg", "adapt_apg_v2")
    if not found:
        return None
    slower = sum(ratio > 1 for ratio in found.values())
    return Finding(
        "Section 4: v2, “for which we did not prove robustness”, “appears to work very well in practice”",
        _verdict(slower, len(found)),
        f"v2 needs fewer iterations than algorithm 3, which has the theorem, {_cases(slower, len(found))}: "
        f"algorithm 3 takes {_span(found.values())} times as many.",
    )


def _gradients(runs: Runs) -> Finding | None:
    all_runs = by_method(runs)
    pairs = {p: (e["adapt_apg_v2"], e["restart"]) for p, e in all_runs.items() if "restart" in e}
    done = {p: (v2, r) for p, (v2, r) in pairs.items() if v2.reached[PRECISE] and r.reached[PRECISE]}
    if not done:
        return None
    calls = {p: (v2.gradients[PRECISE] or 0) / (r.gradients[PRECISE] or 1) for p, (v2, r) in done.items()}
    pairs.pop(("matrix_completion", None), None)
    free = sum(v2.products <= 1.01 * r.products + 0.01 for v2, r in pairs.values())
    return Finding(
        "Section 4: “our algorithms require one more call to the gradient oracle per iteration”",
        IN_PART,
        f"As calls, yes: to 10⁻¹⁰ v2 makes {_span(calls.values())} times those of the tuned restart. "
        f"As work, mostly not: on the data sets v2 needs no more matrix products for an iteration "
        f"{_cases(free, len(pairs))}, because where the loss is quadratic the gradient at yₖ follows from "
        "what is at hand. (On matrix completion it is one more singular value decomposition.)",
    )


def _mu0(runs: Runs) -> Finding | None:
    found = {name: runs.get(task) for name, task in zip(MU0, mu0_tasks(), strict=True)}
    steps = {name: s.reached[PRECISE] for name, s in found.items() if s is not None}
    if len(steps) < len(MU0):
        return None
    half = steps["L/2"] or 0
    words = ", ".join(f"{name}: {'never' if k is None else count_text(k)}" for name, k in steps.items())
    above = [k for name, k in steps.items() if name in ("L/2", "L/100", "10 μ") and k is not None]
    no_impact = max(above) <= 1.1 * min(above)
    slow = max(k or np.inf for k in steps.values())
    return Finding(
        "Section 4: “μ₀ is always chosen as L/2 and has no impact in practice”",
        IN_PART if no_impact and slow > 1.2 * half else HOLDS if no_impact else NOT,
        f"Iterations of AdaptAPG to 10⁻¹⁰ on {name_of(MU0_PROBLEM)} for several μ₀: {words}. A μ₀ well above "
        "μ is forgotten; one far below μ stays for ever and costs.",
    )


def _low_accuracy(runs: Runs) -> Finding | None:
    first = {}
    for problem, each in by_method(runs).items():
        steps = {m: s.reached[LOW] for m, s in each.items() if m != "apg" and s.reached[LOW] is not None}
        if steps:
            first[problem] = min(steps, key=lambda m: steps[m] or 0)
    if not first:
        return None
    counts = {m: list(first.values()).count(m) for m in in_page_order(set(first.values()))}
    words = ", ".join(f"{pc.METHODS[m].label} {n}" for m, n in counts.items())
    ahead = counts.get("adapt_apg_v2", 0)
    slower = ratios(runs, "adapt_apg", "fista", LOW).values()
    late = f" There AdaptAPG takes {_span(slower)} times FISTA's iterations." if slower else ""
    return Finding(
        "The same sentence, read for low accuracy",
        _verdict(ahead, len(first)),
        f"How often each method that is not given μ is the first at 10⁻⁴ of the initial gap: {words}.{late}",
    )


def _rate(runs: Runs) -> Finding | None:
    found = [runs.get(task) for task in estimate_tasks() if task.method == "adapt_apg"]
    if None in found:
        return None
    squares, dual = (s for s in found if s is not None)
    constants = [envelope_of(s, local) for s, local in ((squares, False), (dual, True))]
    return Finding(
        "Figure 5: the estimates “appear to satisfy the sublinear convergence rate needed”",
        IN_PART,
        f"The rate, yes: μₖ − μ stays below C/(k+1)² with C = {number_text(constants[0] / squares.L)} L on "
        f"{name_of(ESTIMATE_PROBLEMS[0])}, and μₖ − μ_loc(xₖ) with {number_text(constants[1] / dual.L)} L on "
        f"{name_of(ESTIMATE_PROBLEMS[1])}. The constant, no: the proposition asks for a C that is "
        f"{number_text(constants[0] / largest_constant(squares))} times smaller.",
    )


def _f_star(runs: Runs) -> Finding | None:
    all_runs = by_method(runs)
    errors = {problem: next(iter(each.values())).f_star_error for problem, each in all_runs.items()}
    if not errors:
        return None
    worst = max(errors, key=lambda p: errors[p])
    there, v2 = (
        sum(each[method].reached[PRECISE] is not None for each in all_runs.values())
        for method in ("fista", "adapt_apg_v2")
    )
    return Finding(
        "Section 4: f* comes from “APG for a sufficient amount of time to reach machine precision”",
        _verdict(there, len(all_runs)),
        "This takes a long time: within the budget FISTA, the paper's APG, comes to 10⁻¹⁰ of the initial gap "
        f"{_cases(there, len(all_runs))}, v2 {_cases(v2, len(all_runs))}. Here f* is found by other "
        f"methods and certified: f(x*) exceeds the minimum by at most {number_text(errors[worst])} "
        f"({name_of(worst)}).",
    )
