"""Pinned runs: what was drawn stays, grey and labelled, while the settings change; kept in memory only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import polyak_core as pc
from polyak_widgets.laboratory.experiment import Experiment, MethodRun
from polyak_widgets.look import ESTIMATING, pinned_look
from polyak_widgets.numbers import count_text, number_text, power_text
from polyak_widgets.panels.both import PANELS, Panel, make_panel
from polyak_widgets.panels.curves import Curve
from polyak_widgets.panels.race import EXPONENTS
from polyak_widgets.panels.table import rows
from polyak_widgets.settings.choices import ON_DATA
from polyak_widgets.settings.settings import FIELDS, Settings
from polyak_widgets.settings.view import View

MOST_PINS = 3
SYMBOLS = {
    "lam": "λ",
    "C": "C",
    "width": "w",
    "condition_number": "κ",
    "n": "n",
    "rows": "rows",
    "seed": "seed",
    "mu0": "μ₀/L",
    "gamma": "γ",
    "iterations": "iterations",
    "target": "target",
    "f_star_delta": "δ",
    "L_factor": "L given/true",
    "mu_factor": "μ given/true",
}
MOST_DIFFERENCES = 2


@dataclass(frozen=True)
class Pin:
    """What was drawn when the button was pressed."""

    id: int
    experiment: Experiment


def pinned(pins: tuple[Pin, ...], experiment: Experiment | None) -> tuple[Pin, ...]:
    """One more.

    Raises:
        ValueError: nothing to pin yet, these are pinned already, or there are three.
    """
    if experiment is None or not experiment.finished:
        raise ValueError("The runs have not ended: wait for them or cancel them, then pin.")
    if any(pin.experiment.settings == experiment.settings for pin in pins):
        raise ValueError("These curves are pinned already: change a setting, and they stay in grey.")
    if len(pins) >= MOST_PINS:
        raise ValueError(f"{MOST_PINS} pictures are pinned, and that is the most: let one go first (×).")
    free = min(set(range(1, MOST_PINS + 1)) - {pin.id for pin in pins})
    return (*pins, Pin(free, experiment))


def unpinned(pins: tuple[Pin, ...], which: Any) -> tuple[Pin, ...]:
    """One less.

    Raises:
        ValueError: there is no such pin.
    """
    if isinstance(which, bool) or which not in [pin.id for pin in pins]:
        raise ValueError(f"There is no pin {str(which)[:40]!r}.")
    return tuple(pin for pin in pins if pin.id != which)


def with_pins(name: str, now: Experiment, view: View, pins: tuple[Pin, ...]) -> Panel:
    """A panel with the curves of the pins that are not the present ones."""
    panel = make_panel(name, now, view)
    if not pins:
        return panel
    present = {curve.uid: curve for curve in panel["curves"]}
    before = [PANELS[name](pin.experiment, view) for pin in pins]
    old = [c for pin, its in zip(pins, before, strict=True) for c in _kept(pin, its["curves"], present, now)]
    x = _wide([panel["x"], *(its["x"] for its in before)])
    y = _high([panel["y"], *(its["y"] for its in before)])
    return panel | {"curves": [*old, *panel["curves"]], "x": x, "y": y}


def _wide(axes: list[dict[str, Any]]) -> dict[str, Any]:
    """The first axis, so far to the right as any goes, in every unit: the longer runs are seen whole."""
    last = max(axis["range"][1] for axis in axes)
    units = {
        unit: told | {"range": [told["range"][0], max(axis["units"][unit]["range"][1] for axis in axes)]}
        for unit, told in axes[0]["units"].items()
    }
    return axes[0] | {"range": [axes[0]["range"][0], last], "units": units}


def _high(axes: list[dict[str, Any]]) -> dict[str, Any]:
    """The first axis, so far up and down as any goes: the runs that came lower are seen whole too."""
    lows, highs = zip(*(axis["range"] for axis in axes), strict=True)
    return axes[0] | {"range": [min(lows), max(highs)]}


def _kept(pin: Pin, curves: Iterable[Curve], present: dict[str, Curve], now: Experiment) -> Iterator[Curve]:
    changed = [c for c in curves if _is_run(c) and not _same(c, present.get(c.uid))]
    lead = _lead([curve.uid.split(":")[-1] for curve in changed])
    for curve in changed:
        name = f"pinned: {difference(pin.experiment.settings, now.settings)}"
        label = name if curve.uid.split(":")[-1] == lead else ""
        look = pinned_look(curve.look)
        yield replace(curve, uid=f"pin{pin.id}:{curve.uid}", label=label, look=look)


def old_runs(
    pins: Iterable[Pin], now: Experiment, drawn: Callable[[pc.Trace], bool]
) -> Iterator[tuple[str, str, pc.Trace]]:
    """The pinned runs that are not the present ones, of those that are `drawn`.

    Each with the number of its pin and its method as a uid, and a name if it speaks for the others.
    """
    for pin in pins:
        changed = {
            run.method: run.trace
            for run in pin.experiment.runs
            if run.trace is not None and drawn(run.trace) and not _is_now(run, now)
        }
        lead = _lead(list(changed))
        for method, trace in changed.items():
            name = f"pinned: {difference(pin.experiment.settings, now.settings)}" if method == lead else ""
            yield f"pin{pin.id}:{method}", name, trace


def _is_run(curve: Curve) -> bool:
    """Whether a curve is a method's own, and not a level or one that stands beside it."""
    return curve.mode == "lines" and not curve.faint and ":" in curve.uid


