"""The paper's problems by name, and the weight lam that goes with each problem and data set."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from polyak_core.problems.paper import PAPER_WEIGHTS
from polyak_widgets.settings.choices import ON_DATA, WITH_CLASSES

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


Weights = Mapping[tuple[str, str], float]
"""By problem and data set."""


OWN_SCALING = "standardize"
"""Of data that a person has brought: their features have units of their own."""


def usual_values(
    own: Mapping[str, str] = MappingProxyType({}), weights: Weights = MappingProxyType({})
) -> list[dict[str, Any]]:
    """For the rail: which fields follow others until a person sets them, and to what.

    A field `name` that has the value of the table for the fields `by` takes the new one as one of these
    changes; where the table says nothing, `otherwise` holds. `own` are the values that mean the newest data
    that a person has brought, and `weights` are the usual ones for them.
    """
    table = {" ".join(key): value for key, value in {**USUAL_LAM, **weights}.items()}
    meant = {"own": "", "label": "", "leave_out": ""} | {**own}
    scalings = {"own": OWN_SCALING}
    return [
        {"name": "lam", "by": ["problem", "data"], "table": table, "otherwise": FIRST_LAM},
        {"name": "scaling", "by": ["data"], "table": scalings, "otherwise": "center"},
        *({"name": n, "by": ["data"], "table": {"own": v}, "otherwise": ""} for n, v in meant.items()),
    ]


def values_with(
    own: Mapping[str, str], two_classes: bool, weights: Weights, values: Mapping[str, Any]
) -> dict[str, Any]:
    """The values that show data that a person has brought: the problem stays if they fit it.

    Args:
        own: the values that mean the data: their sha256, and what their columns are for.
        two_classes: whether their labels are -1 and +1; if not, least squares is the simplest that fits.
        weights: the usual ones for the data.
        values: those before.
    """
    problem = values.get("problem")
    if problem not in ON_DATA or (problem in WITH_CLASSES and not two_classes):
        problem = "logistic" if two_classes else "least_squares"
    weight = {**USUAL_LAM, **weights}.get((problem, "own"), FIRST_LAM)
    again = values.get("data") == "own" and values.get("own") == own["own"]
    scaling = values["scaling"] if again else OWN_SCALING
    return {**values, **own, "problem": problem, "data": "own", "scaling": scaling, "lam": weight}


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
