"""Everything that a person can choose, with its bounds, unit, label and help."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any

import polyak_core as pc
from polyak_core.checks import of_kind, one_of, several, shown
from polyak_widgets.look import in_page_order
from polyak_widgets.numbers import count_text
from polyak_widgets.settings import choices
from polyak_widgets.settings.choices import ESTIMATORS, PROBLEMS
from polyak_widgets.settings.fields import Bounds, Checked, SettingsError, choice, names, slider, text
from polyak_widgets.settings.presets import usual_lam
from polyak_widgets.settings.spectrum import MOST_EIGENVALUES, parse_eigenvalues

__all__ = ["ESTIMATORS", "PROBLEMS", "Settings", "SettingsError", "chosen_methods", "parse_eigenvalues"]
COLUMNS = {
    "label": re.compile(r"(\d{1,4})?", re.ASCII),
    "leave_out": re.compile(r"(\d{1,4}(,\d{1,4})*)?", re.ASCII),
}
"""How columns of a table are named."""
NUMBERED = "give numbers of columns, counted from 0, separated by commas."
MOST_METHODS = 1000
LONGEST_NAME = 200
MOST_NUMBERS = 2_000_000
"""Rows times columns of synthetic data: more would keep the page waiting for seconds."""


def chosen_methods(value: Any) -> tuple[str, ...]:
    """Names of methods, each once and in the order of the page, or a ValueError in words."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"Methods = {shown(value)} must be a list of names out of {', '.join(pc.METHODS)}.")
    if not value:
        raise ValueError("No method is chosen, so there is nothing to draw: choose at least one.")
    if len(value) > MOST_METHODS:
        raise ValueError(f"{len(value)} methods are more than there are: name each once.")
    methods = [str(name)[:LONGEST_NAME] for name in value]
    return tuple(in_page_order({one_of(name, "method", tuple(pc.METHODS)): None for name in methods}))


