"""Widgets of the Polyak Explorer: settings become runs, runs become pictures, pictures a page."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polyak_widgets.figures.compare import compare
    from polyak_widgets.figures.overlay import exported, overlay
    from polyak_widgets.figures.plotly_figures import gap_figure, mu_figure
    from polyak_widgets.laboratory.budget import Budget
    from polyak_widgets.laboratory.experiment import run_experiment
    from polyak_widgets.page.explorer import Explorer
    from polyak_widgets.page.predict import Predict
    from polyak_widgets.paper.paper_figures import paper_figure
    from polyak_widgets.settings.fields import SettingsError
    from polyak_widgets.settings.settings import Settings
    from polyak_widgets.settings.view import View
    from polyak_widgets.share.animation import animation

__all__ = [
    "Budget",
    "Explorer",
    "Predict",
    "Settings",
    "SettingsError",
    "View",
    "animation",
    "compare",
    "exported",
    "gap_figure",
    "mu_figure",
    "overlay",
    "paper_figure",
    "run_experiment",
]

PLACES = {
    "Budget": "laboratory.budget",
    "Explorer": "page.explorer",
    "Predict": "page.predict",
    "Settings": "settings.settings",
    "SettingsError": "settings.fields",
    "View": "settings.view",
    "animation": "share.animation",
    "compare": "figures.compare",
    "exported": "figures.overlay",
    "gap_figure": "figures.plotly_figures",
    "mu_figure": "figures.plotly_figures",
    "overlay": "figures.overlay",
    "paper_figure": "paper.paper_figures",
    "run_experiment": "laboratory.experiment",
}


def __getattr__(name: str) -> Any:
    """Load a name where it is asked for: figures need no widgets, and a server no solver."""
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{PLACES[name]}"), name)


def __dir__() -> list[str]:
    """The public names alone: what the Tab key offers."""
    return __all__
