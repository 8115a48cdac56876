"""The paper's problems by name, and the weight lam that goes with each problem and data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from polyak_core.problems.catalog import PAPER_WEIGHTS
from polyak_widgets.laboratory.brought import OwnData

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
    **{
        ("matrix_completion", data): COMPLETION_LAM
        for data in ("sonar", "musk", "madelon", "synthetic", "own")
    },
}
"""For the data of the paper, its table 1."""


def usual_lam(problem: Any, data: Any) -> float:
    """The weight of a problem before anybody has chosen one.

    >>> usual_lam("logistic", "musk"), usual_lam("quadratic", "sonar")
    (100.0, 1.0)
    """
    known = isinstance(problem, str) and isinstance(data, str)
    return USUAL_LAM.get((problem, data), FIRST_LAM) if known else FIRST_LAM


def usual_values(brought: OwnData | None = None) -> list[dict[str, Any]]:
    """For the rail: which fields follow others until a person sets them, and to what.

    A field `name` that has the value of the table for the fields `by` takes the new one as one of these
    changes; where the table says nothing, `otherwise` holds. `brought` are the newest data of one's own.
    """
    weights = USUAL_LAM if brought is None else {**USUAL_LAM, **brought.usual_lam}
    table = {" ".join(key): value for key, value in weights.items()}
    mine = {} if brought is None else {"own": brought.sha256}
    return [
        {"name": "lam", "by": ["problem", "data"], "table": table, "otherwise": FIRST_LAM},
        {"name": "own", "by": ["data"], "table": mine, "otherwise": ""},
    ]


class Preset(NamedTuple):
    """A problem with a name: the values that make it; all others stay."""

    label: str
    group: str
    values: Mapping[str, Any]


def _papers(data: str, loss: str, label: str) -> Preset:
    values: dict[str, Any] = {"problem": loss, "data": data, "scaling": "center", "start": "default"}
    if (loss, data) in USUAL_LAM:
        values["lam"] = USUAL_LAM[loss, data]
    if loss == "svm_dual":
        values |= {"C": PAPER_WEIGHTS[loss][data], "svm_loss": "hinge", "kernel": "linear"}
    return Preset(label, "The paper’s data", values)


_LOSSES = {
    "least_squares": "least squares",
    "logistic": "logistic",
    "lasso": "LASSO",
    "svm_dual": "SVM",
}
PRESETS = (
    Preset(
        "Quadratic, κ = 10⁴",
        "First picture",
        {"problem": "quadratic", "spectrum": "log", "condition_number": 1e4, "n": 100, "start": "default"},
    ),
    *(
        _papers(data, loss, f"{data.capitalize()}, {words}")
        for data in ("sonar", "musk", "madelon")
        for loss, words in _LOSSES.items()
    ),
    Preset(
        "Matrix completion",
        "The paper’s data",
        {"problem": "matrix_completion", "lam": COMPLETION_LAM, "start": "default"},
    ),
)
"""The first picture and the problems of the paper."""


def preset_menu() -> list[dict[str, Any]]:
    """The presets for the rail."""
    return [{"label": each.label, "group": each.group, "values": dict(each.values)} for each in PRESETS]
