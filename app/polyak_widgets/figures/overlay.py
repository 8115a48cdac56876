"""`overlay`: traces of any origin in one picture, on a chosen axis, with bundles as bands and typed lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.checks import one_of, several, shown, text
from polyak_core.methods.registry import method_named
from polyak_widgets.figures.plotly_figures import plotly_figure
from polyak_widgets.look import METHOD_LOOKS, Look, method_look
from polyak_widgets.panels.charts.y_axis import column, ratio
from polyak_widgets.panels.curves import Curve, decades
from polyak_widgets.panels.texts import GAP_TITLE, Y_TITLES
from polyak_widgets.panels.typed_line import OWN_LINE, typed_line
from polyak_widgets.settings.units import UNITS
from polyak_widgets.settings.view import Y_AXES

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

OTHER_COLOURS = tuple(look.colour for look in METHOD_LOOKS.values() if look.colour != "ink")
BAND_OPACITY = 0.2
Bundle = pc.Trace | Sequence[pc.Trace]


def overlay(
    runs: Mapping[str, Bundle],
    *,
    y: str = "gap",
    beside: str = "",
    lines: Sequence[str] = (),
    template: str = "light",
) -> Figure:
    """Draw traces over each other: of `solve`, `record`, sweeps, or files that pages exported.

    Args:
        runs: traces by the names that the picture gives them. A sequence of traces is one bundle: a band from
            its smallest to its largest value, and its median.
        y: "gap", "distance", "gradient" or "ratio".
        beside: for "ratio" the name of the run whose gap is 1.
        lines: rates of one's own, as "0.5 * 0.99^k" or "10/k^2"; each is named in the picture.
        template: "light" or "dark".

    Raises:
        ValueError: no runs, an unknown axis, no such run, or a line that cannot be read.
        ImportError: plotly is missing; the message has the line that installs it.

    >>> problem = pc.quadratic(pc.spectrum("log", n=20, condition_number=100))
    >>> runs = {name: pc.solve(problem, name, 60) for name in ("apg", "cg")}
    >>> [curve.name for curve in overlay(runs, lines=["0.9^k"]).data if curve.name]
    ['apg', 'cg', '0.9ᵏ']
    """
    if not isinstance(runs, Mapping):
        raise ValueError(f"runs = {shown(runs)} is not allowed: give a dictionary of traces by their names.")
    bundles = {text(name, "a name in runs"): _bundle(name, each) for name, each in runs.items()}
    if not bundles:
        raise ValueError("runs is empty, so there is nothing to draw: give at least one trace.")
    one_of(y, "y", tuple(Y_AXES))
    if y == "ratio":
        one_of(beside, "beside", tuple(bundles))
    divisor = median([values_of(trace, "gap") for trace in bundles[beside]]) if y == "ratio" else None
    curves, bands = [], []
    for i, (name, traces) in enumerate(bundles.items()):
        rows = [values_of(trace, y) for trace in traces]
        if divisor is not None:
            rows = [ratio(row, divisor) for row in rows]
        look = own_look(traces[0], i, [each[0] for each in bundles.values()])
        middle = median(rows)
        curves.append(Curve(f"run:{i}", name, look, np.arange(float(len(middle))), middle))
        if len(rows) > 1:
            bands.append((look.colour, *edges(rows)))
    longest = max(len(curve.x) for curve in curves)
    curves += _lines(lines, np.arange(float(longest)))
    title = Y_TITLES.get(y, GAP_TITLE) + (f" {beside}" if y == "ratio" else "")
    panel = {
        "title": title,
        "subtitle": "",
        "summary": "",
        "x": {
            "title": UNITS["iterations"].axis,
            "type": "linear",
            "range": [0.0, float(max(longest - 1, 1))],
        },
        "y": {"title": "", "type": "log", "range": decades([curve.y for curve in curves], lowest=1e-30)},
        "curves": curves,
    }
    figure = plotly_figure([panel], template=template)
    for colour, low, high in bands:
        _add_band(figure, colour, low, high)
    return figure


def _lines(lines: Sequence[str], k: Array) -> list[Curve]:
    curves = []
    for i, line in enumerate(several(lines, "lines", "texts, such as 0.5 * 0.99^k")):
        legend, values = typed_line(text(line, "line"), k)
        curves.append(Curve(f"line:{i}", legend, OWN_LINE, k, values))
    return curves


def _bundle(name: str, each: object) -> list[pc.Trace]:
    traces = [each] if isinstance(each, pc.Trace) else several(each, f"runs[{name!r}]", "traces")
    if not traces or not all(isinstance(trace, pc.Trace) for trace in traces):
        raise ValueError(f"runs[{name!r}] = {shown(each)} is not allowed: give a trace, or a list of traces.")
    return traces


def _add_band(figure: Any, colour: str, low: Array, high: Array) -> None:
    k = np.arange(float(len(low)))
    x, edge = np.concatenate([k, k[::-1]]), np.concatenate([high, low[::-1]])
    fill = colour if colour.startswith("#") else "#7F7F7F"
    figure.add_scatter(
        x=x, y=edge, fill="toself", fillcolor=fill, opacity=BAND_OPACITY, line={"width": 0}, hoverinfo="skip",
        showlegend=False,
    )  # fmt: skip


def own_look(trace: pc.Trace, place: int, firsts: Sequence[pc.Trace]) -> Look:
    """The look of its method; a colour of its own where others of the same method are drawn."""
    method = trace.settings.get("method", "")
    alike = [each.settings.get("method", "") for each in firsts].count(method)
    if method in METHOD_LOOKS and alike == 1:
        return method_look(method)
    return Look(OTHER_COLOURS[place % len(OTHER_COLOURS)], marker=method_look(method).marker)


def values_of(trace: pc.Trace, y: str) -> Array:
    """The column that an axis shows; NaN where it is 0, which a logarithmic axis cannot show."""
    values = column(trace, y)
    return np.where(values > 0, values, np.nan)


def median(rows: Sequence[Array]) -> Array:
    """The median as far as all rows go."""
    length = min(map(len, rows))
    return np.asarray(np.median([row[:length] for row in rows], axis=0))


def edges(rows: Sequence[Array]) -> tuple[Array, Array]:
    """The smallest and the largest value as far as all rows go."""
    length = min(map(len, rows))
    table = np.array([row[:length] for row in rows])
    return table.min(axis=0), table.max(axis=0)


def _plain(path: Path) -> object:
    """What a file of JSON holds; None of a file of another kind."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}): give a file that can.") from None
    except ValueError:
        return None


