"""The panels of the paper's figures, made of kept runs, in the look of the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

import polyak_core as pc
from polyak_widgets.look import TRUE_MU, Look, in_page_order, method_look
from polyak_widgets.numbers import count_text, number_text, power_text
from polyak_widgets.panels import Panel
from polyak_widgets.panels.curves import Curve, decades
from polyak_widgets.paper.paper_runs import (
    BUDGETS,
    DEPTH,
    ESTIMATES,
    WIDE_GAMMAS,
    Key,
    PaperRun,
    Summary,
    comparison,
    missing,
    tuned,
)
from polyak_widgets.settings.units import UNITS

Runs = Mapping[PaperRun, Summary]
PAPER_LOSSES = ("least_squares", "logistic", "lasso", "svm_dual")
LOSS_NAMES = {
    None: "",
    "least_squares": "least squares",
    "logistic": "logistic",
    "lasso": "LASSO",
    "svm_dual": "SVM dual",
}
DRAWN_GAMMAS = (0.5, 2.0, 6.0, 20.0)
DASHES = ("dot", "solid", "dashdot", "dash")
"""One for each of the gammas drawn: they share the colour of the restarted method."""
VARIABILITY: Key = ("sonar", "lasso")
PRECISE = 1e-10


def name_of(problem: Key) -> str:
    """A problem as a title."""
    data, loss = problem
    return "Matrix completion, 30 × 30" if loss is None else f"{data.capitalize()}, {LOSS_NAMES[loss]}"


def run_label(summary: Summary) -> str:
    """A run as a name at its curve."""
    label = pc.METHODS[summary.task.method].label
    gamma = summary.task.gamma
    return label if gamma is None else f"{label}, γ = {number_text(gamma)}"


def best_of_each(problem: Key, runs: Runs) -> list[Summary]:
    """One run of each method on a problem, in the order of the page; of the restarted one the tuned run."""
    mine = [s for t, s in runs.items() if t.problem == problem and t.study == "comparison"]
    methods = in_page_order({summary.task.method: None for summary in mine})
    return [tuned([s for s in mine if s.task.method == method]) for method in methods]


def paper_gap_panel(problem: Key, runs: Runs) -> Panel:
    """Gap against iterations on one problem; in words what is missing if it could not be run."""
    summaries = best_of_each(problem, runs)
    if not summaries:
        return _empty(name_of(problem), missing(problem[0]))
    curves = [
        Curve(f"gap:{s.task.method}", run_label(s), method_look(s.task.method), s.k, s.gap) for s in summaries
    ]
    return _gap_axes(name_of(problem), _subtitle(summaries), curves, summaries)


def _subtitle(summaries: Sequence[Summary]) -> str:
    first = summaries[0]
    condition = f"L/μ = {number_text(first.L / first.mu)}" if first.mu > 0 else "μ = 0"
    return f"gap f(yₖ) − f* · {condition} · f* to {number_text(first.f_star_error)}"


def _gap_axes(title: str, subtitle: str, curves: list[Curve], summaries: Sequence[Summary]) -> Panel:
    first = max(float(s.gap[0]) for s in summaries)
    last = max(float(s.task.iterations) for s in summaries)
    adaptive = [s.last_k for s in summaries if s.task.method in ("adapt_apg", "adapt_apg_v2", "restart")]
    ended = all(s.gap[-1] <= DEPTH * s.gap[0] for s in summaries if s.task.method.startswith("adapt"))
    last = min(last, 1.05 * max(adaptive, default=last)) if ended else last
    ends = (
        f"{run_label(s)} ends at {number_text(float(s.gap[-1]))}, k = {count_text(s.last_k)}"
        for s in summaries
    )
    return {
        "name": "gap",
        "title": title,
        "subtitle": subtitle,
        "summary": f"{title}: " + "; ".join(ends) + ".",
        "x": {"title": UNITS["iterations"].axis, "type": "linear", "range": [0.0, last]},
        "y": {"title": "", "type": "log", "range": _decades(summaries, DEPTH * first)},
        "curves": curves,
    }


def _decades(summaries: Sequence[Summary], depth: float) -> list[float]:
    """Ending just where runs end, so that curves which get there leave through the bottom."""
    low, high = decades([s.gap for s in summaries], lowest=depth)
    return [depth if low < depth else low, high]


def _empty(title: str, why: str) -> Panel:
    axis = {"title": "", "type": "linear", "range": [0.0, 1.0]}
    return {
        "name": "gap",
        "title": title,
        "subtitle": "not run",
        "summary": why,
        "x": axis,
        "y": axis,
        "curves": [],
    }


# -- figure 3 --------------------------------------------------------------------------------------


def variability_panels(runs: Runs) -> list[Panel]:
    """The gap for some gammas, and the iterations to 1e-10 against gamma."""
    mine = [s for t, s in runs.items() if t.study == "gamma"]
    others = [s for s in best_of_each(VARIABILITY, runs) if s.task.method in ("adapt_apg_v2", "adapt_apg")]
    examples = [s for s in mine if s.task.gamma in DRAWN_GAMMAS]
    curves = [
        Curve(f"gamma:{s.task.gamma}", f"γ = {number_text(s.task.gamma or 0)}", look, s.k, s.gap)
        for s, look in zip(sorted(examples, key=lambda s: s.task.gamma or 0), _gamma_looks(), strict=True)
    ]
    curves += [
        Curve(f"gap:{s.task.method}", run_label(s), method_look(s.task.method), s.k, s.gap) for s in others
    ]
    title = f"{name_of(VARIABILITY)}: restart with several γ"
    return [_gap_axes(title, _subtitle(others), curves, [*examples, *others]), _sensitivity(mine, others)]


def _gamma_looks() -> list[Look]:
    return [method_look("restart")._replace(dash=dash) for dash in DASHES]


def _sensitivity(restarted: Sequence[Summary], others: Sequence[Summary]) -> Panel:
    reached = sorted((s.task.gamma or 0.0, s.reached[PRECISE]) for s in restarted)
    x = np.array([gamma for gamma, _ in reached])
    y = np.array([np.nan if k is None else float(k) for _, k in reached])
    ends = np.array([x.min(), x.max()])
    levels = [
        Curve(f"level:{s.task.method}", run_label(s), method_look(s.task.method), ends, np.full(2, float(k)))
        for s in others
        if (k := s.reached[PRECISE]) is not None
    ]
    look = method_look("restart")
    curves = [Curve("restart", "Restart", look, x, y), Curve("tried", "", look, x, y, "markers"), *levels]
    worst, best = np.nanmax(y), np.nanmin(y)
    return {
        "name": "sensitivity",
        "title": f"Iterations to {power_text(-10)} of the initial gap against γ",
        "subtitle": f"worst over best: {number_text(worst / best)} · both axes logarithmic",
        "summary": f"Restart takes {count_text(int(best))} to {count_text(int(worst))} iterations.",
        "x": {"title": "γ", "type": "log", "range": [float(x.min() / 1.2), float(x.max() * 1.2)]},
        "y": {"title": "", "type": "log", "range": [float(best / 2), float(worst * 1.5)]},
        "curves": curves,
    }


# -- figure 5 --------------------------------------------------------------------------------------

ESTIMATE_PROBLEMS: tuple[Key, Key] = (("sonar", "least_squares"), ("sonar", "svm_dual"))
ENVELOPE = TRUE_MU._replace(dash="dot", width=1.5)


def estimate_tasks() -> list[PaperRun]:
    """Algorithms 3 and 4 on both problems, every record kept."""
    return [
        PaperRun(problem, method, BUDGETS[problem], study=ESTIMATES)
        for problem in ESTIMATE_PROBLEMS
        for method in ("adapt_apg", "adapt_apg_v2")
    ]


def excess(summary: Summary, local: bool) -> tuple[Any, Any]:
    """k >= 1 and mu_k - mu, or mu_k - mu_loc(x_k), in the paper's index: mu_k forms x_k."""
    columns = summary.columns
    below = columns["mu_loc"][1:] if local else summary.mu
    return columns["k"][1:], columns["mu"][:-1] - below


