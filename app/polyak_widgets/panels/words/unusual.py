"""What a picture is made with, in words: its problem, and what is not as usual, one list for every place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import polyak_core as pc
from polyak_core.methods.registry import method_named
from polyak_widgets.laboratory.problems import GUARDED_BY, acts, f_star_in_use, fields_in_use, start_in_use
from polyak_widgets.numbers import count_text, iterations_text, multiple_text, number_text
from polyak_widgets.settings.choices import (
    DATA,
    ESTIMATORS,
    F_STARS,
    KERNELS,
    ON_DATA,
    PROBLEMS,
    SCALINGS,
    SPECTRA,
    STARTS,
    SVM_LOSSES,
    WITH_LAM,
    choice_name,
)
from polyak_widgets.settings.settings import FIELDS, Settings
from polyak_widgets.settings.spectrum import parse_eigenvalues

DIGITS = 3
"""As many as a slider sets."""
OPENING = "Unusual settings: "
APART = ("scaling", "start", "seed", "estimator", "mu0", "target", "f_star", "guard", "L_factor", "mu_factor")
"""Fields that the name of a problem does not tell, in the order in which they are said."""
SLOTS: Mapping[str, frozenset[str]] = {
    "mu0": frozenset({"mu0"}),
    "gamma": frozenset({"gamma"}),
    "estimator": frozenset({"rule"}),
    "f_star": frozenset({"rule", "seen"}),
    "f_star_delta": frozenset({"rule", "seen"}),
    "guard": frozenset({"rule", "gamma"}),
    "mu_factor": frozenset({"mu"}),
}
"""What a method must take for a field to matter; any other field matters to all."""


class Change(NamedTuple):
    """A setting that is not as usual.

    Attributes:
        name: of its field.
        words: what it is now.
        back: the values that make it usual again.
    """

    name: str
    words: str
    back: Mapping[str, Any]


def unusual(settings: Settings, problem: pc.Problem, names: Iterable[str] = APART) -> list[Change]:
    """The changes among these fields that have a part in the picture."""
    return [
        Change(name, WORDS[name](settings), back(name))
        for name in names
        if name in WORDS
        and in_use(name, settings) != usual(name, settings)
        and matters(name, settings, problem)
    ]


def usual(name: str, settings: Settings) -> Any:
    """The value of a field that needs no words; a file of one's own has no usual scaling but its own."""
    if name == "scaling" and settings.data == "own":
        return settings.scaling
    return FIELDS[name].default


def back(name: str) -> dict[str, Any]:
    """The values that take a change back; the error of f* goes with it."""
    names = ("f_star", "f_star_delta", "guard") if name == "f_star" else (name,)
    return {each: FIELDS[each].default for each in names}


def in_use(name: str, settings: Settings) -> Any:
    """A setting as it acts: an option that is not for the problem does not."""
    acting = {"start": start_in_use, "f_star": f_star_in_use}
    return acting[name](settings) if name in acting else getattr(settings, name)


def takers(name: str, methods: Iterable[str]) -> list[str]:
    """The methods for which a field matters."""
    needed = SLOTS.get(name, frozenset())
    return [method for method in methods if not needed or needed & set(method_named(method).parameters)]


def matters(name: str, settings: Settings, problem: pc.Problem) -> bool:
    """Whether a field has a part in the picture."""
    if name == "mu_factor" and not problem.mu > 0:
        return False
    if not acts(name, settings):
        return False
    return bool(takers(name, settings.methods))


def f_star_words(settings: Settings) -> str:
    """The f* that methods are given, as a part of a name; nothing where it is the true one."""
    f_star = f_star_in_use(settings)
    if f_star == "exact":
        return ""
    delta = number_text(settings.f_star_delta, DIGITS)
    return "f* from the dual bound" if f_star == "dual" else f"f* {F_STARS[f_star]} by {delta}"


def _f_star(settings: Settings) -> str:
    if f_star_in_use(settings) == "dual":
        return "f* not given; the best dual bound takes its place"
    return f"{f_star_words(settings)} of the initial gap"


def guard_words(settings: Settings, method: str) -> str:
    """What a choice of guard makes of a method, as a part of its name; nothing where it is the usual one."""
    part = GUARDED_BY.get(settings.guard)
    if not acts("guard", settings) or part not in pc.METHODS[method].parameters:
        return ""
    return "guarded" if settings.guard == "all" else "as printed"


