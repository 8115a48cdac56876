"""Widgets of the Polyak Explorer: settings become runs, runs become pictures, pictures a page."""

from typing import TYPE_CHECKING, Any

from polyak_widgets.figures.compare import compare
from polyak_widgets.figures.plotly_figures import gap_figure, mu_figure
from polyak_widgets.laboratory.budget import Budget
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.paper.paper_figures import paper_figure
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View

if TYPE_CHECKING:
    from polyak_widgets.page.explorer import Explorer

__all__ = [
    "Budget",
    "Explorer",
    "Settings",
    "SettingsError",
    "View",
    "compare",
    "gap_figure",
    "mu_figure",
    "paper_figure",
    "run_experiment",
]


def __getattr__(name: str) -> Any:
    """Load the Explorer where it is asked for: all else needs no ipywidgets."""
    if name != "Explorer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from polyak_widgets.page.explorer import Explorer

    return Explorer


def __dir__() -> list[str]:
    """The public names alone: what the Tab key offers."""
    return __all__
