"""What is seen of the page before it is there: its skeleton, with a still picture of the first curves.

A page of Voila takes seconds until it draws, on a slow line many. The server makes this once, when it starts,
of the same texts, frame and style sheet as the page itself, so that little moves when the page comes:

    python -m polyak_widgets.page.first_look FILE
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from polyak_core.arrays import Array
from polyak_widgets.figures.end_labels import end_of, label_heights
from polyak_widgets.figures.plotly_axes import TICKS, X_TICKS, pixel_scale
from polyak_widgets.front.bundle import bundle, read, style
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.numbers import count_text
from polyak_widgets.page.texts import (
    ALL_CONTROLS,
    HELP,
    NOTATION_CARD,
    PAPER,
    START_FROM,
    WHAT_DO_YOU_EXPECT,
)
from polyak_widgets.panels import PANELS
from polyak_widgets.panels.charts.formulas import markup
from polyak_widgets.panels.frame import make_frame
from polyak_widgets.panels.help.guide import INTRO
from polyak_widgets.session.rail import rail
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.still import axis_ticks
from polyak_widgets.share.texts import BRAND
from polyak_widgets.stories.storyteller import story_list

POINTS = 240
SIZE = 1000.0
"""Units of a drawing in both directions; it is stretched to the chart that it stands in."""
DASHES = {"dot": "1.5 3", "dash": "6 3.5", "dashdot": "7 3 1.5 3"}
_LONGEST = "8.88 × 10⁻⁶"
"""Keeps the room of a value."""
NAME_HEIGHT = 45.0
"""Of a line of text, in the units of a drawing."""


def first_look(settings: Settings | None = None, view: View | None = None) -> str:
    """The skeleton of a page of these settings, for a shadow tree; its host gives the words of the status."""
    settings, view = settings or Settings(), view or View()
    experiment = run_experiment(settings)
    frame = make_frame(experiment, view, tuple(PANELS), 0, points=POINTS, units=())
    numbers = np.frombuffer(frame["data"], dtype="<f8")
    cards = "".join(_card(panel, numbers) for panel in frame["panels"])
    words = "".join(_coloured(str(text), colour) for text, colour in frame["sentence"])
    groups = "".join(_group(group) for group in rail(settings, experiment.problem))
    return (
        f"<style>{_style()}</style>"
        '<div class="polyak-explorer first-look">'
        f'<div class="pk-root pk-controls" aria-hidden="true"><h1 class="pk-brand">{BRAND}</h1>'
        f'<p class="pk-intro">{escape(INTRO)} '
        f'<span><a>{PAPER}</a> · <a class="pk-term">{HELP}</a> · '
        f'<a class="pk-term">{NOTATION_CARD}</a></span></p>'
        f'<div class="pk-strip"><span class="pk-switch pk-more">{ALL_CONTROLS}</span>'
        f'<div class="pk-presets"><span class="pk-label-text">{START_FROM}</span>'
        '<i class="pk-select"></i></div>'
        f'{groups}</div></div><div class="pk-root pk-stage">'
        f'<div class="pk-toolbar"><i class="pk-tool"></i></div>{_questions()}'
        f'<p class="pk-sentence" aria-hidden="true">{words}</p>'
        '<div class="pk-status" data-kind="running"><i></i><span><slot></slot></span></div>'
        f'<div class="pk-panels" aria-hidden="true">{cards}</div></div></div>'
    )


def _style() -> str:
    """The style sheet of the page; no script says that the window is narrow, so the strip asks itself."""
    strip = read("rail/strip.css")
    narrow = f"@media (max-width: 1100px) {{ {strip.replace('[data-narrow]', '')} }}"
    return style().replace(strip, strip + narrow) + read("page/first_look.css")


def _questions() -> str:
    """The row that meets who comes for the first time; others do not see it."""
    asking = (title for _, title, kind in story_list() if kind == "question")
    switches = "".join(f'<span class="pk-switch">{escape(title)}</span>' for title in asking)
    return (
        f'<div class="pk-questions" aria-hidden="true"><span>{WHAT_DO_YOU_EXPECT}</span>'
        f'<div class="pk-questions-list">{switches}</div><div class="pk-unpin">×</div></div>'
    )


def _coloured(text: str, colour: str | None) -> str:
    return f'<b class="pk-coloured" style="{_paint(colour)}">{escape(text)}</b>' if colour else escape(text)


def _paint(colour: str) -> str:
    """A colour of a curve as the variable of the style sheet; "ink" is the theme's."""
    return f"--c: {colour if colour.startswith('#') else 'var(--pk-ink)'}"


