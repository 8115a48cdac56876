"""A file of one's own on its way to the page: the message that brings it, and the state that shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.laboratory.upload import MOST_BYTES, read_upload
from polyak_widgets.settings.choices import ON_DATA, WITH_CLASSES
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.presets import FIRST_LAM, USUAL_LAM

if TYPE_CHECKING:
    from polyak_widgets.session.session import Explorer

HELP = (
    "CSV: a row per observation, the label last. NPZ: arrays X and y. LIBSVM: label index:value … "
    "The content says which, not the name. Two kinds of labels become −1 and +1, numbers of more kinds stay."
)


def upload(explorer: Explorer, content: Mapping[str, Any], buffers: Sequence[memoryview]) -> None:
    """Read the file in a message, and show it.

    Raises:
        SettingsError: what is wrong with it; the picture stays.
    """
    try:
        brought = read_upload(content.get("name"), buffers)
    except SettingsError as error:
        explorer.controls.problems = {**explorer.controls.problems, error.name: str(error)}
        raise
    explorer.bring(brought)


def values_with(brought: OwnData, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that show these data: the problem stays if they fit it, else the simplest that they fit."""
    problem = values.get("problem")
    if problem not in ON_DATA or (problem in WITH_CLASSES and not brought.two_classes):
        problem = "logistic" if brought.two_classes else "least_squares"
    weights = {**USUAL_LAM, **brought.usual_lam}
    weight = weights.get((problem, "own"), FIRST_LAM)
    return {**values, "problem": problem, "data": "own", "own": brought.sha256, "lam": weight}


def upload_field(brought: OwnData | None) -> dict[str, Any]:
    """The control that brings a file, with the card of the newest one."""
    return {
        "name": "upload",
        "kind": "upload",
        "label": "File",
        "help": HELP,
        "limit": MOST_BYTES,
        "card": [] if brought is None else brought.card,
        "hidden": False,
        "disabled": "",
    }
