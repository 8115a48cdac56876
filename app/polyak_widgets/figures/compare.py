"""`compare`: several methods on a problem of one's own, as a plain plotly figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polyak_core as pc
from polyak_core.checks import one_of, several
from polyak_core.methods.keywords import DEFAULTS, checked_problem, used_keywords
from polyak_widgets.figures.plotly_axes import in_unit
from polyak_widgets.figures.plotly_figures import plotly_figure
from polyak_widgets.figures.texts import estimator_words
from polyak_widgets.laboratory.experiment import Experiment, MethodRun, refusal
from polyak_widgets.panels import PANELS
from polyak_widgets.settings.settings import ESTIMATORS, Settings

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

COMPARED_METHODS = ("apg", "adapt_apg_v2", "adapt_apg", "restart", "fista", "pgd")


def compare(
    problem: pc.Problem,
    methods: Sequence[str | pc.Trace] = COMPARED_METHODS,
    *,
    iterations: int = 1500,
    x: str = "iterations",
    template: str = "light",
    **keywords: Any,
) -> Figure:
    """Run several methods on a problem and draw their gaps and their estimates of mu.

    Args:
        problem: what to minimise; its x* and f* are certified first.
        methods: names in `polyak_core.METHODS`, also those that you registered. One that needs mu is left
            out where mu = 0 and none is given. A trace stands for itself, as `polyak_core.record` and
            `polyak_core.lbfgs` give it.
        iterations: the last k.
        x: "iterations", "gradients" (calls of the gradient, whatever one costs) or "seconds".
        template: "light" or "dark".
        keywords: as in `polyak_core.solve`; each method gets those that it uses.

    Returns:
        A plotly Figure: the gap on the left, mu_k against mu and mu_loc on the right.

    Raises:
        ValueError: an unknown method or keyword, a keyword that none of the methods uses, a value that is
            not allowed.
        ImportError: plotly is missing; the message has the line that installs it.

    >>> figure = compare(pc.quadratic([1.0, 0.1, 0.01]), methods=["apg", "fista"], iterations=50)
    >>> [curve.name for curve in figure.data if curve.name][:2]
    ['APG, true μ', 'FISTA']
    """
    experiment = compared(problem, methods, iterations=iterations, **keywords)
    panels = [in_unit(PANELS[name](experiment), x) for name in ("gap", "mu")]
    estimator = keywords.get("estimator", "polyak")
    if estimator not in ESTIMATORS:
        panels[1]["subtitle"] = estimator_words(pc.ESTIMATORS[estimator])
    return plotly_figure(panels, title=problem.name[:1].upper() + problem.name[1:], template=template)


def compared(
    problem: pc.Problem,
    methods: Sequence[str | pc.Trace] = COMPARED_METHODS,
    *,
    iterations: int = 1500,
    **keywords: Any,
) -> Experiment:
    """The runs behind `compare`, as the panels take them; arguments and errors as there."""
    checked_problem(problem)
    methods = several(methods, "methods", "names of methods, or of traces")
    for method in methods:
        if not isinstance(method, pc.Trace):
            one_of(method, "method", tuple(pc.METHODS))
    estimator = one_of(keywords.get("estimator", "polyak"), "estimator", tuple(pc.ESTIMATORS))
    recorded = {named(trace): trace for trace in methods if isinstance(trace, pc.Trace)}
    names = [named(method) for method in methods]
    used = {name: _used(name, estimator) for name in names if name not in recorded}
    _check_keywords(keywords, used)
    runs = [MethodRun(name, trace, True) for name, trace in recorded.items()]
    for method, takes in used.items():
        why = refusal(problem, method) if keywords.get("mu") is None and len(names) > 1 else ""
        if why:
            runs.append(MethodRun(method, None, True, why))
            continue
        parameters = {name: value for name, value in keywords.items() if name in takes}
        runs.append(MethodRun(method, pc.solve(problem, method, iterations, **parameters), True))
    settings = Settings(
        methods=tuple(used) or COMPARED_METHODS[: bool(recorded)],
        iterations=iterations,
        gamma=keywords.get("gamma", DEFAULTS["gamma"]),
        mu0=0.5 if keywords.get("mu0") is None else keywords["mu0"] / problem.L,
        estimator=estimator if estimator in ESTIMATORS else "polyak",
    )
    order = [*settings.methods, *recorded]
    return Experiment(settings, problem, tuple(sorted(runs, key=lambda run: order.index(run.method))))


def named(method: str | pc.Trace) -> str:
    """The name of a method, or of the one that a trace is of."""
    return str(method.settings.get("method", "recorded")) if isinstance(method, pc.Trace) else method


ALWAYS = {"x0", "target", "seconds", "progress", "cancel"}


def _used(method: str, estimator: str) -> set[str]:
    one_of(method, "method", tuple(pc.METHODS))
    return used_keywords(method, estimator) | ALWAYS


def _check_keywords(keywords: dict[str, Any], used: dict[str, set[str]]) -> None:
    known = {*DEFAULTS, *ALWAYS}
    unknown = sorted(set(keywords) - known)
    if unknown:
        raise ValueError(
            f"{', '.join(unknown)} is not a keyword of solve; these are: {', '.join(sorted(known))}."
        )
    idle = sorted(set(keywords) - set().union(*used.values()))
    if idle and used:
        raise ValueError(f"none of {', '.join(used)} uses {', '.join(idle)}; leave it out.")
