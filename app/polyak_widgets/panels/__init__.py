"""From an experiment to the curves, marks, words and the one buffer of a picture.

A panel is a pure function of an experiment and a view that gives a dictionary of
- title, subtitle, summary (a sentence, also for screen readers),
- explains: entries of `polyak_widgets.panels.help.guide` that its title opens, if any,
- x and y: title, type ("linear" or "log"), range; x may carry "units", its title and range in each unit,
- curves: `polyak_widgets.panels.curves.Curve`, drawn live while a run streams,
and, as far as it has any,
- lines: thin ones of the same kind, drawn when a frame is settled; marks: as `curves.mark` makes them;
- bands: {"from", "to", "text"} in y, None for the end of the axis;
- formula: as `polyak_widgets.panels.charts.formulas` makes them;
- toggles: buttons that set a name of the view, {"name", "value", "label", "on", "help"}.
`polyak_widgets.panels.frame` packs panels for the page; the one below them is `closer_look`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from polyak_core.checks import one_of, several
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.panels.charts.gap import gap_panel
from polyak_widgets.panels.charts.mu import mu_panel
from polyak_widgets.panels.crowd import all_toggle, crowd_words, first_drawn
from polyak_widgets.panels.curves import Curve, decades, true_mu
from polyak_widgets.settings.view import View

__all__ = ["PANELS", "Curve", "Panel", "decades", "gap_panel", "make_panel", "mu_panel", "true_mu"]

Panel = dict[str, Any]
PANELS: dict[str, Callable[..., Panel]] = {"gap": gap_panel, "mu": mu_panel}
CLOSER_LOOK = "third"
"""The name of the panel that `View.third` chooses, beside those of `PANELS`."""


def make_panel(name: str, experiment: Experiment, view: View) -> Panel:
    """The panel of that name, which its card has too.

    Where not all runs are drawn, the panel of the gap says so and has the button for it.
    """
    few = first_drawn(experiment, view)
    panel: Panel = {"name": name, **PANELS[name](few, view)}
    if name != "gap":
        return panel
    words = crowd_words(experiment, few)
    summary = f"{panel['summary']} {words}" if words and panel["summary"] else panel["summary"]
    return panel | {"summary": summary, "toggles": [*all_toggle(experiment, view), *panel["toggles"]]}


def known_panels(show: tuple[str, ...]) -> tuple[str, ...]:
    """The names, if all are of panels.

    Raises:
        ValueError: none, or an unknown one.
    """
    names = (*PANELS, CLOSER_LOOK)
    panels = several(show, "show", f"one or more panels of {', '.join(names)}")
    if not panels:
        raise ValueError(f"show is empty: choose one or more panels of {', '.join(names)}.")
    return tuple(one_of(name, "panel", names) for name in panels)
