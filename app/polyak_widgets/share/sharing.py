"""What goes with a picture to share it: its query string, its code, a name for files, a line of words."""

from __future__ import annotations

from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.panels.unusual import run_words
from polyak_widgets.settings.choices import ON_DATA
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.address import AddressError, write_query
from polyak_widgets.share.code import notebook_code

NOT_HELD = "It does not hold your file: whoever opens it needs {}."


def shared(experiment: Experiment, view: View, own: OwnData | None = None, story: str = "") -> dict[str, str]:
    """For the page: "query", or "trouble" in words; "note" on the link, "code", "file" (a name), "words".

    An address of a story has its name alone: whoever opens it is asked first.
    """
    settings = experiment.settings
    try:
        query = write_query(settings, view, story, (settings, view) if story else None)
        address = {"query": query, "trouble": ""}
    except AddressError as error:
        address = {"query": "", "trouble": str(error)}
    held = settings.data != "own" or settings.problem not in ON_DATA
    return address | {
        "note": "" if held else NOT_HELD.format(own.name if own else "the same data"),
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
    return f"{run_words(experiment.settings)} Polyak Explorer."
