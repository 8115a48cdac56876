"""The values of a slider that are worth a click."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polyak_core as pc
from polyak_widgets.laboratory.weights import largest_lam
from polyak_widgets.numbers import count_text
from polyak_widgets.session.texts import NO_TARGET, THE_PAPERS, USUAL_WEIGHT
from polyak_widgets.settings.choices import ON_DATA
from polyak_widgets.settings.presets import usual_lam
from polyak_widgets.settings.settings import Settings

Landmarks = Sequence[Sequence[Any]]
"""Pairs of a value and its name."""
AllLandmarks = Mapping[str, Landmarks]
"""Those that are known by now, by the name of the setting."""


def landmarks(name: str, settings: Settings, problem: pc.Problem) -> list[list[Any]]:
    """Values of a slider worth a click, the most important first."""
    if name == "mu0":
        return [[0.5, "L/2"]] + ([[problem.mu / problem.L, "μ"]] if 0 < problem.mu < problem.L else [])
    if name == "lam" and settings.data == "own" and settings.problem in ON_DATA:
        return []
    if name == "lam":
        largest = largest_lam(problem)
        whose = THE_PAPERS if is_the_papers(settings) else USUAL_WEIGHT
        marks: list[list[Any]] = [[usual_lam(settings.problem, settings.data), whose]]
        if largest is not None:  # with room for one name, that which explains the picture
            marks.insert(0 if settings.lam >= largest else 1, [largest, "λ_max"])
        return marks
    fixed: dict[str, list[list[Any]]] = {
        "condition_number": [[1.0, "1"], [1e4, "10⁴"], [1e8, "10⁸"]],
        "C": [[1.0, THE_PAPERS]],
        "width": [[0.5, "½"], [1.0, "1"]],
        "n": [[k, count_text(k)] for k in (2, 100, 1000)],
        "rows": [[k, count_text(k)] for k in (50, 200, 1000)],
        "seed": [[0, "0"]],
        "gamma": [[1.0, "1"], [2.0, "2"], [5.0, "5"]],
        "iterations": [[k, count_text(k)] for k in (500, 1500, 10_000)],
        "target": [[0.0, NO_TARGET], [1e-10, "10⁻¹⁰"], [1e-3, "10⁻³"], [1e-6, "10⁻⁶"]],
        "f_star_delta": [[1e-6, "10⁻⁶"], [1e-10, "10⁻¹⁰"], [1e-3, "10⁻³"]],
        "L_factor": [[1.0, "L"], [0.5, "L/2"], [2.0, "2L"]],
        "mu_factor": [[1.0, "μ"], [0.1, "μ/10"], [10.0, "10μ"]],
    }
    return fixed.get(name, [])


def is_the_papers(settings: Settings) -> bool:
    """Whether the usual weight is one of the paper."""
    return settings.problem == "matrix_completion" or settings.data != "synthetic"
