"""What the rail shows for given settings: groups of fields, landmarks, what does not apply and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polyak_core as pc
from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.laboratory.datasets import Shelf
from polyak_widgets.laboratory.problems import acts, f_star_in_use, start_in_use
from polyak_widgets.laboratory.upload import MOST_BYTES
from polyak_widgets.look import method_look
from polyak_widgets.numbers import number_text
from polyak_widgets.panels.crowd import in_groups, method_group
from polyak_widgets.panels.words.unusual import takers, unusual
from polyak_widgets.panels.words.words import label
from polyak_widgets.session.landmarks import Landmarks, landmarks
from polyak_widgets.session.texts import (
    DATA_WITHOUT_MU,
    ESTIMATE_TITLE,
    FILE_LABEL,
    LOSS_TITLE,
    METHODS_TITLE,
    NO_DUAL_HERE,
    NO_DUAL_KNOWN,
    NO_DUAL_WITHOUT_WEIGHT,
    NO_MU,
    NO_SLOWEST_HERE,
    NO_WEIGHT,
    OWN_DATA_TITLE,
    OWN_SCALED,
    SPECTRUM_TITLE,
    UPLOAD_HELP,
    USUAL_WEIGHT,
    WHAT_IF_TITLE,
    WITHOUT_TAKER,
    data_condition,
    f_star_refused,
    start_refused,
)
from polyak_widgets.settings.choices import F_STARS, ON_DATA, STARTS, WITH_DUAL, WITH_LAM, WITH_SLOWEST
from polyak_widgets.settings.fields import Bounds
from polyak_widgets.settings.settings import FIELDS, Settings

GROUPS = (
    ("", False, ("problem", "data", "scaling", "lam", "C", "condition_number")),
    ("", False, ("mu0", "gamma", "iterations")),
    (METHODS_TITLE, False, ("methods",)),
    (SPECTRUM_TITLE, True, ("spectrum", "eigenvalues", "n", "rows")),
    (LOSS_TITLE, True, ("svm_loss", "kernel", "width")),
    (ESTIMATE_TITLE, True, ("estimator", "start", "seed", "target")),
    (WHAT_IF_TITLE, True, ("f_star", "f_star_delta", "guard", "L_factor", "mu_factor")),
)
"""Title, whether it is folded at first, its fields."""
SAME = 0.01
"""Condition numbers that differ by less are the same to a reader."""
DECIDING = ("choice", "methods")
ABOUT: Mapping[str, tuple[str, ...]] = {
    "lam": ("lam", "psi"),
    "C": ("svm_C", "alpha"),
    "width": ("kernel",),
    "kernel": ("kernel", "alpha"),
    "svm_loss": ("alpha",),
    "spectrum": ("eigenvalues",),
    "eigenvalues": ("eigenvalues",),
    "condition_number": ("kappa", "mu", "L"),
    "start": ("x_star",),
    "mu0": ("mu0", "mu_k"),
    "gamma": ("gamma",),
    "estimator": ("mu_hat", "g_L"),
    "target": ("relative_gap",),
    "f_star": ("f_star",),
    "f_star_delta": ("f_star",),
    "guard": ("f_star",),
    "L_factor": ("L", "T_L"),
    "mu_factor": ("mu", "beta"),
}
"""The symbols that the explanation of a field explains too."""


def rail(
    settings: Settings,
    problem: pc.Problem,
    marks: Mapping[str, Landmarks] | None = None,
    shelf: Shelf | None = None,
    only: Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """The groups of controls, for `polyak_widgets.page.widgets.Controls`.

    Args:
        settings: what is shown.
        problem: that of these settings.
        marks: more landmarks, by the name of their field: pairs of a value and its name, such as the best
            gamma of a sweep.
        shelf: the data of the page.
        only: the fields of a rail that has these alone, in one group.
    """
    more = dict(marks or {})
    own = shelf.newest if shelf else None
    weight = own.usual_lam.get((settings.problem, settings.data)) if own else None
    if weight is not None:
        more["lam"] = [*more.get("lam", ()), [weight, USUAL_WEIGHT]]
    groups = [
        {
            "title": title,
            "folded": folded,
            "changes": changes(names, settings, problem) if folded else [],
            "fields": [describe(name, settings, problem, more.get(name, ()), own) for name in names],
        }
        for title, folded, names in (GROUPS if only is None else [("", False, only)])
    ]
    if shelf:
        mark_unavailable(groups, shelf.unavailable)
    if only is not None:
        offer_all_problems(groups)
        return groups
    upload = upload_field(own, shelf.preview if shelf else None)
    return [*groups, {"title": OWN_DATA_TITLE, "folded": True, "fields": [upload]}]


def changes(names: Sequence[str], settings: Settings, problem: pc.Problem) -> list[str]:
    """What a folded group says of its fields that are not as usual, in the words of the charts."""
    return [change.words for change in unusual(settings, problem, names)]


def choices(settings: Settings) -> tuple[Any, ...]:
    """What decides which fields apply: all choices, none of the numbers."""
    return tuple(
        getattr(settings, name) for name, each in FIELDS.items() if each.metadata["kind"] in DECIDING
    )


def describe(
    name: str,
    settings: Settings,
    problem: pc.Problem,
    marks: Landmarks = (),
    own: OwnData | None = None,
) -> dict[str, Any]:
    """One field of the rail."""
    metadata = FIELDS[name].metadata
    control: dict[str, Any] = {
        "name": name,
        "kind": metadata["kind"],
        "label": metadata["label"],
        "help": metadata["help"],
        "unit": metadata.get("unit", ""),
        "about": list(ABOUT.get(name, ())),
        "hidden": is_hidden(name, settings),
        "disabled": why_disabled(name, settings, problem),
        "note": note(name, settings, problem),
    }
    if metadata["kind"] == "choice":
        control["options"] = [
            [value, text, why_not(name, value, settings)]
            for value, text in metadata["options"].items()
            if name != "problem" or value in ON_DATA
        ]
    if name == "scaling":
        control["kind"] = "segments"
        control["facts"] = conditions(settings, own)
        control["note"] = OWN_SCALED if control["facts"] else ""
    if metadata["kind"] == "methods":
        control["options"] = [method_row(method, settings) for method in in_groups(pc.METHODS)]
    if metadata["kind"] == "slider":
        control |= slider_parts(metadata["bounds"])
        control["landmarks"] = [*marks, *landmarks(name, settings, problem)]
    return control


def method_row(method: str, settings: Settings) -> dict[str, str]:
    """One box of the methods: what it is called, the look of its curve, its heading, what it is."""
    look = method_look(method)
    return {
        "name": method,
        "label": label(method, settings),
        "summary": pc.METHODS[method].summary,
        "group": method_group(method),
        "colour": look.colour,
        "dash": look.dash,
        "marker": look.marker,
    }


def slider_parts(bounds: Bounds) -> dict[str, Any]:
    """What the slider spans, and how."""
    return {
        "scale": bounds.scale,
        "min": bounds.slider_low,
        "max": bounds.slider_high,
        "integer": bounds.whole,
        "zero": bounds.zero,
    }


def is_hidden(name: str, settings: Settings) -> bool:
    """Fields that mean nothing for these settings; a problem that is its own data is chosen by a preset."""
    return not acts(name, settings) or (name == "problem" and settings.problem not in ON_DATA)


def why_disabled(name: str, settings: Settings, problem: pc.Problem) -> str:
    """Why a field that is shown has no effect, or nothing."""
    if not takers(name, settings.methods):
        return WITHOUT_TAKER[name]
    if name == "mu_factor" and not problem.mu > 0:
        return NO_MU
    return ""


def why_not(name: str, value: str, settings: Settings) -> str:
    """Why an option is not for this problem, or nothing."""
    if (name, value) == ("start", "no_slow") and settings.problem not in WITH_SLOWEST:
        return NO_SLOWEST_HERE
    if (name, value) == ("f_star", "dual") and settings.problem not in WITH_DUAL:
        return NO_DUAL_HERE
    return ""


def note(name: str, settings: Settings, problem: pc.Problem) -> str:
    """What a field says although it can be used."""
    if name == "condition_number" and settings.problem in ON_DATA:
        return _condition_note(settings.condition_number, problem)
    if name == "start" and start_in_use(settings) != settings.start:
        return start_refused(STARTS[settings.start])
    if name == "f_star" and f_star_in_use(settings) != settings.f_star:
        lam = settings.problem in WITH_DUAL
        why = NO_DUAL_WITHOUT_WEIGHT if lam else NO_DUAL_KNOWN
        return f_star_refused(F_STARS[settings.f_star], why)
    if name == "lam" and settings.problem in WITH_LAM and settings.problem in ON_DATA and settings.lam == 0:
        return NO_WEIGHT
    return ""


def _condition_note(kappa: float, problem: pc.Problem) -> str:
    """Made-up data have the spectrum that is chosen; the problem on them may have another one."""
    if not problem.mu > 0:
        return DATA_WITHOUT_MU
    own = problem.true_L / problem.mu
    if abs(own / kappa - 1) < SAME:
        return ""
    return data_condition(number_text(own, 3))


def conditions(settings: Settings, own: OwnData | None) -> dict[str, str]:
    """The condition number of an own file after each scaling, by its name; empty for other data."""
    if settings.data != "own" or own is None or own.sha256 != settings.own:
        return {}
    return {name: f"κ {condition.short}" for name, condition in own.conditions.items()}


def mark_unavailable(groups: Sequence[dict[str, Any]], unavailable: Mapping[str, str]) -> None:
    """Say at the data sets that cannot be had why not; presets that need one follow them."""
    for field in (field for group in groups for field in group["fields"] if field["name"] == "data"):
        field["options"] = [
            [value, text, unavailable.get(value, why)] for value, text, why in field["options"]
        ]


def offer_all_problems(groups: Sequence[dict[str, Any]]) -> None:
    """Where no menu of presets is there, the field of the problem leads to all problems and never hides."""
    options = [[value, words, ""] for value, words in FIELDS["problem"].metadata["options"].items()]
    for field in (field for group in groups for field in group["fields"] if field["name"] == "problem"):
        field.update(hidden=False, options=options)


def upload_field(own: OwnData | None, preview: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The control that brings a file, with the card of the newest one; "own" names that by its sha256."""
    return {
        "name": "upload",
        "kind": "upload",
        "label": FILE_LABEL,
        "help": UPLOAD_HELP,
        "limit": MOST_BYTES,
        "own": "" if own is None else own.sha256,
        "card": [] if own is None else own.card,
        "preview": preview,
        "hidden": False,
        "disabled": "",
    }