def _group(group: Mapping[str, Any]) -> str:
    """A group of the rail: its fields by their labels, or its heading alone where it is folded."""
    visible = [field for field in group["fields"] if not field.get("hidden")]
    title = escape(group["title"])
    if not visible:
        return ""
    if group["folded"]:
        return f'<details class="pk-group"><summary class="pk-group-title">{title}</summary></details>'
    heading = f'<h2 class="pk-group-title">{title}</h2>' if title and title != visible[0]["label"] else ""
    return f'<section class="pk-group">{heading}{"".join(map(_field, visible))}</section>'


def _field(field: Mapping[str, Any]) -> str:
    label = f'<span class="pk-label-text">{escape(field["label"])}</span>'
    if field["kind"] == "slider":
        marks = '<div class="pk-landmarks"></div>' if field.get("landmarks") else ""
        below = f'<i class="pk-range"></i>{marks}'
        label += '<i class="pk-box"></i>'
    elif field["kind"] == "methods":
        below = f'<div class="pk-checks">{_checks(field["options"])}</div>'
    else:
        below = '<i class="pk-select"></i>'
    line = f'<div class="pk-label-line">{label}</div>'
    return f'<div class="pk-field pk-kind-{field["kind"]}" data-field="{field["name"]}">{line}{below}</div>'


def _checks(methods: Sequence[Mapping[str, Any]]) -> str:
    """The methods that can be chosen, under their headings."""
    parts = []
    for group, members in groupby(methods, key=lambda method: method["group"]):
        parts.append(f'<p class="pk-subheading">{escape(group)}</p>')
        parts += [f'<div class="pk-check"><i></i>{escape(each["label"])}</div>' for each in members]
    return "".join(parts)


def _card(panel: Mapping[str, Any], numbers: Array) -> str:
    """One of the charts: heading, formula, names, and the curves."""
    named = [curve for curve in panel["curves"] if curve["label"] and curve["mode"] != "markers"]
    legend = "".join(
        f'<span class="pk-entry"><b style="{_paint(curve["colour"])}"></b>{escape(curve["label"])}'
        f'<data class="pk-value">{_LONGEST if curve["run"] else ""}</data></span>'
        for curve in named
    )
    words = [dict(each["options"])[each["value"]] for each in panel.get("choices", ())]
    words += [each["label"] for each in panel.get("toggles", ())]
    words += [f"{axis} {panel[axis]['type'][:3]}" for axis in "yx" if not panel[axis].get("fixed")]
    switches = "".join(f'<span class="pk-switch">{escape(each)}</span>' for each in words)
    key = "".join(f"<span>{escape(each['text'])}</span>" for each in panel.get("key", ()))
    formulas = "".join(
        f'<math class="pk-math" displaystyle="true">{markup(part)}</math>'
        for part in panel.get("formula", ())
    )
    return (
        '<section class="pk-card pk-panel"><div class="pk-panel-head">'
        f'<h2 class="pk-panel-title">{escape(panel["title"])}</h2><div class="pk-formula">{formulas}</div>'
        f'<div class="pk-switches">{switches}</div></div>'
        f'<p class="pk-legend">{legend}</p>'
        f'<div class="pk-chart-frame"><div class="pk-chart">{_plot(panel, numbers)}</div></div>'
        f'<div class="pk-foot"><p class="pk-quiet pk-summary">{escape(panel.get("summary", ""))}</p>'
        f'<p class="pk-quiet">{escape(panel["subtitle"])}</p>'
        f'<p class="pk-quiet pk-key">{key}</p></div></section>'
    )


