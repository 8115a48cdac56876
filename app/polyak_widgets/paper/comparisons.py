"""How the paper's claims are judged: a few runs beside those of the figures, and runs against runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from polyak_core.runs.trace import TOLERANCES
from polyak_widgets.paper.paper_panels import PAPER_LOSSES, Runs, best_of_each, gamma_tasks
from polyak_widgets.paper.paper_runs import BUDGETS, ESTIMATES, KNOWN_MU, Key, PaperRun, Summary

PAPER_PROBLEMS: list[Key] = [
    ("matrix_completion", None),
    *((data, loss) for data in ("sonar", "musk", "madelon") for loss in PAPER_LOSSES),
]
LOW, MIDDLE, PRECISE = TOLERANCES
MU0_PROBLEM: Key = ("sonar", "least_squares")
MU0 = {
    "L/2": (0.5, "L"),
    "L/100": (0.01, "L"),
    "10 μ": (10.0, "mu"),
    "μ": (1.0, "mu"),
    "μ/10": (0.1, "mu"),
    "μ/100": (0.01, "mu"),
}
SPECTRA_MET = {"log": "a logarithmic spectrum", "outlier": "one outlier"}
"""Section 3 speaks of quadratics: one where many eigenvalues lie near mu, one where none does."""
HOLDS, IN_PART, NOT = "holds", "holds in part", "does not hold"


RIVAL_PROBLEMS = [each for each in PAPER_PROBLEMS if each[0] != "madelon" and each != ("musk", "svm_dual")]
"""Those where a run takes seconds."""
EVERYWHERE = ("auto_restart", "ac_fgm")
SMOOTH = ("item", "tmm", "silver_mu", "heavy_ball_polyak", "silver", "adgd_accel")
QUADRATIC = ("cg",)
"""Rivals by the problems that they take: all; those without a penalty; least squares."""


class Finding(NamedTuple):
    """One line of the table.

    Attributes:
        claim: what the paper says, and where.
        verdict: whether that holds here.
        finding: the numbers.
        rule: when the claim is said to hold.
    """

    claim: str
    verdict: str
    finding: str
    rule: str


def more_tasks() -> list[PaperRun]:
    """What claims are held against beside the runs of the figures."""
    return mu0_tasks() + fixed_mu_tasks() + momentum_tasks() + rival_tasks()


def rival_tasks() -> list[PaperRun]:
    """Methods that the paper does not draw, as far as each takes the problem."""
    tasks = []
    for problem in RIVAL_PROBLEMS:
        methods = EVERYWHERE + (SMOOTH if problem[1] in KNOWN_MU else ())
        methods += QUADRATIC if problem[1] == "least_squares" else ()
        tasks += [PaperRun(problem, method, BUDGETS[problem], study="rivals") for method in methods]
    return tasks


def mu0_tasks() -> list[PaperRun]:
    """AdaptAPG with several first bounds."""
    return [
        PaperRun(MU0_PROBLEM, "adapt_apg", BUDGETS[MU0_PROBLEM], mu0=start, study="mu0")
        for start in MU0.values()
    ]


def fixed_mu_tasks() -> list[PaperRun]:
    """APG with the true mu of h where there is a penalty, which the paper does not draw."""
    problems = [problem for problem in PAPER_PROBLEMS if problem[1] == "lasso"]
    return [PaperRun(problem, "apg", BUDGETS[problem], study="fixed mu") for problem in problems]


def momentum_tasks() -> list[PaperRun]:
    """Constant momentum and none on quadratics, with all estimates."""
    return [
        PaperRun((kind, None), method, 4000, study=ESTIMATES)
        for kind in SPECTRA_MET
        for method in ("apg", "pgd")
    ]


def by_method(runs: Runs) -> dict[Key, dict[str, Summary]]:
    """The runs of each problem that was run, by method; of the restarted one the tuned run."""
    best = {problem: best_of_each(problem, runs) for problem in PAPER_PROBLEMS}
    return {problem: {s.task.method: s for s in each} for problem, each in best.items() if each}


def iterations(summary: Summary, tolerance: float) -> float | None:
    """Iterations to a tolerance, if the run got there."""
    return summary.reached[tolerance]


def gradient_calls(summary: Summary, tolerance: float) -> float | None:
    """Calls of the gradient oracle to a tolerance, if the run got there."""
    return summary.gradients[tolerance]


def ratios(
    runs: Runs,
    method: str,
    against: str,
    tolerance: float = PRECISE,
    cost: Callable[[Summary, float], float | None] = iterations,
) -> dict[Key, float]:
    """How many times as much a method costs as another, where both get there."""
    factors = {}
    for problem, each in by_method(runs).items():
        if method in each and against in each:
            mine, other = cost(each[method], tolerance), cost(each[against], tolerance)
            if mine is not None and other:
                factors[problem] = mine / other
    return factors


def gamma_steps(runs: Runs) -> list[int | None]:
    """Iterations of the restarted method to 1e-10 with each gamma of figure 3, as far as it was run."""
    return [runs[task].reached[PRECISE] for task in gamma_tasks() if task in runs]


def span(values: Iterable[float]) -> str:
    """The least and the largest, in words."""
    numbers = sorted(values)
    return f"{numbers[0]:.2f} to {numbers[-1]:.2f}"


def cases(part: int, whole: int) -> str:
    """How many of all, in words."""
    return f"in all {whole} cases" if part == whole else f"in {part} of {whole} cases"


def how_far(part: int, whole: int) -> str:
    """How far a claim holds that is true in so many cases of all."""
    return HOLDS if part == whole else NOT if part == 0 else IN_PART


def yes_or_no(holds: bool) -> str:
    """In a word."""
    return "yes" if holds else "no"
