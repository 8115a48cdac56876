"""Plain plotly figures made of the panels of the page: for notebooks, files and papers.

`import plotly` costs seconds, so it happens where a figure is made.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from polyak_core.arrays import Array
from polyak_widgets.figures.end_labels import end_of, label_heights
from polyak_widgets.figures.plotly_axes import PanelBox, add_axes, in_unit, ordinal, pixel_scale, value_at
from polyak_widgets.figures.theme import Theme, theme
from polyak_widgets.laboratory.experiment import Experiment, run_experiment
from polyak_widgets.look import FONT
from polyak_widgets.panels import PANELS, Curve
from polyak_widgets.panels.frame import thin
from polyak_widgets.settings.settings import Settings, given_settings

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

WIDTH, HEIGHT = 520, 440
"""Of one panel, in pixels."""
LEFT, TOP, BOTTOM, TITLE = 64, 64, 48, 44
LINE, LEADER, SAMPLE, LETTER = 17, 10, 18, 7.0
"""A name: height, length of leader and of the piece of line before it, mean width of a letter at 12 px."""
MOST_POINTS = 4000


def gap_figure(
    source: Settings | Experiment | None = None, *, x: str = "iterations", template: str = "light"
) -> Figure:
    """The gap panel of the page as a plain plotly Figure.

    Args:
        source: settings, which are run, or an experiment that has been; the page's first picture by default.
        x: "iterations", "gradients" (calls of the gradient, whatever one costs) or "seconds".
        template: "light" or "dark".

    Raises:
        ValueError: an unknown unit or template.
        ImportError: plotly is missing; the message has the line that installs it.

    >>> from polyak_widgets import Settings, gap_figure
    >>> figure = gap_figure(Settings(iterations=50, methods=("apg", "pgd")), x="gradients")
    >>> [curve.name for curve in figure.data if curve.name][:2]
    ['APG, true μ', 'Proximal gradient']
    """
    return plotly_figure([in_unit(PANELS["gap"](_experiment(source)), x)], template=template)


def mu_figure(
    source: Settings | Experiment | None = None, *, x: str = "iterations", template: str = "light"
) -> Figure:
    """The panel of the estimates mu_k as a plain plotly Figure; arguments as for `gap_figure`.

    >>> from polyak_widgets import Settings, mu_figure
    >>> figure = mu_figure(Settings(iterations=50, methods=("adapt_apg_v2",)))
    >>> "μₖ Adaptive v2" in [curve.name for curve in figure.data]
    True
    """
    return plotly_figure([in_unit(PANELS["mu"](_experiment(source)), x)], template=template)


def _experiment(source: Settings | Experiment | None) -> Experiment:
    return source if isinstance(source, Experiment) else run_experiment(given_settings(source))


def plotly_figure(
    panels: Sequence[dict[str, Any]],
    *,
    title: str = "",
    columns: int = 2,
    template: str = "light",
    size: tuple[int, int] = (WIDTH, HEIGHT),
    points: int = MOST_POINTS,
) -> Figure:
    """Panels side by side, each with its title, its curves, and their names at their ends.

    Args:
        panels: as `polyak_widgets.panels` makes them; a panel without curves shows its summary instead.
        title: over all of them.
        columns: panels in a row.
        template: "light" or "dark".
        size: of one panel, in pixels.
        points: of a curve, at most; they draw the same picture as all of them.

    Raises:
        ValueError: an unknown template, or no panel.
        ImportError: plotly is missing; the message has the line that installs it.
    """
    if not panels:
        raise ValueError("panels is empty, so there is nothing to draw: give at least one panel.")
    go, look = _plotly(), theme(template)
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    width, height = size[0] * columns, size[1] * rows + (TITLE if title else 0)
    figure = go.Figure(layout=_layout(look, title, width, height))
    for i, panel in enumerate(panels):
        corner = ((i % columns) * size[0], (rows - 1 - i // columns) * size[1])
        box = _box(panel, corner, size)
        add_axes(figure, panel, i + 1, box, look)
        _add_heading(figure, panel, box, look)
        if panel["curves"]:
            _add_curves(figure, panel, i + 1, look, points)
            _add_names(figure, panel, i + 1, box, look)
        else:
            _add_note(figure, panel, i + 1, look)
    return figure


def _plotly() -> Any:
    try:
        import plotly.graph_objects as go
    except ImportError as error:
        raise ImportError('figures need plotly: pip install "polyak-explorer[app]"') from error
    return go


def _layout(look: Theme, title: str, width: int, height: int) -> dict[str, Any]:
    heading = {
        "text": f"<b>{escape(title)}</b>",
        "x": 14 / width,
        "xanchor": "left",
        "y": 1 - 26 / height,
        "yanchor": "middle",
        "font": {"size": 18},
    }
    return {
        "width": width,
        "height": height,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0, "autoexpand": False},
        "paper_bgcolor": look.card,
        "plot_bgcolor": look.card,
        "font": {"family": FONT, "size": 12, "color": look.ink},
        "title": heading if title else {},
        "showlegend": False,
        "hovermode": "x unified",
        "hoverlabel": {"bgcolor": look.card, "bordercolor": look.hair, "font": {"color": look.ink}},
        "separators": ".\u202f",
    }


def _box(panel: dict[str, Any], corner: tuple[int, int], size: tuple[int, int]) -> PanelBox:
    names = [len(curve.label) for curve in panel["curves"] if curve.label]
    right = LEADER + SAMPLE + 16 + LETTER * max(names) if names else 24
    left, bottom = corner[0] + LEFT, corner[1] + BOTTOM
    return PanelBox(left, bottom, size[0] - LEFT - right, size[1] - TOP - BOTTOM)


def _add_heading(figure: Figure, panel: dict[str, Any], box: PanelBox, look: Theme) -> None:
    quiet = f'<span style="font-size:12px;color:{look.quiet}">{escape(panel["subtitle"])}</span>'
    figure.add_annotation(
        text=f"<b>{escape(panel['title'])}</b><br>{quiet}",
        x=(box.left - LEFT + 14) / figure.layout.width,
        y=(box.bottom + box.height + 10) / figure.layout.height,
        xref="paper", yref="paper", xanchor="left", yanchor="bottom",
        align="left", showarrow=False, font={"size": 14},
    )  # fmt: skip


def _add_note(figure: Figure, panel: dict[str, Any], i: int, look: Theme) -> None:
    """The summary in the middle of an empty panel: never an empty plot."""
    figure.add_annotation(
        text="<br>".join(map(escape, textwrap.wrap(panel["summary"], 48))), x=0.5, y=0.5, showarrow=False,
        xref=f"x{ordinal(i)} domain", yref=f"y{ordinal(i)} domain", font={"color": look.quiet, "size": 13},
    )  # fmt: skip
    figure.add_scatter(x=[None], y=[None], xaxis=f"x{ordinal(i)}", yaxis=f"y{ordinal(i)}")


def _add_curves(figure: Figure, panel: dict[str, Any], i: int, look: Theme, points: int) -> None:
    for curve in panel["curves"]:
        lines = curve.mode == "lines"
        indices = thin(curve.y, points) if lines else np.arange(curve.y.size)
        figure.add_scatter(
            x=curve.x[indices],
            y=_drawable(curve.y[indices], panel["y"]["type"]),
            mode=curve.mode,
            name=escape(curve.label or curve.uid),
            line=_line(curve, look) if lines else None,
            marker=None if lines else {**MARK, "color": look.curve(curve.look.colour)},
            opacity=0.6 if curve.faint else 1.0,
            hovertemplate=f"%{{y:.2e}}  {escape(curve.label)}<extra></extra>" if curve.label else None,
            hoverinfo=None if curve.label else "skip",
            xaxis=f"x{ordinal(i)}",
            yaxis=f"y{ordinal(i)}",
        )


MARK = {"symbol": "circle-open", "size": 7, "line": {"width": 1.5}}


def _line(curve: Curve, look: Theme) -> dict[str, Any]:
    """Without plotly's own thinning, which turns smooth curves into polygons."""
    width = curve.look.width
    return {
        "color": look.curve(curve.look.colour),
        "dash": curve.look.dash,
        "width": width,
        "simplify": False,
    }