def _same(curve: Curve, other: Curve | None) -> bool:
    return other is not None and np.array_equal(curve.y, other.y, equal_nan=True)


def _lead(methods: list[str]) -> str:
    """The method that speaks for all."""
    return next((method for method in ESTIMATING if method in methods), (methods or [""])[0])


def difference(old: Settings, now: Settings) -> str:
    """In which settings the old state differs, its values in words.

    >>> difference(Settings(gamma=2), Settings(gamma=5)), difference(Settings(), Settings())
    ('γ = 2', 'as now')
    """
    if (old.problem, old.problem in ON_DATA and old.data) != (
        now.problem,
        now.problem in ON_DATA and now.data,
    ):
        names = ["problem", "data"] if old.problem in ON_DATA else ["problem"]
        return ", ".join(_value(name, getattr(old, name)).split(",")[0] for name in names)
    before, after = old.values(), now.values()
    found = [_value(name, before[name]) for name in before if before[name] != after[name]]
    return ", ".join(found[:MOST_DIFFERENCES]) + (", …" if len(found) > MOST_DIFFERENCES else "") or "as now"


def _value(name: str, value: Any) -> str:
    told = FIELDS[name].metadata
    if told["kind"] == "choice":
        return str(told["options"][value])
    if told["kind"] == "slider":
        return f"{SYMBOLS.get(name, told['label'])} = {number_text(value)}"
    return "other methods" if name == "methods" else f"other {told['label'].lower()}"


def pinned_rows(table: dict[str, Any], pins: tuple[Pin, ...], now: Experiment) -> dict[str, Any]:
    """The table with a row for each pinned run that is not the present one."""
    body = list(table["body"])
    for pin in pins:
        name = difference(pin.experiment.settings, now.settings)
        old = rows(pin.experiment)["body"]
        for run, row in zip(pin.experiment.runs, old, strict=True):
            if not _is_now(run, now):
                first = dict(row[0], text=f"{pc.METHODS[run.method].label}, pinned: {name}")
                first |= {"colour": pinned_look(None).colour, "marker": ""}
                body.append([first, *row[1:]])
    return table | {"body": body}


def _is_now(run: MethodRun, now: Experiment) -> bool:
    """Whether the present runs have this one too."""
    other = next((each for each in now.runs if each.method == run.method), None)
    if other is None or (other.trace is None) != (run.trace is None):
        return False
    if run.trace is None or other.trace is None or run.trace is other.trace:
        return True
    return np.array_equal(run.trace.gap, other.trace.gap, equal_nan=True)


def listed(pins: tuple[Pin, ...], now: Experiment) -> list[dict[str, Any]]:
    """For the page: each pin with its name and how the present runs differ, in words."""
    return [
        {
            "id": pin.id,
            "name": f"Pinned: {difference(pin.experiment.settings, now.settings)}",
            "words": _comparison(pin, now),
        }
        for pin in pins
    ]


def _comparison(pin: Pin, now: Experiment) -> str:
    """The method that speaks for all, now and then."""
    new = {run.method: run.trace for run in now.runs if run.trace is not None}
    old = {
        run.method: run.trace
        for run in pin.experiment.runs
        if run.trace is not None and run.method in new and not _is_now(run, now)
    }
    if not old:
        return "the curves that both have are the same."
    lead = _lead(list(old))
    name, ended = pc.METHODS[lead].label, not now.finished
    for tolerance in reversed(EXPONENTS):
        steps = [trace.first_below(10.0**tolerance) for trace in (new[lead], old[lead])]
        if any(k is not None for k in steps) or ended:
            said = [
                f"> {count_text(len(trace) - 1)}" if k is None else count_text(k)
                for k, trace in zip(steps, (new[lead], old[lead]), strict=True)
            ]
            return f"{name} to {power_text(tolerance)} now {said[0]}, pinned {said[1]} iterations."
    left = [number_text(trace.gap[-1]) for trace in (new[lead], old[lead])]
    return f"{name} now ends at a gap of {left[0]}, pinned {left[1]}."