def envelope_at(summary: Summary, local: bool) -> tuple[int, float]:
    """The k that needs the largest C, and that C: mu_k - mu <= C/(k+1)^2 (or mu_loc for mu) at all k >= 1."""
    k, difference = excess(summary, local)
    needed = difference * (k + 1) ** 2
    at = int(np.nanargmax(needed))
    return int(k[at]), float(needed[at])


def largest_constant(summary: Summary) -> float:
    """The C up to which proposition 2.8 holds, for mu_0 = L/2."""
    root = np.sqrt(0.5)
    return float(summary.mu * (1 - root) / (3 * root))


def estimate_panels(runs: Runs) -> list[Panel]:
    """mu_k - mu on least squares and mu_k - mu_loc(x_k) on the SVM dual, each under its envelope."""
    return [
        _estimate_panel([runs[t] for t in estimate_tasks() if t.problem == problem], local)
        for problem, local in zip(ESTIMATE_PROBLEMS, (False, True), strict=True)
    ]


def _estimate_panel(summaries: Iterable[Summary], local: bool) -> Panel:
    lead, other = summaries
    what = "μ_loc(xₖ)" if local else "μ"
    _, C = envelope_at(lead, local)
    k, _ = excess(lead, local)
    curves = [
        Curve(f"excess:{s.task.method}", run_label(s), method_look(s.task.method), *excess(s, local))
        for s in (other, lead)
    ]
    curves.append(Curve("envelope", f"C/(k+1)², C = {number_text(C)}", ENVELOPE, k, C / (k + 1) ** 2))
    lowest = max(1e-9 * lead.L, float(C / (k[-1] + 1) ** 2) / 1e4)
    if local:
        note = "where the line breaks, μₖ is below μ_loc"
    else:
        note = f"proposition 2.8 asks for C ≤ {number_text(largest_constant(lead) / lead.L)} L"
    return {
        "name": "mu",
        "title": f"{name_of(lead.task.problem)}: μₖ − {what}",
        "subtitle": f"C = {number_text(C / lead.L)} L · {note}",
        "summary": f"μₖ − {what} of AdaptAPG stays below C/(k+1)² with C = {number_text(C)}.",
        "x": {"title": UNITS["iterations"].axis, "type": "log", "range": [1.0, float(k[-1])]},
        "y": {"title": "", "type": "log", "range": decades([c.y for c in curves], lowest=lowest)},
        "curves": curves,
    }