def _plot(panel: Mapping[str, Any], numbers: Array) -> str:
    to_x, to_y = pixel_scale(panel["x"], SIZE), pixel_scale(panel["y"], SIZE)
    places = []
    for curve in panel["curves"]:
        start, count = curve["start"], curve["count"]
        x, y = to_x(numbers[start : start + count]), to_y(numbers[start + count : start + 2 * count])
        places.append((curve, x, y))
    lines = "".join(_line(curve, x, SIZE - y) for curve, x, y in places if curve["mode"] != "markers")
    grid, words = [], []
    for value, text in _axis_texts(panel["y"], TICKS):
        at = SIZE - float(to_y(np.array(value)))
        grid.append(f"M0,{at:.0f}H{SIZE:.0f}")
        words.append(f'<span class="left" style="top: {at / 10:.1f}%">{text}</span>')
    for value, text in _axis_texts(panel["x"], X_TICKS):
        at = float(to_x(np.array(value)))
        words.append(f'<span class="under" style="left: {at / 10:.1f}%">{text}</span>')
    words.append(f'<span class="title">{escape(panel["x"]["title"])}</span>')
    return (
        f'<div class="plot"><svg viewBox="0 0 {SIZE:.0f} {SIZE:.0f}" preserveAspectRatio="none">'
        f'<path class="grid" d="{"".join(grid)}"/><path class="axis" d="M0,0V{SIZE:.0f}H{SIZE:.0f}"/>'
        f"{lines}</svg>"
        f"{''.join(words)}{_names(places)}</div>"
    )


def _axis_texts(axis: Mapping[str, Any], most: int) -> list[tuple[float, str]]:
    """Where ticks stand, and plain numbers where the page's charts write plain numbers."""
    ticks = axis_ticks(axis, most)
    return [(value, count_text(round(value)) if 1 <= value <= 1000 else text) for value, text in ticks]


def _line(curve: Mapping[str, Any], x: Array, y: Array) -> str:
    """A curve; values that have no place, such as those of a log axis that are not positive, break it."""
    path, pen = [], "M"
    for a, b in zip(x, y, strict=True):
        if np.isfinite(a) and np.isfinite(b) and abs(b) < 10 * SIZE:
            path.append(f"{pen}{a:.0f},{b:.0f}")
            pen = "L"
        else:
            pen = "M"
    dash = DASHES.get(curve["dash"], "none")
    look = f"{_paint(curve['colour'])}; stroke-width: {curve['width']}; stroke-dasharray: {dash}"
    return f'<path class="curve" style="{look}" d="{"".join(path)}"/>'


def _names(places: list[tuple[Mapping[str, Any], Array, Array]]) -> str:
    """The names at the right, each as near to the end of its curve as the others let it."""
    ends = [(curve, end_of(x, y, SIZE, SIZE)) for curve, x, y in places if curve["label"]]
    visible = [(curve, end) for curve, end in ends if end]
    if not visible:
        return ""
    heights = label_heights([end for _, end in visible], (SIZE, SIZE), NAME_HEIGHT)
    return "".join(
        f'<span class="name" style="top: {(SIZE - height) / 10:.1f}%; {_paint(curve["colour"])}">'
        f"{escape(curve['label'])}</span>"
        for (curve, _), height in zip(visible, heights, strict=True)
    )


def main(path: str) -> None:
    """Write it as a piece of a template of Voila, which reads it whole or not at all.

    Its host, the element that shows how the page is loading, learns whether the reader has been here before.
    """
    known = 'document.getElementById("loading").toggleAttribute("data-known", isKnown());'
    script = f"<script>(() => {{\n{bundle('page/story/newcomer.js')}\n{known}\n}})();</script>"
    target = Path(path)
    unfinished = target.with_suffix(".part")
    unfinished.write_text(f"{{% raw %}}{script}{first_look()}{{% endraw %}}", encoding="utf-8")
    os.replace(unfinished, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