@dataclass(frozen=True, repr=False)
class Settings(Checked):
    """One state of the page; the defaults are its first picture.

    `lam` is, unless it is given, what the paper takes for the problem and the data.

    Raises:
        SettingsError: a value that is not allowed.

    >>> from polyak_widgets import Settings
    >>> settings = Settings(condition_number=1e6, methods=("apg", "fista"))
    >>> settings.condition_number, settings.problem
    (1000000.0, 'quadratic')
    """

    problem: str = choice(
        "quadratic",
        PROBLEMS,
        "Problem",
        "What is minimised on these data. Start from leads to problems without data.",
    )
    _: KW_ONLY
    data: str = choice(
        "sonar",
        choices.DATA,
        "Data set",
        "Rows × features. The first three are the paper’s; Madelon is fetched when it is first used.",
    )
    own: str = text(
        "",
        64,
        "Fingerprint of your file",
        "The sha256 of its bytes, which says which of the uploaded files is meant.",
    )
    label: str = text(
        "",
        4,
        "Column of the labels",
        "Its number in your table, counted from 0. Empty: the last one.",
    )
    leave_out: str = text(
        "",
        1000,
        "Columns left out",
        "Their numbers in your table, counted from 0, separated by commas.",
    )
    scaling: str = choice(
        "center",
        choices.SCALINGS,
        "Features",
        "How features are preprocessed. The paper’s λ assume centred features.",
    )
    lam: float = slider(
        None,
        Bounds(0, 1e9, 1e-6, 1e4),
        "Weight λ",
        "Logistic: λ‖x‖², so μ = 2λ. LASSO: λ‖x‖₁. Matrix completion: λ times the sum of singular values.",
    )
    C: float = slider(
        1.0,
        Bounds(0, 1e9, 1e-3, 1e3, above_low=True),
        "Weight C",
        "min Σ hinge + ‖w‖²/C; the dual is (C/4) αᵀQα − 1ᵀα with 0 ≤ α ≤ 1.",
    )
    svm_loss: str = choice(
        "hinge",
        choices.SVM_LOSSES,
        "Loss",
        "Hinge: 0 ≤ α ≤ 1. Squared hinge: adds (1/C)‖α‖² and needs only α ≥ 0, so μ ≥ 2/C.",
    )
    kernel: str = choice(
        "linear",
        choices.KERNELS,
        "Kernel",
        "Qᵢⱼ = yᵢ yⱼ K(aᵢ, aⱼ) with K = aᵢᵀaⱼ, or K = exp(−‖aᵢ − aⱼ‖²/(2w²)).",
    )
    width: float = slider(
        0.5,
        Bounds(0, 1e3, 0.05, 5, above_low=True),
        "Kernel width w",
        "Relative to the typical distance of two rows, the root of the mean of ‖aᵢ − aⱼ‖².",
        unit="× distance",
    )
    spectrum: str = choice(
        "log",
        choices.SPECTRA,
        "Spectrum",
        "How the eigenvalues lie from L/κ to L. For data these are the eigenvalues of AᵀA; with rows "
        "≤ n some are 0.",
    )
    eigenvalues: str = text(
        "1, 0.1, 0.01, 0.001",
        20 * MOST_EIGENVALUES,
        "Eigenvalues",
        "A list of your own, none negative, separated by commas, spaces, or semicolons (1; 0,5). L is "
        "the largest.",
    )
    condition_number: float = slider(
        1e4,
        Bounds(1, 1e12, 1, 1e8),
        "Condition number L/μ",
        "For each factor e gradient descent needs at most about κ iterations, acceleration at most about √κ; "
        "on a quadratic half of that, because the gap is a square.",
    )
    n: int = slider(
        100,
        Bounds(1, MOST_EIGENVALUES, 2, 1000, whole=True),
        "Dimension n",
        "The number of unknowns: eigenvalues of a quadratic, features of synthetic data.",
    )
    rows: int = slider(
        200,
        Bounds(2, 100_000, 10, 2000, whole=True),
        "Rows",
        "The number m of observations of synthetic data. With m ≤ n, μ of least squares is 0.",
    )
    seed: int = slider(
        0,
        Bounds(0, 2**31 - 1, 0, 100, scale="linear", whole=True),
        "Seed",
        "Random starts and synthetic data follow from it: the same seed gives the same numbers.",
    )
    start: str = choice(
        "default",
        choices.STARTS,
        "Start x₀",
        "Usual: ones for a quadratic, else zeros. Without the slowest direction v: x₀ − v vᵀ(x₀ − x*).",
    )
    mu0: float = slider(
        0.5,
        Bounds(0, 1, 1e-8, 1, above_low=True),
        "μ₀ / L",
        "The first upper bound on μ that AdaptAPG uses. The paper takes L/2 and says: “no impact in "
        "practice”.",
    )
    gamma: float = slider(
        2.0,
        Bounds(0, 100, 0.1, 20, above_low=True),
        "Restart γ",
        "The method restarts when the gap first falls to each of the levels e^(−γj) of the initial gap.",
    )
    estimator: str = choice(
        "polyak",
        ESTIMATORS,
        "Estimate of μ",
        "Polyak: the paper’s, at yₖ. Certified: uses f after one step; never below μ. "
        "Model: the same with the quadratic model of a step; never below μ.",
    )
    iterations: int = slider(
        1500,
        Bounds(1, 100_000, 50, 20_000, whole=True),
        "Iterations",
        "How many steps each method takes at most.",
    )
    target: float = slider(
        0.0,
        Bounds(0, 1, 1e-14, 1, zero=True),
        "Target",
        "A run ends as soon as its gap is at most this multiple of the initial gap. 0: no target.",
        unit="× initial gap",
    )
    methods: tuple[str, ...] = names(
        ("apg", "adapt_apg_v2", "adapt_apg", "restart", "fista", "pgd"),
        chosen_methods,
        "Methods",
        "Which curves are drawn. The “?” beside a name says what the method does.",
    )
    f_star: str = choice(
        "exact",
        choices.F_STARS,
        "f* that is given",
        "The f* that is given to methods that need it. The curves always show the gap to the true, "
        "certified f*.",
    )
    f_star_delta: float = slider(
        1e-6,
        Bounds(0, 1e3, 1e-14, 1, above_low=True),
        "f* off by δ",
        "The given f* is off by δ times the initial gap f(x₀) − f*.",
        unit="× initial gap",
    )
    guard: str = choice(
        "usual",
        choices.GUARDS,
        "Who refuses a negative gap",
        "Once f is below an f* that is too high, the gap that a method computes is negative. With a guard "
        "it is not used; as printed no method has one.",
    )
    L_factor: float = slider(
        1.0,
        Bounds(0, 1e6, 0.1, 10, above_low=True),
        "L given / true L",
        "Step sizes are 1/L. Too large an L is slow. Below ¾ of the true L accelerated methods may diverge, "
        "below ½ gradient descent too.",
        unit="×",
    )
    mu_factor: float = slider(
        1.0,
        Bounds(0, 1e9, 1e-2, 1e2, above_low=True),
        "μ given / true μ",
        "The μ that is given to APG, which computes its momentum β from it; at most L.",
        unit="×",
    )

    def __post_init__(self) -> None:
        """Judge each value, then what they say together."""
        lam: Any = self.lam
        if lam is None:
            object.__setattr__(self, "lam", usual_lam(self.problem, self.data))
        super().__post_init__()
        if not re.fullmatch("([0-9a-f]{64})?", self.own):
            raise SettingsError(
                "own", f"own = {self.own!r} is not a sha256: leave it out, and upload the file."
            )
        for name in ("label", "leave_out"):
            if not COLUMNS[name].fullmatch(getattr(self, name)):
                raise SettingsError(name, f"{name} = {getattr(self, name)!r:.60} is not allowed: {NUMBERED}")
        synthetic = self.problem in choices.ON_DATA and self.data == "synthetic"
        if self.spectrum == "own" and (self.problem == "quadratic" or synthetic):
            size = len(parse_eigenvalues(self.eigenvalues))
        else:
            size = self.n
        if synthetic and size * self.rows > MOST_NUMBERS:
            raise SettingsError(
                "rows",
                f"{count_text(self.rows)} rows of {count_text(size)} features are more than the "
                f"{count_text(MOST_NUMBERS)} numbers that this page generates: take fewer rows or fewer "
                "features.",
            )


FIELDS = {each.name: each for each in fields(Settings)}
"""What can be chosen, by name; its metadata say how."""


def given_settings(value: object) -> Settings:
    """What was given as settings, the defaults for None.

    Raises:
        ValueError: it is something else, a problem for instance; the message says what to give.
    """
    if value is None:
        return Settings()
    return of_kind(value, Settings, "settings", "give Settings(...), or draw a problem with compare(...)")


def fields_alone(names: Sequence[str]) -> tuple[str, ...]:
    """The names of a rail that has these fields alone.

    Raises:
        ValueError: none, or one that is no setting.
    """
    entries = several(names, "controls", f"names of settings out of {', '.join(FIELDS)}")
    if not entries:
        raise ValueError("controls is empty: give names of settings, such as ('gamma', 'mu0').")
    return tuple(one_of(name, "control", tuple(FIELDS)) for name in entries)
