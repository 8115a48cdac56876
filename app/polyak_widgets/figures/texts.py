"""The axes of plain figures."""

from __future__ import annotations

from collections.abc import Mapping

Y_AXES: Mapping[str, str] = {
    "gap": "relative gap",
    "distance": "distance ‖xₖ − x*‖ / ‖x₀ − x*‖",
    "gradient": "norm of the gradient ‖g_L(yₖ)‖",
    "ratio": "gap, as a part of that of",
}


def estimator_words(what: str) -> str:
    """What μₖ is, where the rule is not one of the page's."""
    return f"μₖ is {what}"
