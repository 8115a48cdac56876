"""What goes with a picture to share it: its address, its code, a name for files, its settings in words."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.laboratory.problems import acts
from polyak_widgets.panels.words.unusual import run_words, takers, unusual, unusual_line
from polyak_widgets.settings.choices import ON_DATA
from polyak_widgets.settings.settings import FIELDS, Settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.address import AddressError, write_query
from polyak_widgets.share.code import notebook_code
from polyak_widgets.share.texts import SAME_DATA, file_needed

IN_FILES = {
    "condition_number": "kappa",
    "f_star": "f-star",
    "f_star_delta": "delta",
    "L_factor": "L-given",
    "mu_factor": "mu-given",
}
"""What stands for a setting in the name of a file, where that is not its name."""
LONGEST_STEM = 100
"""Letters of a file's name without its ending."""


def shared(experiment: Experiment, view: View, own: OwnData | None = None, story: str = "") -> dict[str, str]:
    """For the page: "query", or "trouble" in words; "note" on the link; "code"; "file", a name.

    "words" and "unusual" say what was run; they stand on paper and in files. An address of a story has its
    name alone: whoever opens it is asked first.
    """
    settings = experiment.settings
    try:
        query = write_query(settings, view, story, (settings, view) if story else None)
        address = {"query": query, "trouble": ""}
    except AddressError as error:
        address = {"query": "", "trouble": str(error)}
    in_link = settings.data != "own" or settings.problem not in ON_DATA
    return address | {
        "note": "" if in_link else file_needed(own.name if own else SAME_DATA),
        "code": notebook_code(experiment, view, own),
        "file": file_stem(experiment.settings),
        "words": run_words(settings),
        "unusual": unusual_line(each.words for each in unusual(settings, experiment.problem)),
    }


def file_stem(settings: Settings) -> str:
    """A file's name without its ending: the problem, and what differs from the defaults.

    >>> file_stem(Settings(problem="svm_dual", data="musk")), file_stem(Settings())
    ('polyak-musk-svm-dual', 'polyak-log-quadratic')
    >>> file_stem(Settings(condition_number=1e6, gamma=0.5))
    'polyak-log-quadratic-kappa-1000000-gamma-0.5'
    """
    kind = settings.problem.replace("_", "-")
    made_of = {"quadratic": settings.spectrum} | dict.fromkeys(ON_DATA, settings.data)
    stem = "-".join(filter(None, ("polyak", made_of.get(settings.problem, ""), kind)))
    differing = _differing(settings)
    if settings.problem == "quadratic":
        differing.pop("spectrum", None)  # it stands at the front
    short = {
        name: value
        for name, value in differing.items()
        if FIELDS[name].metadata["kind"] in ("choice", "slider")
    }
    parts = [f"{IN_FILES.get(name, _for_file(name))}-{_for_file(value)}" for name, value in short.items()]
    whole = "-".join([stem, *parts])
    if len(differing) == len(parts) and len(whole) <= LONGEST_STEM:
        return whole
    return f"{whole[: LONGEST_STEM - 9]}-{sha256(repr(differing).encode()).hexdigest()[:8]}"


def _differing(settings: Settings) -> dict[str, Any]:
    """The settings that have a part in the picture and differ from the defaults."""
    usual = Settings.from_values({"problem": settings.problem, "data": settings.data}).values()
    return {
        name: value
        for name, value in settings.values().items()
        if value != usual[name] and acts(name, settings) and takers(name, settings.methods)
    }


def _for_file(value: Any) -> str:
    """A value as it may stand in the name of a file on any system."""
    text = f"{value:.12g}" if isinstance(value, int | float) else str(value)
    return re.sub(r"[^\w.-]", "", text).replace("_", "-")
