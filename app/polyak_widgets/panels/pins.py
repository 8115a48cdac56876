"""Pins A, B and C: what was drawn stays, paler and with a letter on it, while the settings change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import polyak_core as pc
from polyak_widgets.laboratory.experiment import Experiment, MethodRun
from polyak_widgets.laboratory.problems import acts
from polyak_widgets.look import ESTIMATING, Look
from polyak_widgets.numbers import number_text, power_text
from polyak_widgets.panels import PANELS, Panel, make_panel
from polyak_widgets.panels.charts.y_axis import compared_with
from polyak_widgets.panels.crowd import first_drawn
from polyak_widgets.panels.curves import Curve
from polyak_widgets.panels.pin import Pin
from polyak_widgets.panels.texts import (
    AS_DRAWN,
    FIELD_SYMBOLS,
    NEVER_THERE,
    NO_PINS_HERE,
    OTHER_DATA,
    many_methods,
    other_setting,
    pin_ends,
    pin_needs,
)
from polyak_widgets.panels.words.headline import FAILING
from polyak_widgets.panels.words.race import EXPONENTS, amount, cost, end_text, more_text
from polyak_widgets.panels.words.table import rows
from polyak_widgets.panels.words.unusual import DIGITS
from polyak_widgets.panels.words.words import bare_name, label
from polyak_widgets.settings.choices import choice_name
from polyak_widgets.settings.settings import FIELDS, Settings
from polyak_widgets.settings.view import View


def with_pins(name: str, now: Experiment, view: View, pins: tuple[Pin, ...]) -> Panel:
    """A panel with the curves of the pins that are not the present ones."""
    panel = make_panel(name, now, view)
    if not pins:
        return panel
    if name == "mu" and view.estimates != "own":  # of a pinned run only its curves are kept
        return panel | {"subtitle": f"{panel['subtitle']} · {NO_PINS_HERE}"}
    present = {curve.uid: curve for curve in panel["curves"]}
    alike = replace(view, beside=compared_with(first_drawn(now, view), view))
    before = [PANELS[name](first_drawn(pin.experiment, view), alike) for pin in pins]
    names = short_names(pins, now.settings)
    old = [
        curve
        for pin, its in zip(pins, before, strict=True)
        for curve in _as_pinned(pin, its["curves"], present, names[pin.id])
    ]
    x = _wide([panel["x"], *(its["x"] for its in before)])
    y = _high([panel["y"], *(its["y"] for its in before)])
    return panel | {"curves": [*old, *panel["curves"]], "x": x, "y": y}


def _wide(axes: list[dict[str, Any]]) -> dict[str, Any]:
    """The first axis, so far to the right as any goes, in every unit: the longer runs are seen whole."""
    last = max(axis["range"][1] for axis in axes)
    units = {
        unit: first | {"range": [first["range"][0], max(axis["units"][unit]["range"][1] for axis in axes)]}
        for unit, first in axes[0]["units"].items()
    }
    return axes[0] | {"range": [axes[0]["range"][0], last], "units": units}


def _high(axes: list[dict[str, Any]]) -> dict[str, Any]:
    """The first axis, so far up and down as any goes: the runs that came lower are seen whole too."""
    lows, highs = zip(*(axis["range"] for axis in axes), strict=True)
    return axes[0] | {"range": [min(lows), max(highs)]}


def _as_pinned(pin: Pin, curves: Iterable[Curve], present: dict[str, Curve], name: str) -> Iterator[Curve]:
    changed = [c for c in curves if _is_run(c) and not _same(c, present.get(c.uid))]
    lead = _lead([curve.uid.split(":")[-1] for curve in changed])
    for curve in changed:
        method = curve.uid.split(":")[-1]
        label, look = name if method == lead else "", pin.look(method)
        yield replace(curve, uid=f"pin{pin.id}:{curve.uid}", label=label, look=look, faint=True)


def old_runs(
    pins: Sequence[Pin], now: Experiment, is_drawn: Callable[[pc.Trace], bool]
) -> Iterator[tuple[str, str, Look, pc.Trace]]:
    """The pinned runs that are not the present ones, of those whose trace `is_drawn`.

    Each with the number of its pin and its method as a uid, a name if it speaks for the others, and its look.
    """
    names = short_names(pins, now.settings)
    for pin in pins:
        changed = {
            run.method: run.trace
            for run in pin.experiment.runs
            if run.trace is not None and is_drawn(run.trace) and not _is_now(run, now)
        }
        lead = _lead(list(changed))
        for method, trace in changed.items():
            name = names[pin.id] if method == lead else ""
            yield f"pin{pin.id}:{method}", name, pin.look(method), trace


def _is_run(curve: Curve) -> bool:
    """Whether a curve is a method's own, and not a level or one that stands beside it."""
    return curve.mode == "lines" and not curve.faint and ":" in curve.uid


def _same(curve: Curve, other: Curve | None) -> bool:
    return other is not None and np.array_equal(curve.y, other.y, equal_nan=True)


def _lead(methods: list[str]) -> str:
    """The method that speaks for all."""
    return next((method for method in ESTIMATING if method in methods), (methods or [""])[0])


