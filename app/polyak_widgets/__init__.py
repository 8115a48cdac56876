"""Widgets of the Polyak Explorer: settings become runs, runs become pictures, pictures a page."""

from polyak_widgets.figures.compare import compare
from polyak_widgets.figures.plotly_figures import gap_figure, mu_figure
from polyak_widgets.laboratory.budget import Budget
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.paper.paper_figures import paper_figure
from polyak_widgets.session.session import Explorer
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View

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


def __dir__() -> list[str]:
    """The public names alone: what the Tab key offers."""
    return __all__
