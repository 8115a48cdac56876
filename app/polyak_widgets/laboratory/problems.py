"""From settings to the core's words: which data, which problem, which keywords for each method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.problems.completion import ObservedEntries
from polyak_core.runs.stack import Task
from polyak_widgets.laboratory.start import without_slowest
from polyak_widgets.laboratory.synthetic import typical_distance
from polyak_widgets.settings.choices import ON_DATA, WITH_DUAL, WITH_LAM, WITH_SLOWEST
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.spectrum import eigenvalues_of, spectrum_key

OF_THE_PROBLEM = frozenset(
    (
        *("data", "scaling", "lam", "C", "svm_loss", "kernel", "width"),
        *("spectrum", "eigenvalues", "condition_number", "n", "rows", "seed"),
    )
)
"""Settings that have no part in a problem which does not depend on them."""


def start_in_use(settings: Settings) -> str:
    """The start, where the problem has it; else the usual one."""
    if settings.start == "no_slow" and settings.problem not in WITH_SLOWEST:
        return "default"
    return settings.start


def f_star_in_use(settings: Settings) -> str:
    """What is told of f*, where the problem has it; else the true f*."""
    without = settings.problem not in WITH_DUAL or ("lam" in fields_in_use(settings) and settings.lam == 0)
    return "exact" if settings.f_star == "dual" and without else settings.f_star


def is_synthetic(settings: Settings) -> bool:
    """Whether numbers are made up that depend on a spectrum."""
    return settings.problem == "quadratic" or (settings.problem in ON_DATA and settings.data == "synthetic")


def fields_in_use(settings: Settings) -> tuple[str, ...]:
    """Names of the settings that the problem depends on, in the order of `Settings`."""
    names: dict[str, bool] = {"problem": True}
    on_data = settings.problem in ON_DATA
    synthetic = is_synthetic(settings)
    own_list = settings.spectrum == "own"
    svm = settings.problem == "svm_dual"
    own = on_data and settings.data == "own"
    names |= {"data": on_data, "own": own, "label": own, "leave_out": own, "scaling": on_data}
    names |= {"lam": settings.problem in WITH_LAM}
    names |= {"C": svm, "svm_loss": svm, "kernel": svm, "width": svm and settings.kernel == "rbf"}
    names |= {"spectrum": synthetic, "eigenvalues": synthetic and own_list}
    names |= {"condition_number": synthetic and not own_list, "n": synthetic and not own_list}
    names |= {"rows": synthetic and on_data}
    names |= {
        "seed": (synthetic and on_data) or settings.start == "gaussian",
        "start": True,
        "L_factor": True,
    }
    return tuple(name for name, needed in names.items() if needed)


def acts(name: str, settings: Settings) -> bool:
    """Whether a setting has a part in what is drawn."""
    if name == "f_star_delta":
        return settings.f_star in ("too_low", "too_high")
    if name == "guard":
        return settings.f_star == "too_high"
    return name not in OF_THE_PROBLEM or name in fields_in_use(settings)


def data_key(settings: Settings) -> tuple[Any, ...]:
    """The settings that the features depend on."""
    if settings.data == "synthetic":
        return ("synthetic", spectrum_key(settings), settings.rows, settings.seed, settings.scaling)
    if settings.data == "own":
        return ("own", settings.own, settings.label, settings.leave_out, settings.scaling)
    return (settings.data, settings.scaling)


def problem_key(settings: Settings) -> tuple[Any, ...]:
    """The settings that the problem depends on, each as it acts."""
    apart = {
        "data",
        "own",
        "label",
        "leave_out",
        "scaling",
        "spectrum",
        "eigenvalues",
        "condition_number",
        "n",
        "rows",
        "start",
        "seed",
    }
    plain = [(name, getattr(settings, name)) for name in fields_in_use(settings) if name not in apart]
    start = start_in_use(settings)
    begun = (start, settings.seed) if start == "gaussian" else (start,)
    if settings.problem in ON_DATA:
        return (*plain, data_key(settings), begun)
    return (*plain, spectrum_key(settings), begun) if settings.problem == "quadratic" else (*plain, begun)


def build_problem(settings: Settings, data: pc.Dataset | None = None) -> pc.Problem:
    """The problem that the settings describe.

    Args:
        settings: what is asked for.
        data: features and labels, already scaled; needed where `settings.problem` is in `ON_DATA`.

    Raises:
        ValueError: the core's, in words.
    """
    problem = MAKERS[settings.problem](settings, data)
    x0 = _start(settings, data, problem)
    if x0 is not None:
        problem = problem.starting_at(x0)
    return problem if settings.L_factor == 1 else with_L(problem, settings.L_factor)


class SharedReference:
    """The x* of a problem, for one that differs in the L that methods are given and in nothing else."""

    def __init__(self, problem: pc.Problem) -> None:
        """Known already or not; it is sought once for both."""
        self._problem = problem
        self.long_search = problem.solution.long

    def __call__(self, x0: Array) -> Any:
        """What the problem knows of x* and f*."""
        return self._problem.reference


def with_L(problem: pc.Problem, factor: float) -> pc.Problem:
    """The same problem, but methods are given another L; neither norms nor x* are worked out again."""
    return _twin(problem, problem.x0, factor * problem.L)


def _twin(problem: pc.Problem, x0: Array, L: float) -> pc.Problem:
    """The same problem with the same x*, from a start and with an L for methods."""
    return pc.Problem(
        problem.loss,
        problem.penalty,
        certify=SharedReference(problem),
        x0=x0,
        L=L,
        representation=problem.representation,
        name=problem.name,
    )


def normal_start(settings: Settings, problem: pc.Problem, seed: int) -> Array:
    """A start of standard normal numbers; where few are allowed, the nearest to it that is."""
    normal = np.random.default_rng(seed).standard_normal(problem.x0.shape)
    if settings.problem == "svm_dual":
        return np.clip(normal, 0, 1 if settings.svm_loss == "hinge" else None)
    return normal


def task_from(problem: pc.Problem, settings: Settings, method: str, x0: Array) -> Task:
    """The run of one method from another start; gaps are those to the same f*.

    Where minimisers are many, the x* of the problem serves all starts: each minimiser gives the same gaps.
    """
    ends = run_keywords(settings) | {"method": method}
    if problem.mu > 0:  # the start is a keyword, so that runs can be stacked
        own = problem.starting_at(x0)
        return problem, ends | method_keywords(settings, method, own) | {"x0": x0}
    own = _twin(problem, x0, problem.L)
    return own, ends | method_keywords(settings, method, own)


def _start(settings: Settings, data: pc.Dataset | None, plain: pc.Problem) -> Array | None:
    """x_0, or None for the usual one."""
    start = start_in_use(settings)
    if start == "no_slow":
        if data is None:
            return without_slowest(plain, eigenvalues_of(settings), None)
        return without_slowest(plain, None, data.X)
    if start == "gaussian":
        return normal_start(settings, plain, settings.seed)
    return None


def _quadratic(settings: Settings, data: pc.Dataset | None) -> pc.Problem:
    return pc.quadratic(eigenvalues_of(settings))


def _least_squares(settings: Settings, data: pc.Dataset) -> pc.Problem:
    return pc.least_squares(data.X, data.y)


def _logistic(settings: Settings, data: pc.Dataset) -> pc.Problem:
    return pc.logistic(data.X, data.y, settings.lam)


def _lasso(settings: Settings, data: pc.Dataset) -> pc.Problem:
    return pc.lasso(data.X, data.y, settings.lam)


def _svm_dual(settings: Settings, data: pc.Dataset) -> pc.Problem:
    width = kernel_width(settings, data)
    return pc.svm_dual(data.X, data.y, settings.C, settings.svm_loss, settings.kernel, width)


def kernel_width(settings: Settings, data: pc.Dataset) -> float | None:
    """The width of the RBF kernel as `polyak_core.svm_dual` takes it; None for the linear one."""
    return settings.width * typical_distance(data.X) if settings.kernel == "rbf" else None


def _matrix_completion(settings: Settings, data: pc.Dataset | None) -> pc.Problem:
    """The entries of the paper's figure 1, under a weight of one's own."""
    paper = pc.paper_problem("matrix_completion")
    entries = paper.loss
    assert isinstance(entries, ObservedEntries)
    Y, mask = (part.reshape(paper.shape) for part in (entries.Y, entries.mask))
    return pc.matrix_completion(Y, mask, settings.lam)


MAKERS: Mapping[str, Callable[..., pc.Problem]] = {
    "quadratic": _quadratic,
    "least_squares": _least_squares,
    "logistic": _logistic,
    "lasso": _lasso,
    "svm_dual": _svm_dual,
    "matrix_completion": _matrix_completion,
}

GUARDED_BY = {"all": "gamma", "none": "rule"}
"""The parameter of the methods that a choice of guard changes: restart gets one, the listings lose theirs."""


def method_keywords(settings: Settings, method: str, problem: pc.Problem) -> dict[str, Any]:
    """What `polyak_core.solve` is given for one method; what stays at its default is left out."""
    slots = pc.METHODS[method].parameters
    keywords: dict[str, Any] = {}
    if "mu" in slots and settings.mu_factor != 1 and problem.mu > 0:
        keywords["mu"] = settings.mu_factor * problem.mu
    if "mu0" in slots:
        keywords["mu0"] = settings.mu0 * problem.L
    if "gamma" in slots:
        keywords["gamma"] = settings.gamma
    if "rule" in slots:
        keywords["estimator"] = settings.estimator
    if {"rule", "seen"} & set(slots) and f_star_in_use(settings) != "exact":
        keywords["f_star"] = given_f_star(settings, problem)
    if acts("guard", settings) and GUARDED_BY.get(settings.guard) in slots:
        keywords["guard"] = settings.guard == "all"
    return keywords


def given_f_star(settings: Settings, problem: pc.Problem) -> float | str:
    """What methods are given of f*."""
    choice = f_star_in_use(settings)
    if choice == "dual":
        return "dual"
    sign = {"exact": 0.0, "too_low": -1.0, "too_high": 1.0}[choice]
    return problem.f_star + sign * settings.f_star_delta * problem.gap(problem.x0)


def run_keywords(settings: Settings) -> dict[str, Any]:
    """What ends every run."""
    return {"iterations": settings.iterations} | ({"target": settings.target} if settings.target else {})
