"""How a picture is shown: everything a reader may switch without a new run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any, Self

from polyak_core.checks import one_of, shown
from polyak_widgets.settings.fields import Checked, choice, names, switch, text
from polyak_widgets.settings.units import UNITS

CLOSER_LOOKS = {
    "sensitivity": "sensitivity",
    "momentum": "momentum",
    "components": "error by direction",
    "path": "path",
    "estimates": "six estimates of μ",
    "band": "20 runs as a band",
}
TELLING = ("sensitivity", "estimates", "band")
"""Those that run what is not drawn, and so may tell the answer of an open question."""
SWEPT = {"gamma": "γ", "mu0": "μ₀", "condition_number": "κ"}
SPREADS = {"starts": "start x₀", "gamma": "γ", "mu0": "μ₀"}
"""In what the runs of a band differ."""
PLANES = {"tenfold": "slowest and 10 × as fast", "slow": "two slowest", "ends": "slowest and fastest"}
"""The first shows most: with the two slowest, all paths look like one line."""
ALONG = {"lead": "method with μₖ", "fista": "FISTA", "pgd": "proximal gradient"}
"""Runs along which estimates are made; the first is the one that leads the headline."""
ESTIMATES = {
    "own": "μₖ of methods",
    "six": "all six",
    "polyak": "paper’s quotient",
    "certified": "certified",
    "decrease": "decrease of the model",
    "curvature": "least curvature",
    "growth": "growth between restarts",
    "local": "half the curvature just met",
}
"""What the second panel shows: what methods make of μ, six rules along one run, or one along all."""
Y_AXES = {
    "gap": "gap",
    "distance": "distance to x*",
    "gradient": "norm of g_L",
    "ratio": "ratio of gaps",
}
SCALES = ("gap-x", "gap-y", "mu-x", "mu-y")
"""The axes that can be logarithmic or linear: a panel and one of its two."""
OF_AXES = ("x", "y", "beside", "all_runs", "bounds", "line", "differences", "estimates", "other_scales")
"""What a reader has chosen about the axes and what is drawn along them; the button Reset takes it back."""


def switched_axes(value: Any) -> tuple[str, ...]:
    """Names out of `SCALES`, each once and in their order, or a ValueError in words."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"other_scales = {shown(value)} must be a list of names out of {', '.join(SCALES)}.")
    axes = {one_of(name, "other_scales", SCALES) for name in value}
    return tuple(name for name in SCALES if name in axes)


@dataclass(frozen=True, repr=False)
class View(Checked):
    """How a picture is shown; the defaults are those of the first one.

    Raises:
        SettingsError: a value that is not allowed.

    >>> from polyak_widgets import View
    >>> View("gradients", bounds=True)
    View(x='gradients', bounds=True)
    """

    x: str = choice(
        "iterations",
        {name: unit.label for name, unit in UNITS.items()},
        "x axis",
        "Gradient calls are the unit that does not depend on the implementation.",
    )
    _: KW_ONLY
    y: str = choice("gap", Y_AXES, "y axis", "What the first panel shows of each run.")
    beside: str = text(
        "",
        100,
        "Ratio to",
        "The method whose gap the others are divided by; if empty, the first drawn.",
    )
    estimates: str = choice("own", ESTIMATES, "Estimates", "Which estimates of μ the second panel shows.")
    third: str = choice(
        "sensitivity", CLOSER_LOOKS, "Closer look", "What the panel below the first two shows."
    )
    swept: str = choice("gamma", SWEPT, "Sensitivity to", "Which parameter the closer look varies.")
    plane: str = choice("tenfold", PLANES, "Plane of the path", "Which two eigen-directions span it.")
    along: str = choice("lead", ALONG, "Run of the estimates", "Along which run six rules estimate μ.")
    spread: str = choice("starts", SPREADS, "Band over", "In what the 20 runs of each method differ.")
    all_runs: bool = switch(False, "All methods", "Draws all chosen methods, even more than eight.")
    bounds: bool = switch(False, "Bounds and rates", "Draws what the theorems promise, as thin lines.")
    line: str = text("", 60, "Line", "A rate such as 0.5 * 0.99^k or 10/k^2, drawn with the bounds.")
    differences: bool = switch(False, "μₖ − μ", "Draws differences, with the envelope C/(k+1)².")
    other_scales: tuple[str, ...] = names(
        (),
        switched_axes,
        "Other scales",
        "Axes that are linear where they are logarithmic at first, or the other way round.",
    )
    present: bool = switch(False, "Present", "For a projector: larger text, thicker lines, controls folded.")

    def without(self, names: Iterable[str]) -> Self:
        """The same with these at their defaults."""
        defaults: dict[str, Any] = {each.name: each.default for each in fields(self) if each.name in names}
        return replace(self, **defaults)


FIRST_VIEW = View()
"""How a picture is shown before a reader switches anything."""
