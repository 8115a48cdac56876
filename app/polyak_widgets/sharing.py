"""What goes with a picture to share it: its query string, its code, a name for files, a line of words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .address import AddressError, write_query
from .choices import ON_DATA
from .code import notebook_code
from .experiment import Experiment
from .numbers import iterations_text
from .own_data import OwnData
from .settings import Settings
from .view import View


def shared(experiment: Experiment, view: View, own: OwnData | None = None, story: str = "") -> dict[str, str]:
    """For the page: "query", or "trouble" in words; "code", "file" (a name), "words".

    An address of a story has its name alone: whoever opens it is asked first.
    """
    settings = experiment.settings
    try:
        query = write_query(settings, view, story, (settings, view) if story else None)
        address = {"query": query, "trouble": ""}
    except AddressError as error:
        address = {"query": "", "trouble": str(error)}
    return address | {
        "code": notebook_code(experiment, view, own),
        "file": file_stem(experiment.settings),
        "words": words(experiment),
    }


def file_stem(settings: Settings) -> str:
    """A file's name without its ending.

    >>> file_stem(Settings(problem="svm_dual", data="musk")), file_stem(Settings())
    ('polyak-musk-svm-dual', 'polyak-log-quadratic')
    """
    kind = settings.problem.replace("_", "-")
    if settings.problem in ON_DATA:
        return f"polyak-{settings.data}-{kind}"
    return f"polyak-{settings.spectrum}-{kind}" if settings.problem == "quadratic" else f"polyak-{kind}"


def words(experiment: Experiment) -> str:
    """What was run, in a line for the foot of a picture."""
    formula = experiment.problem.describe().splitlines()[0]
    return f"{formula}; at most {iterations_text(experiment.settings.iterations)}. Polyak Explorer."


def extras(experiment: Experiment, view: View, own: Mapping[str, OwnData], story: str = "") -> dict[str, Any]:
    """What a frame carries besides the picture; `own` are data of one's own by their sha256."""
    if not experiment.finished:
        return {}
    return {"share": shared(experiment, view, own.get(experiment.settings.own), story)}
