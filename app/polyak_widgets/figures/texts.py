"""What plain figures say in words."""

from __future__ import annotations


def estimator_words(what: str) -> str:
    """What μₖ is, where the rule is not one of the page's."""
    return f"μₖ is {what}"
