"""The paper's problems by name, and the weight lam that goes with each problem and data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polyak_core.catalog import PAPER_WEIGHTS

COMPLETION_LAM = 0.01
FIRST_LAM = 1.0
"""Where there is no weight, or no usual one."""
USUAL_LAM: Mapping[tuple[str, str], float] = {
    **{
        (loss, data): PAPER_WEIGHTS[loss][data]
        for loss in ("logistic", "lasso")
        for data in PAPER_WEIGHTS[loss]
    },
    ("logistic", "synthetic"): 0.01,
    ("lasso", "synthetic"): 5.0,
}
"""For the data of the paper, its table 1."""


def usual_lam(problem: Any, data: Any) -> float:
    """The weight of a problem before anybody has chosen one.

    >>> usual_lam("logistic", "musk"), usual_lam("quadratic", "sonar")
    (100.0, 1.0)
    """
    if problem == "matrix_completion":
        return COMPLETION_LAM
    known = isinstance(problem, str) and isinstance(data, str)
    return USUAL_LAM.get((problem, data), FIRST_LAM) if known else FIRST_LAM
