"""Everything that a person can choose, with its bounds, unit, label and help."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polyak_core as pc
from polyak_core.arrays import one_of

from .fields import Bounds, Checked, SettingsError, choice, names, slider, text
from .look import in_page_order

PROBLEMS = {
    "quadratic": "Quadratic",
    "sonar least_squares": "Sonar, least squares",
    "sonar logistic": "Sonar, logistic",
    "sonar lasso": "Sonar, LASSO",
    "sonar svm_dual": "Sonar, SVM dual",
    "musk least_squares": "Musk, least squares",
    "musk logistic": "Musk, logistic",
    "musk lasso": "Musk, LASSO",
    "musk svm_dual": "Musk, SVM dual",
    "matrix_completion": "Matrix completion, 30 × 30",
}
"""Names are `polyak_core.paper_problem`'s words, but for the first."""
SPECTRA = {
    "log": "log-spaced",
    "linear": "evenly spaced",
    "clusters": "two clusters",
    "outlier": "one outlier",
    "own": "own list",
}
ESTIMATORS = {"polyak": "Polyak, the paper's", "certified": "certified", "model": "model"}
MOST_EIGENVALUES = 10_000


def chosen_methods(value: Any) -> tuple[str, ...]:
    """Names of methods, each once and in the order of the page, or a ValueError in words."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"Methods = {value!r} must be a list of names out of {', '.join(pc.METHODS)}.")
    if not value:
        raise ValueError("No method is chosen, so there is nothing to draw: choose at least one.")
    return tuple(in_page_order({one_of(name, "method", tuple(pc.METHODS)): None for name in value}))


@dataclass(frozen=True)
class Settings(Checked):
    """One state of the page; the defaults are its first picture.

    Raises:
        SettingsError: a value that is not allowed.
    """

    problem: str = choice(
        "quadratic",
        PROBLEMS,
        "Problem",
        "What is minimised. A quadratic shows its spectrum bare; the others are the paper's.",
    )
    spectrum: str = choice("log", SPECTRA, "Spectrum", "How the eigenvalues lie between μ = L/κ and L = 1.")
    eigenvalues: str = text(
        "1, 0.1, 0.01, 0.001",
        20 * MOST_EIGENVALUES,
        "Eigenvalues",
        "Your own list, none negative, split by commas or spaces. L is the largest.",
    )
    condition_number: float = slider(
        1e4,
        Bounds(1, 1e12, 1, 1e8),
        "Condition number L/μ",
        "κ = L/μ. Momentum needs about √κ iterations, no momentum κ.",
    )
    mu0: float = slider(
        0.5,
        Bounds(0, 1, 1e-8, 1, above_low=True),
        "μ₀ / L",
        "AdaptAPG's first upper bound on μ, as a part of L. The paper takes ½ and says it has no impact.",
    )
    gamma: float = slider(
        2.0,
        Bounds(0, 100, 0.1, 20, above_low=True),
        "Restart γ",
        "Restart whenever the gap has shrunk by e^−γ since the last restart.",
    )
    iterations: int = slider(
        1500, Bounds(1, 100_000, 50, 20_000, whole=True), "Iterations", "Each run stops there."
    )
    methods: tuple[str, ...] = names(
        ("apg", "adapt_apg_v2", "adapt_apg", "restart", "fista", "pgd"),
        chosen_methods,
        "Methods",
        "Which curves are drawn.",
    )
    n: int = slider(
        100, Bounds(1, MOST_EIGENVALUES, 2, 1000, whole=True), "Dimension n", "How many eigenvalues."
    )
    seed: int = slider(
        0,
        Bounds(0, 2**31 - 1, 0, 100, scale="linear", whole=True),
        "Start (seed)",
        "0 starts at (1, …, 1); any other seed draws a Gaussian start.",
    )
    estimator: str = choice(
        "polyak",
        ESTIMATORS,
        "Estimate of μ",
        "Polyak: ‖g‖²/(2(f − f*)) at y. Certified: after a step, never below μ. Model: by the model.",
    )

    def __post_init__(self) -> None:
        """Judge each value, then what they say together."""
        super().__post_init__()
        if self.problem == "quadratic" and self.spectrum == "own":
            parse_eigenvalues(self.eigenvalues)


def parse_eigenvalues(text: str) -> list[float]:
    """The numbers of an own spectrum.

    Raises:
        SettingsError: nothing given, too many, not a number, negative, or all zero.
    """
    words = text.replace(",", " ").replace(";", " ").split()
    if not words:
        raise SettingsError(
            "eigenvalues", "The list of eigenvalues is empty: give at least one, like 1, 0.1, 0.01."
        )
    if len(words) > MOST_EIGENVALUES:
        raise SettingsError(
            "eigenvalues",
            f"{len(words)} eigenvalues are more than the {MOST_EIGENVALUES} that this page draws.",
        )
    values = [_eigenvalue(word) for word in words]
    if max(values) == 0:
        raise SettingsError("eigenvalues", "All eigenvalues are 0: f is constant; give at least one above 0.")
    return values


def _eigenvalue(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise SettingsError(
            "eigenvalues", f"{word[:40]!r} is no eigenvalue here: give finite numbers, none negative."
        )
    return number
