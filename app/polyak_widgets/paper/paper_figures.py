"""The paper's five figures, from its own data and parameters.

Reference: Barre and d'Aspremont, Polyak Steps for Adaptive Fast Gradient Method, 2019, figures 1 to 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from polyak_core.checks import one_of, several, whole_number
from polyak_widgets.figures.plotly_figures import MOST_POINTS, plotly_figure
from polyak_widgets.paper.paper_panels import LOSS_NAMES, PAPER_LOSSES, Runs, panels_of, tasks_of
from polyak_widgets.paper.paper_runs import CACHE, run_tasks

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

TITLES = {
    1: "Figure 1: matrix completion",
    2: "Figure 2: Musk and Madelon",
    3: "Figure 3: the choice of γ",
    4: "Figure 4: Sonar",
    5: "Figure 5: from μₖ to μ, and to μ_loc",
}


def paper_figure(
    number: int,
    *,
    iterations: int | None = None,
    gammas: Sequence[float] | None = None,
    losses: Sequence[str] = PAPER_LOSSES,
    template: str = "light",
    folder: Path | str | None = CACHE,
    progress: bool = True,
) -> Figure:
    """One of the paper's figures as a plotly Figure.

    Finished runs are kept in `folder`; the first time takes a minute, figure 2 with Madelon about ten.

    Args:
        number: 1 matrix completion, 2 Musk and Madelon, 3 the choice of gamma, 4 Sonar, 5 the estimates.
        iterations: stop every run there, for a quick look; by default as far as needed (not for figure 5).
        gammas: those tried for the restarted method; by default nine of them, on Madelon's SVM three.
        losses: which of "least_squares", "logistic", "lasso", "svm_dual" figures 2 and 4 show.
        template: "light" or "dark".
        folder: where finished runs are kept; None keeps nothing.
        progress: show a bar.

    Returns:
        The figure; a panel whose data set is missing says so in words.

    Raises:
        ValueError: there is no such figure, loss or template.
        ImportError: plotly, joblib or tqdm is missing; the message has the line that installs it.

    >>> from polyak_widgets import paper_figure
    >>> figure = paper_figure(4, iterations=20, gammas=[5], losses=["lasso"], folder=None, progress=False)
    >>> len(figure.data) > 2
    True
    """
    whole_number(number, "number", min(TITLES), max(TITLES))
    entries = several(losses, "losses", f"names out of {', '.join(PAPER_LOSSES)}")
    losses = [one_of(loss, "loss", PAPER_LOSSES) for loss in entries]
    if not losses:
        raise ValueError(f"losses is empty: give names out of {', '.join(PAPER_LOSSES)}.")
    where = None if folder is None else Path(folder)
    runs = run_tasks(tasks_of(number, iterations, gammas, losses), folder=where, progress=progress)
    return figure_of(number, runs, template, losses)


def figure_of(
    number: int,
    runs: Runs,
    template: str = "light",
    losses: Sequence[str] = PAPER_LOSSES,
    points: int = MOST_POINTS,
) -> Figure:
    """A figure made of runs that are there, each curve of so many points at most."""
    panels = panels_of(number, runs, losses)
    return plotly_figure(panels, title=title_of(number, losses), template=template, points=points)


def title_of(number: int, losses: Sequence[str] = PAPER_LOSSES) -> str:
    """The title of a figure; of 2 and 4 it names the losses that are drawn, where those are not all."""
    if number not in (2, 4) or set(losses) == set(PAPER_LOSSES):
        return TITLES[number]
    return f"{TITLES[number]}, {' and '.join(LOSS_NAMES[loss] for loss in PAPER_LOSSES if loss in losses)}"