def mu0_words(settings: Settings) -> str:
    """The mu_0 that AdaptAPG is given."""
    return f"μ₀ = {multiple_text(settings.mu0, 'L')}"


WORDS: Mapping[str, Callable[[Settings], str]] = {
    "scaling": lambda s: f"features {SCALINGS[s.scaling]}",
    "spectrum": lambda s: SPECTRA[s.spectrum],
    "n": lambda s: f"n = {count_text(s.n)}",
    "rows": lambda s: f"{count_text(s.rows)} rows",
    "svm_loss": lambda s: SVM_LOSSES[s.svm_loss],
    "kernel": lambda s: f"{KERNELS[s.kernel]} kernel",
    "width": lambda s: f"w = {number_text(s.width, DIGITS)} × distance",
    "start": lambda s: {"gaussian": "random start"}.get(s.start, f"start {STARTS[s.start]}"),
    "seed": lambda s: f"seed {count_text(s.seed)}",
    "estimator": lambda s: f"{choice_name(ESTIMATORS[s.estimator]).lower()} estimate of μ",
    "mu0": mu0_words,
    "target": lambda s: f"target {number_text(s.target, DIGITS)} of the initial gap",
    "f_star": _f_star,
    "guard": lambda s: {"all": "restart refuses a negative gap too"}.get(s.guard, "no guard, as printed"),
    "L_factor": lambda s: f"L given = {multiple_text(s.L_factor, 'L')}",
    "mu_factor": lambda s: f"μ given = {multiple_text(s.mu_factor, 'μ')}",
}
"""What a field says of its value."""


def unusual_line(changes: Iterable[str]) -> str:
    """The words of all changes as one sentence, or nothing."""
    words = " · ".join(changes)
    return f"{OPENING}{words}." if words else ""


def problem_words(settings: Settings) -> str:
    """The problem in a few words, with the numbers that make it; κ of made-up data is that of their spectrum.

    >>> problem_words(Settings(condition_number=1e6)), problem_words(Settings(problem="lasso", lam=3.0))
    ('Quadratic, log-spaced, κ = 10⁶, n = 100', 'LASSO on Sonar, 208 × 60, λ = 3')
    """
    name = choice_name(PROBLEMS[settings.problem])
    kind, names = settings.problem, fields_in_use(settings)
    parts = [f"{name} on {_data_words(settings)}" if kind in ON_DATA else name]
    if "spectrum" in names and settings.spectrum == "own":
        parts.append("eigenvalues from your own list")
    elif "spectrum" in names:
        on_data = kind in ON_DATA
        spectrum = f"{'data spectrum ' if on_data else ''}{SPECTRA[settings.spectrum]}"
        parts += [spectrum, f"κ = {number_text(settings.condition_number, DIGITS)}"]
        parts += [] if on_data else [f"n = {count_text(settings.n)}"]
    if kind in WITH_LAM:
        parts.append(f"λ = {number_text(settings.lam, DIGITS)}")
    if kind == "svm_dual":
        parts += [f"C = {number_text(settings.C, DIGITS)}", SVM_LOSSES[settings.svm_loss]]
        if settings.kernel != "linear":
            parts.append(f"{KERNELS[settings.kernel]} kernel, {WORDS['width'](settings)}")
    return ", ".join(parts)


def _data_words(settings: Settings) -> str:
    if settings.data == "own":
        return f"your own file, features {SCALINGS[settings.scaling]}"
    if settings.data == "synthetic":
        own_list = settings.spectrum == "own"
        columns = len(parse_eigenvalues(settings.eigenvalues)) if own_list else settings.n
        return f"synthetic data, {count_text(settings.rows)} × {count_text(columns)}"
    return DATA[settings.data]


def run_words(settings: Settings) -> str:
    """The problem and how long the runs may be."""
    return f"{problem_words(settings)}; at most {iterations_text(settings.iterations)}."


def picture_words(settings: Settings, problem: pc.Problem) -> str:
    """All of it in two sentences, for what has no place of its own for the second."""
    return f"{run_words(settings)} {unusual_line(each.words for each in unusual(settings, problem))}".rstrip()


def title_words(settings: Settings, problem: pc.Problem) -> str:
    """The same, as short as the title of a window."""
    return "; ".join([problem_words(settings), *(each.words for each in unusual(settings, problem))])
