"""A rate that somebody has typed to compare curves with: C rho^k or C/k^p."""

from __future__ import annotations

import re

import numpy as np

from polyak_core.arrays import Array
from polyak_core.checks import shown
from polyak_widgets.look import Look
from polyak_widgets.numbers import number_text, typed_number

OWN_LINE = Look("#7F7F7F", "dash", 1.0)
GEOMETRIC = re.compile(r"(?:(?P<C>[^*·]+)[*·])?(?P<rho>[^*·^]+)\^k")
POLYNOMIAL = re.compile(r"(?P<C>[^/]+)/k(?:\^(?P<p>.+))?")


def typed_line(text: str, k: Array) -> tuple[str, Array]:
    """A rate that somebody has typed, C rho^k or C/k^p: its legend, and its values at k (NaN at k = 0).

    >>> typed_line("0.5 * 0.9^k", np.array([0.0, 1.0])), typed_line("10/k^2", np.array([2.0]))
    (('0.5 · 0.9ᵏ', array([0.5 , 0.45])), ('10/k^2', array([2.5])))

    Raises:
        ValueError: it is neither, or a number in it is none, or not above 0.
    """
    bare = re.sub(r"\s", "", text)
    try:
        if match := GEOMETRIC.fullmatch(bare):
            C, rho = _positive(match["C"]), _positive(match["rho"])
            legend = f"{number_text(rho, 4)}ᵏ"
            with np.errstate(over="ignore", under="ignore"):
                return (legend if C == 1 else f"{number_text(C, 4)} · {legend}"), C * rho**k
        if match := POLYNOMIAL.fullmatch(bare):
            C, p = _positive(match["C"]), _positive(match["p"])
            legend = f"{number_text(C, 4)}/k" + ("" if p == 1 else f"^{number_text(p, 4)}")
            with np.errstate(over="ignore", under="ignore"):
                return legend, C / np.where(k > 0, k, np.nan) ** p
    except ValueError as error:
        raise ValueError(f"line = {shown(text)} cannot be read: {error}.") from None
    raise ValueError(
        f"line = {shown(text)} cannot be read: give C*rho^k, as 0.5 * 0.99^k, or C/k^p, as 10/k^2."
    )


def _positive(text: str | None) -> float:
    """The number of a text, 1 where there is none."""
    number = typed_number(text) if text else 1.0
    if not number > 0:
        raise ValueError(f"“{text}” is not above 0")
    return number
