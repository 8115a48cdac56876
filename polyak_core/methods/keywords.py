"""The keywords of `solve`, checked, and turned into the arguments of a method."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from polyak_core.checks import Given, one_of, real_number, shown, whole_number
from polyak_core.methods.backtracking import unbounded
from polyak_core.methods.estimators import ESTIMATORS, DualMu, KnownMu, MuSchedule, OnlineMu, Rule
from polyak_core.methods.f_star import TRUE_GAP, DualGap, GapSeen, GuardedGap, dual_gap
from polyak_core.methods.paper import Iterate
from polyak_core.methods.registry import METHODS
from polyak_core.problems.oracle import WITHOUT_X_STAR
from polyak_core.problems.problem import Problem

DEFAULTS: dict[str, Any] = {
    "mu": None,
    "mu0": None,
    "gamma": 1.0,
    "f_star": None,
    "guard": None,
    "estimator": "polyak",
    "C": None,
    "window": None,
    "backtracking": False,
    "reference": True,
}
MADE_WITH_F_STAR = ("polyak", "certified", "model", "window")


@dataclass(frozen=True)
class Parameters:
    """A generator and its arguments, the gap that it sees, and the settings that a trace keeps.

    Attributes:
        reference: whether x* is needed, or wanted for the record.
    """

    generator: Callable[..., Iterator[Iterate]]
    arguments: dict[str, Any]
    seen: GapSeen
    settings: dict[str, Any]
    reference: bool = True

    @property
    def varied(self) -> bool:
        """Whether L, or what is known of f*, changes on the way."""
        return self.backtracking or isinstance(self.seen, DualGap)

    @property
    def backtracking(self) -> bool:
        """Whether L is found on the way."""
        return bool(self.settings.get("backtracking"))


def parameters(problem: Problem, method: str, **keywords: Any) -> Parameters:
    """Check the keywords of `solve` for one method.

    Raises:
        ValueError: an unknown method, a value that is not allowed, or a keyword away from its default
            that this method does not use.
    """
    checked_problem(problem)
    one_of(method, "method", tuple(METHODS))
    unknown = sorted(set(keywords) - set(DEFAULTS))
    if unknown:
        raise ValueError(
            f"{', '.join(unknown)} is not a keyword of a method; these are: {', '.join(DEFAULTS)}."
        )
    missing = METHODS[method].missing(problem)
    if missing:
        raise ValueError(f"{method} {missing}.")
    choices = DEFAULTS | keywords
    one_of(choices["estimator"], "estimator", tuple(ESTIMATORS))
    used = used_keywords(method, choices["estimator"])
    _refuse_unused(method, choices, used)
    reference = checked_flag(choices["reference"], "reference")
    backtracking = "backtracking" in used and checked_flag(choices["backtracking"], "backtracking")
    if not reference and (backtracking or "f_star" in used):
        raise ValueError(WITHOUT_X_STAR)
    values: dict[str, Any] = {name: check(problem, choices) for name, check in CHECKS.items() if name in used}
    slots = METHODS[method].parameters
    guard = checked_guard(choices["guard"], "rule" in slots) if "guard" in used else True
    seen = _gap_seen(problem, choices["f_star"] if "f_star" in used else None) if reference else TRUE_GAP
    if guard and "seen" in slots and "guard" in used and type(seen) is GapSeen:
        seen = GuardedGap(seen.delta, seen.grain)
    arguments: dict[str, Any] = {name: values[name] for name in ("mu", "mu0", "gamma") if name in slots}
    arguments |= {"seen": seen} if "seen" in slots else {}
    arguments |= (
        {"rule": _rule(problem, values, choices["estimator"], seen, guard)} if "rule" in slots else {}
    )
    generator = METHODS[method].generator
    if backtracking:
        generator = _backtracking(method)
        values["backtracking"] = True
        arguments |= {"rule": unbounded(arguments["rule"])} if "rule" in slots else {}
    settings = values | ({"f_star": _plain(choices["f_star"])} if "f_star" in used else {})
    settings |= {"estimator": choices["estimator"]} if "rule" in slots else {}
    settings |= {} if choices["guard"] is None else {"guard": guard}
    settings |= {} if reference else {"reference": False}
    return Parameters(generator, arguments, seen, settings, reference)


def _refuse_unused(method: str, choices: Mapping[str, Any], used: set[str]) -> None:
    for keyword, default in DEFAULTS.items():
        if keyword not in used and not _is_default(choices[keyword], default):
            named = ", ".join(sorted(used - {"reference"}))
            raise ValueError(
                f"{method} does not use {keyword} = {shown(choices[keyword])}; leave it out. "
                f"It uses {named or 'none of these keywords'}."
            )


def checked_flag(value: Given, name: str) -> bool:
    """True or False, or a ValueError."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} = {shown(value)} is not allowed: give True or False.")
    return bool(value)


def checked_guard(value: Given, usual: bool) -> bool:
    """True or False as it was given, the usual one for None."""
    return usual if value is None else checked_flag(value, "guard")


