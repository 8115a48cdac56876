"""Everything that a person can choose, with its bounds, unit, label and help."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import polyak_core as pc
from polyak_core.arrays import one_of, real_number, whole_number

from .look import in_page_order
from .numbers import number_text

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


@dataclass(frozen=True)
class Bounds:
    """What is allowed, and the part of it that a slider spans."""

    low: float
    high: float
    slider_low: float
    slider_high: float
    scale: str = "log"
    whole: bool = False
    above_low: bool = False

    @property
    def words(self) -> str:
        """The allowed range, for messages."""
        kind = "a whole number" if self.whole else "a number"
        start = "above" if self.above_low else "from"
        return f"{kind} {start} {number_text(self.low)} to {number_text(self.high)}"


class SettingsError(ValueError):
    """A value that is not allowed; `name` says which field it was for."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def _choice(default: str, options: Mapping[str, str], label: str, help: str) -> Any:
    return field(
        default=default, metadata={"kind": "choice", "options": options, "label": label, "help": help}
    )


def _slider(default: float, bounds: Bounds, label: str, help: str, unit: str = "") -> Any:
    return field(
        default=default,
        metadata={"kind": "slider", "bounds": bounds, "label": label, "help": help, "unit": unit},
    )


@dataclass(frozen=True)
class Settings:
    """One state of the page; the defaults are its first picture.

    Raises:
        SettingsError: a value that is not allowed.
    """

    problem: str = _choice(
        "quadratic",
        PROBLEMS,
        "Problem",
        "What is minimised. A quadratic shows its spectrum bare; the others are the paper's.",
    )
    spectrum: str = _choice("log", SPECTRA, "Spectrum", "How the eigenvalues lie between μ = L/κ and L = 1.")
    eigenvalues: str = field(
        default="1, 0.1, 0.01, 0.001",
        metadata={
            "kind": "text",
            "label": "Eigenvalues",
            "help": "Your own list, none negative, split by commas or spaces. L is the largest.",
        },
    )
    condition_number: float = _slider(
        1e4,
        Bounds(1, 1e12, 1, 1e8),
        "Condition number L/μ",
        "κ = L/μ. Momentum needs about √κ iterations, no momentum κ.",
    )
    mu0: float = _slider(
        0.5,
        Bounds(0, 1, 1e-8, 1, above_low=True),
        "μ₀ / L",
        "AdaptAPG's first upper bound on μ, as a part of L. The paper takes ½ and says it has no impact.",
    )
    gamma: float = _slider(
        2.0,
        Bounds(0, 100, 0.1, 20, above_low=True),
        "Restart γ",
        "Restart whenever the gap has shrunk by e^−γ since the last restart.",
    )
    iterations: int = _slider(
        1500, Bounds(1, 100_000, 50, 20_000, whole=True), "Iterations", "Each run stops there."
    )
    methods: tuple[str, ...] = field(
        default=("apg", "adapt_apg_v2", "adapt_apg", "restart", "fista", "pgd"),
        metadata={"kind": "methods", "label": "Methods", "help": "Which curves are drawn."},
    )
    n: int = _slider(
        100, Bounds(1, MOST_EIGENVALUES, 2, 1000, whole=True), "Dimension n", "How many eigenvalues."
    )
    seed: int = _slider(
        0,
        Bounds(0, 2**31 - 1, 0, 100, scale="linear", whole=True),
        "Start (seed)",
        "0 starts at (1, …, 1); any other seed draws a Gaussian start.",
    )
    estimator: str = _choice(
        "polyak",
        ESTIMATORS,
        "Estimate of μ",
        "Polyak: ‖g‖²/(2(f − f*)) at y. Certified: after a step, never below μ. Model: by the model.",
    )

    def __post_init__(self) -> None:
        for each in fields(self):
            try:
                object.__setattr__(
                    self, each.name, _checked(each.name, each.metadata, getattr(self, each.name))
                )
            except SettingsError:
                raise
            except ValueError as error:
                raise SettingsError(each.name, str(error)) from None
        if self.problem == "quadratic" and self.spectrum == "own":
            parse_eigenvalues(self.eigenvalues)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from a plain dictionary.

        Raises:
            SettingsError: a name that is no setting, or a value that is not allowed.
        """
        unknown = sorted(set(values) - {each.name for each in fields(cls)})
        if unknown:
            raise SettingsError(unknown[0], f"{unknown[0]!r} is no setting of this page; leave it out.")
        return cls(**values)

    def values(self) -> dict[str, Any]:
        """A plain dictionary, as `from_values` takes it."""
        return {each.name: getattr(self, each.name) for each in fields(self)} | {
            "methods": list(self.methods)
        }


def _checked(name: str, metadata: Mapping[str, Any], value: Any) -> Any:
    """The value in its own type, or a ValueError in words."""
    label = metadata["label"]
    if metadata["kind"] == "choice":
        return one_of(value, label, tuple(metadata["options"]))
    if metadata["kind"] == "methods":
        return _methods(value)
    if metadata["kind"] == "text":
        if not isinstance(value, str) or len(value) > 20 * MOST_EIGENVALUES:
            raise ValueError(f"{label} must be a text of at most {20 * MOST_EIGENVALUES} letters.")
        return value
    bounds: Bounds = metadata["bounds"]
    if bounds.whole:
        return whole_number(value, label, int(bounds.low), int(bounds.high))
    number = real_number(value, label, bounds.words)
    if not bounds.low <= number <= bounds.high or (bounds.above_low and number == bounds.low):
        raise ValueError(f"{label} = {value!r} is not allowed: give {bounds.words}.")
    return number


def _methods(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"Methods = {value!r} must be a list of names out of {', '.join(pc.METHODS)}.")
    if not value:
        raise ValueError("No method is chosen, so there is nothing to draw: choose at least one.")
    return tuple(in_page_order({one_of(name, "method", tuple(pc.METHODS)): None for name in value}))


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
