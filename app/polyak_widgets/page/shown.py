"""What a notebook keeps of an Explorer: the widget, and a still picture for where no kernel runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from polyak_widgets.share.still import still_html

if TYPE_CHECKING:
    from polyak_widgets.page.explorer import Explorer

WIDGET = "application/vnd.jupyter.widget-view+json"
PATIENCE, LIVE_PATIENCE = 120.0, 1.0
"""Seconds to wait for a whole picture, where nobody watches and where somebody does."""
NOTHING = "<p>The curves were not there yet when this notebook was saved: run the cell again.</p>"


def with_still(explorer: Explorer, bundle: dict[str, Any]) -> dict[str, Any]:
    """What is kept in a notebook, by media type.

    A notebook that runs with nobody there, to be exported, has the picture alone: a widget cannot be drawn
    without its kernel, and those who read a saved one would see nothing. Voila shows the widget alone.
    """
    kernel = _kernel()
    if kernel is None or "VOILA_BASE_URL" in os.environ:
        return bundle
    watched = kernel.get_parent().get("content", {}).get("allow_stdin", True)
    explorer.wait(LIVE_PATIENCE if watched else PATIENCE)
    experiment = explorer.experiment
    html = NOTHING if experiment is None else still_html(experiment, explorer.view, explorer.panels)
    media = bundle if watched else {kind: value for kind, value in bundle.items() if kind != WIDGET}
    return media | {"text/html": html}


def _kernel() -> Any:
    """The kernel that runs this cell; None outside of notebooks."""
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None)