def _backtracking(method: str) -> Callable[..., Iterator[Iterate]]:
    generator = METHODS[method].backtracking
    assert generator is not None  # else the keyword is not used
    return generator


def _is_default(value: Given, default: Given) -> bool:
    return value is default or (isinstance(value, Real | str) and bool(value == default))


def used_keywords(method: str, estimator: str) -> set[str]:
    """Which keywords of `solve` matter for this method (and, where it has a rule for mu, this estimator)."""
    slots = set(METHODS[method].parameters)
    used = slots & {"mu", "mu0", "gamma"} | {"reference"}
    if METHODS[method].backtracking is not None:
        used |= {"backtracking"}
    if slots & {"seen"}:
        used |= {"f_star", "guard"}
    if "rule" in slots:
        used |= {"estimator"}
        used |= {"f_star", "guard"} if estimator in MADE_WITH_F_STAR else {"mu"}
        used |= {"schedule": {"C"}, "window": {"window"}}.get(estimator, set())
    return used


def _rule(problem: Problem, values: dict[str, Any], estimator: str, seen: GapSeen, guard: bool) -> Rule:
    start = values.get("mu0", problem.L)
    if estimator == "known":
        return KnownMu(values["mu"])
    if estimator == "schedule":
        return MuSchedule(start, values["mu"], values["C"])
    online = DualMu if isinstance(seen, DualGap) else OnlineMu
    return online(start, estimator, seen, values.get("window"), guard)


def _mu(problem: Problem, keywords: dict[str, Any]) -> float:
    if keywords["mu"] is not None:
        return _within_L(problem, keywords["mu"], "mu")
    if problem.mu > problem.L:
        raise ValueError(f"mu = {problem.mu:g} is above the given L = {problem.L:g}; give mu in (0, L].")
    if not problem.mu > 0:
        known = problem.mu_restricted > 0
        instance = (
            f"for instance problem.mu_restricted = {problem.mu_restricted:g}"
            if known
            else "a number in (0, L]"
        )
        raise ValueError(
            f"this problem has mu = 0, so a method that needs mu has none to use; pass mu=, {instance}, or "
            "choose a method that needs no mu."
        )
    return problem.mu


def _mu0(problem: Problem, keywords: dict[str, Any]) -> float:
    return problem.L / 2 if keywords["mu0"] is None else _within_L(problem, keywords["mu0"], "mu0")


def _within_L(problem: Problem, value: Given, name: str) -> float:
    allowed = f"a number in (0, L] with L = {problem.L:g}"
    number = real_number(value, name, allowed)
    if not 0 < number <= problem.L:
        raise ValueError(f"{name} = {shown(value)} is not allowed: give {allowed}.")
    return number


def _gamma(problem: Problem, keywords: dict[str, Any]) -> float:
    gamma = real_number(keywords["gamma"], "gamma", "a number > 0")
    if gamma <= 0:
        raise ValueError(
            f"gamma = {shown(keywords['gamma'])} is not allowed: give a number > 0 (1 to 5 is usual)."
        )
    return gamma


def _schedule_constant(problem: Problem, keywords: dict[str, Any]) -> float:
    if keywords["C"] is None:
        raise ValueError("estimator 'schedule' needs C=, the constant of mu + C/(k+2)^2; give a number >= 0.")
    C = real_number(keywords["C"], "C", "a number >= 0")
    if C < 0:
        raise ValueError(f"C = {shown(keywords['C'])} is not allowed: give a number >= 0.")
    return C


def _window(problem: Problem, keywords: dict[str, Any]) -> int:
    if keywords["window"] is None:
        raise ValueError(
            "estimator 'window' needs window=, how many estimates to look back; give a whole number >= 1."
        )
    return whole_number(keywords["window"], "window", 1, 1_000_000)


def _plain(f_star: Given) -> float | str | None:
    return f_star if f_star is None or isinstance(f_star, str) else float(f_star)


CHECKS: dict[str, Callable[[Problem, dict[str, Any]], float]] = {
    "mu": _mu,
    "mu0": _mu0,
    "gamma": _gamma,
    "C": _schedule_constant,
    "window": _window,
}


def _gap_seen(problem: Problem, f_star: Given) -> GapSeen:
    """How the method sees the gap: under the true f*, one that is given, or the best dual bound."""
    if f_star is None:
        return GapSeen(0.0, problem.grain)
    if isinstance(f_star, str) and f_star == "dual":
        return dual_gap(problem)
    return GapSeen(
        problem.f_star - real_number(f_star, "f_star", "a finite number, or 'dual'"), problem.grain
    )


def checked_problem(problem: object) -> Problem:
    """The problem itself, if it is one.

    Raises:
        ValueError: it is something else; the message says what to give.
    """
    if not isinstance(problem, Problem):
        raise ValueError(
            f"problem is of type {type(problem).__name__}: give a Problem, for instance "
            "polyak_core.least_squares(A, b), quadratic(eigenvalues) or paper_problem('sonar', 'lasso')."
        )
    return problem