def exported(paths: Iterable[str | Path]) -> dict[str, pc.Trace]:
    """The traces of JSON files that pages exported, by names that tell them apart.

    A method that only one file has keeps its name; else what differs between the manifests is added, the
    words of the settings, or the file's name.

    Raises:
        ValueError: there is no such file, or it is no such export.

    >>> exported([])
    {}
    """
    files = []
    for each in several(paths, "paths", "paths of files"):
        if not isinstance(each, str | Path):
            raise ValueError(f"paths has {shown(each)}, which is no path: give text or a pathlib.Path.")
        path, plain = Path(each), _plain(Path(each))
        if not (isinstance(plain, dict) and {"manifest", "traces"} <= set(plain)):
            raise ValueError(f"{path.name} is no export of a page: give the JSON files that Export saves.")
        traces = {name: pc.Trace.from_dict(each) for name, each in plain["traces"].items()}
        files.append((path.stem, str(plain["manifest"].get("words", "")), traces))
    counts = [name for _, _, traces in files for name in traces]
    words = [each for _, each, _ in files]
    runs = {}
    for stem, sentence, traces in files:
        for name, trace in traces.items():
            label = method_named(name).label
            more = sentence if sentence and words.count(sentence) == 1 else stem
            runs[label if counts.count(name) == 1 else f"{label}, {more}"] = trace
    return runs