def differences(pins: Sequence[Pin], now: Settings) -> dict[int, dict[str, str]]:
    """For each pin, by number: the settings in which not all pins and the present picture agree, in words.

    A setting that does not act on a problem is no difference of it.
    """
    pins = [pin for pin in pins if not pin.source]
    states = [*(pin.settings for pin in pins), now]
    varied = [name for name in FIELDS if _differ(name, states)]
    own = {pin.id: [name for name in varied if acts(name, pin.settings)] for pin in pins}
    return {pin.id: {name: _value(name, getattr(pin.settings, name)) for name in own[pin.id]} for pin in pins}


def _differ(name: str, states: Iterable[Settings]) -> bool:
    return len({getattr(each, name) for each in states if acts(name, each)}) > 1


def short_names(pins: Sequence[Pin], now: Settings) -> dict[int, str]:
    """For the ends of curves: the letter of each pin, and a setting in which it differs from most others."""
    changes = differences(pins, now)
    names = {}
    for pin in pins:
        if pin.source:
            names[pin.id] = f"{pin.name}: {pin.source}"
            continue
        own = sorted(changes[pin.id], key=lambda name: -len({getattr(each.settings, name) for each in pins}))
        first = f": {changes[pin.id][own[0]]}" if own and pin.id > 0 else ""
        more = ", …" if first and len(own) > 1 else ""
        names[pin.id] = f"{pin.name}{first}{more}"
    return names


def _value(name: str, value: Any) -> str:
    metadata = FIELDS[name].metadata
    if metadata["kind"] == "choice":
        return choice_name(metadata["options"][value])
    if metadata["kind"] == "slider":
        return f"{FIELD_SYMBOLS.get(name, metadata['label'])} = {number_text(value, DIGITS)}"
    if name == "methods":
        return bare_name(value[0]) if len(value) == 1 else many_methods(len(value))
    return OTHER_DATA if name == "own" else other_setting(metadata["label"].lower())


def groups(pins: Sequence[Pin], now: Experiment) -> list[dict[str, Any]]:
    """For the table: the rows of each pin's runs that are not the present ones, under its name."""
    entries = []
    for pin in pins:
        body = []
        for run, row in zip(
            pin.experiment.runs, rows(pin.experiment, with_theory=not pin.source)["body"], strict=True
        ):
            if not _is_now(run, now):
                look = pin.look(run.method)
                first = {"colour": look.colour, "dash": look.dash, "marker": look.marker}
                body.append([row[0] | first, *row[1:]])
        if body:
            entries.append({"name": pin.name, "words": description(pins, pin, now.settings), "body": body})
    return entries


def description(pins: Sequence[Pin], pin: Pin, now: Settings) -> str:
    """What tells a pin from the others and from what is drawn, in words."""
    return pin.source or ", ".join(differences(pins, now)[pin.id].values()) or AS_DRAWN


def _is_now(run: MethodRun, now: Experiment) -> bool:
    """Whether the present runs have this one too."""
    other = next((each for each in now.runs if each.method == run.method), None)
    if other is None or (other.trace is None) != (run.trace is None):
        return False
    if run.trace is None or other.trace is None or run.trace is other.trace:
        return True
    return np.array_equal(run.trace.gap, other.trace.gap, equal_nan=True)


def listed(pins: tuple[Pin, ...], now: Experiment, unit: str = "iterations") -> list[dict[str, Any]]:
    """For the page: each pin with what it is, how the present runs differ, in words, and its settings.

    Runs that the page has not made have no settings. "methods" are pairs of a name and a label; "only" is the
    one that is kept alone, or empty.
    """
    return [
        {
            "id": pin.id,
            "name": pin.letter,
            "what": description(pins, pin, now.settings),
            "words": _comparison(pin, now, unit),
            "value": None if pin.source else pin.settings.values(),
            "methods": [[name, label(name, pin.settings)] for name in pin.methods],
            "only": pin.only,
        }
        for pin in pins
        if pin.id > 0
    ]


def _comparison(pin: Pin, now: Experiment, unit: str) -> str:
    """The method that speaks for all, then and now, in the unit that is counted."""
    if pin.source:
        return ""
    new = {run.method: run.trace for run in now.runs if run.trace is not None}
    old = {
        run.method: run.trace
        for run in pin.experiment.runs
        if run.trace is not None and run.method in new and not _is_now(run, now)
    }
    if not old:
        return ""
    lead = _lead(list(old))
    names = {label(lead, pin.settings), label(lead, now.settings)}
    name, both = names.pop() if len(names) == 1 else bare_name(lead), (old[lead], new[lead])
    for tolerance in reversed(EXPONENTS):
        steps = [trace.first_below(10.0**tolerance) for trace in both]
        if any(k is not None for k in steps) or not now.finished:
            needs = [_need(trace, k, unit) for k, trace in zip(steps, both, strict=True)]
            return pin_needs(name, power_text(tolerance), *needs)
    left = [end_text(old[lead], pin.experiment.problem), end_text(new[lead], now.problem)]
    return pin_ends(name, *left)


def _need(trace: pc.Trace, k: int | None, unit: str) -> str:
    """What a run takes until it is there at k; else more than it has spent, or that it never will be."""
    if k is None and trace.outcome in FAILING:
        return NEVER_THERE
    last = len(trace) - 1 if k is None else k
    spent = cost(trace, last, unit)
    text = amount(spent, unit)
    return more_text(text, spent, unit) if k is None else text
