"""Colours and dashes of every curve, and the font: the one place for them, the same in every view.

They can be told apart also by people with a colour vision deficiency, and stand out from the light and the
dark ground; the test of this file measures both. What colour does not tell, dash and marker do. "ink" is the
foreground of the theme.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
"""As CSS has it; style sheets, which are read without Python, name the same."""


class Look(NamedTuple):
    """How a curve is drawn; markers tell solid lines apart where there is no colour."""

    colour: str
    dash: str = "solid"
    width: float = 2.0
    marker: str = ""


METHOD_LOOKS = {
    "apg": Look("ink"),
    "adapt_apg_v2": Look("#CA550C", width=2.5, marker="triangle-up"),
    "adapt_apg": Look("#0074B7", width=2.5, marker="square"),
    "adapt_apg_free": Look("#B277C0", marker="diamond"),
    "restart": Look("#C58501", "dashdot"),
    "fista": Look("#2E99EC", "dash"),
    "pgd": Look("#787887", "dot"),
    "nag_free": Look("#5D3FD9", marker="circle"),
    "restart_function": Look("#7C4D09", "dash", marker="triangle-down"),
    "restart_gradient": Look("#AF0977", "dashdot", marker="diamond"),
    "fista_printed": Look("#147147", "dot", marker="square"),
    "cg": Look("#454B47", "dash", marker="circle"),
    "item": Look("#294A91", "dashdot", marker="square"),
    "tmm": Look("#7070DE", "dash", marker="square"),
    "silver_mu": Look("#B24660", "dot", marker="diamond"),
    "heavy_ball_polyak": Look("#8101FF", "dashdot", marker="triangle-up"),
    "auto_restart": Look("#CF23BA", "dash", marker="diamond"),
    "silver": Look("#F46358", "dot", marker="triangle-down"),
    "adgd_accel": Look("#8E1AB9", "dashdot", marker="circle"),
    "ac_fgm": Look("#FE2E95", "dot", marker="circle"),
}
ESTIMATING = ("adapt_apg_v2", "adapt_apg", "adapt_apg_free", "nag_free", "auto_restart", "adgd_accel")
"""Methods that estimate mu; the first that is drawn leads the sentence and the panel of estimates."""
WITHOUT_BOUND = ("adgd_accel",)
"""Those among them whose mu_k is no bound on mu."""
ESTIMATE_LOOKS = {
    "polyak": METHOD_LOOKS["adapt_apg_v2"],
    "certified": METHOD_LOOKS["adapt_apg_free"],
    "decrease": Look("#147147", "dot", marker="square"),
    "curvature": METHOD_LOOKS["nag_free"],
    "growth": METHOD_LOOKS["auto_restart"],
    "local": Look(METHOD_LOOKS["adgd_accel"].colour, width=1.0),
}
"""Six estimates of mu: each as the method that makes it; no method makes the third."""
OWN_METHOD = Look("#A24BFF", marker="cross")
TRUE_MU = Look("ink", width=3.5)
MU_LOC = Look("#0F9E65", "dash")
START = Look("#7F7F7F", "dot", 1.5)
CONTOUR = Look("#7F7F7F", width=1.0)
F_STAR_ERROR = Look("#7F7F7F", "dash", 1.0)


def in_page_order(methods: Collection[str]) -> list[str]:
    """The same order everywhere: that of `METHOD_LOOKS`, then people's own methods."""
    return [m for m in METHOD_LOOKS if m in methods] + [m for m in methods if m not in METHOD_LOOKS]


def method_look(method: str) -> Look:
    """The look of a method; those that people add themselves share one."""
    return METHOD_LOOKS.get(method, OWN_METHOD)


def pinned_look(method: str, letter: str = "", is_grey: bool = False) -> Look:
    """The look of a pinned run: hue and dash of its method, thinner, with the letter of its pin on it.

    Its curves are faint, so that they are paler than the present ones; the picture before an answer is grey.
    """
    look = method_look(method)
    return Look(START.colour if is_grey else look.colour, look.dash, 1.75, letter)