def _drawable(values: Array, scale: str) -> Array:
    """What the axis can show, NaN elsewhere: the line breaks there."""
    return np.where(values > 0, values, np.nan) if scale == "log" else values


def _add_names(figure: Figure, panel: dict[str, Any], i: int, box: PanelBox, look: Theme) -> None:
    """Names in the margin; the leader inside the chart is a curve, so that it follows when people zoom."""
    to_x, to_y = pixel_scale(panel["x"], box.width), pixel_scale(panel["y"], box.height)
    named = [curve for curve in panel["curves"] if curve.label]
    ends = [end_of(to_x(curve.x), to_y(curve.y), box.width, box.height) for curve in named]
    visible = [(curve, end) for curve, end in zip(named, ends, strict=True) if end]
    heights = label_heights([end for _, end in visible], (box.width, box.height), LINE)
    axes = (f"x{ordinal(i)}", f"y{ordinal(i)}")
    for (curve, end), height in zip(visible, heights, strict=True):
        colour = look.curve(curve.look.colour)
        leader = [value_at(panel["x"], box.width, end[0]), value_at(panel["x"], box.width, box.width)]
        level = [value_at(panel["y"], box.height, end[1]), value_at(panel["y"], box.height, height)]
        if end[0] < box.width - LEADER:
            figure.add_scatter(
                x=leader, y=level, mode="lines", hoverinfo="skip", opacity=0.5,
                line={"color": colour, "width": 1}, xaxis=axes[0], yaxis=axes[1],
            )  # fmt: skip
            tail = height
        else:
            tail = end[1]
        sample = {"color": colour, "dash": curve.look.dash, "width": curve.look.width}
        _margin_line(figure, axes, box, (0, tail), (LEADER, height), {"color": colour, "width": 1})
        _margin_line(figure, axes, box, (LEADER, height), (LEADER + SAMPLE, height), sample)
        figure.add_annotation(
            text=escape(curve.label), x=1, xshift=LEADER + SAMPLE + 4, y=height / box.height,
            xref=f"{axes[0]} domain", yref=f"{axes[1]} domain", xanchor="left", yanchor="middle",
            showarrow=False, font={"color": colour, "size": 12},
        )  # fmt: skip


def _margin_line(
    figure: Figure,
    axes: tuple[str, str],
    box: PanelBox,
    start: tuple[float, float],
    stop: tuple[float, float],
    line: dict[str, Any],
) -> None:
    figure.add_shape(
        type="line", line=line, xref=f"{axes[0]} domain", yref=f"{axes[1]} domain",
        x0=1 + start[0] / box.width, y0=start[1] / box.height,
        x1=1 + stop[0] / box.width, y1=stop[1] / box.height,
    )  # fmt: skip