def problems_of(number: int, losses: Sequence[str] = PAPER_LOSSES) -> list[Key]:
    """The problems of figures 1, 2 and 4, row by row as the paper has them; of 2 and 4 with these losses."""
    if number == 1:
        return [("matrix_completion", None)]
    data = ("musk", "madelon") if number == 2 else ("sonar",)
    kinds = [loss for loss in PAPER_LOSSES if loss in losses]
    return [(name, loss) for loss in kinds for name in data] if number != 3 else [VARIABILITY]


def gamma_tasks(iterations: int | None = None) -> list[PaperRun]:
    """The restarted method with the gammas of figure 3."""
    last = min(iterations or BUDGETS[VARIABILITY], BUDGETS[VARIABILITY])
    return [PaperRun(VARIABILITY, "restart", last, gamma=gamma, study="gamma") for gamma in WIDE_GAMMAS]


def tasks_of(
    number: int,
    iterations: int | None = None,
    gammas: Sequence[float] | None = None,
    losses: Sequence[str] = PAPER_LOSSES,
) -> list[PaperRun]:
    """What figure `number` is made of."""
    if number == 5:
        return estimate_tasks()
    compared = [task for p in problems_of(number, losses) for task in comparison(p, iterations, gammas)]
    return compared + (gamma_tasks(iterations) if number == 3 else [])


def panels_of(number: int, runs: Runs, losses: Sequence[str] = PAPER_LOSSES) -> list[Panel]:
    """The panels of figure `number`, row by row as the paper has them."""
    if number == 3:
        return variability_panels(runs)
    if number == 5:
        return estimate_panels(runs)
    return [paper_gap_panel(problem, runs) for problem in problems_of(number, losses)]
