"""Files of what is drawn: all traces as CSV or JSON, the page as one HTML file."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.util import find_spec
from itertools import zip_longest
from typing import Any, NamedTuple

import polyak_core as pc
from polyak_core.checks import one_of
from polyak_core.runs.trace import COLUMNS
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.settings.view import View
from polyak_widgets.share.band_columns import BAND_COLUMNS, DrawnBands
from polyak_widgets.share.sharing import file_stem
from polyak_widgets.share.standalone import standalone_page
from polyak_widgets.share.texts import BAND_UNITS, COLUMN_UNITS

LARGEST = 60_000_000
"""Bytes of a file that the page sends; a notebook writes any size."""
NUMBER_BYTES = 19
"""What a number takes in a text file, on average."""


class File(NamedTuple):
    """A file on its way to the page."""

    name: str
    type: str
    data: bytes
    gzip: bool


def make_file(
    kind: Any,
    experiment: Experiment | None,
    manifest: dict[str, Any] | None,
    state: Mapping[str, Any],
    bands: DrawnBands | None = None,
) -> File:
    """The file of what is drawn.

    Args:
        kind: "csv", "json", "html" or, where Pillow is there, "gif".
        experiment: what is drawn.
        manifest: the facts of what is drawn, as `manifest.manifest` gives them.
        state: what the page shows, for `standalone_page`.
        bands: of many runs that are drawn too, for "csv" and "json".

    Raises:
        ValueError: an unknown kind, runs that have not ended, or a file that is too large, in words.
    """
    write, media = WRITERS[str(one_of(kind, "kind of file", tuple(WRITERS)))]
    if experiment is None or manifest is None or not experiment.finished:
        raise ValueError("The runs have not ended: wait for them or cancel them, then export.")
    text = write(experiment, manifest, state, bands)
    name = f"{file_stem(experiment.settings)}.{kind}"
    content = text.encode() if isinstance(text, str) else text
    return File(name, media, gzip.compress(content, compresslevel=1, mtime=0), True)


def traces_csv(experiment: Experiment, manifest: dict[str, Any], bands: DrawnBands | None = None) -> str:
    """All traces in long form: a line for each record, its method first.

    Lines that begin with "#" come before: the manifest as one line of JSON, what was run in words, then the
    unit of each column.
    Numbers have all their digits; `pandas.read_csv(path, comment="#")` reads the file. With `bands` three
    columns are added; where a band is longer than the run of its method, lines follow that have these alone.

    Raises:
        ValueError: it would be too large for a page.
    """
    _require_room(experiment, bands)
    out = io.StringIO(newline="")
    out.write("# " + json.dumps({k: v for k, v in manifest.items() if k != "units"}, default=str) + "\n")
    out.writelines(f"# {manifest[name]}\n" for name in ("words", "unusual") if manifest[name])
    more = () if bands is None else BAND_COLUMNS
    units = {**COLUMN_UNITS, **(BAND_UNITS if more else {})}
    out.writelines(f"# {name}: {unit}\n" for name, unit in units.items())
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("method", *COLUMNS, *more))
    for method, trace in _traces(experiment):
        columns = (getattr(trace, name).tolist() for name in COLUMNS)
        records = zip(*columns, strict=True)
        if bands is None:
            writer.writerows((method, *record) for record in records)
        else:
            writer.writerows(_lines_with_band(method, records, bands))
    return out.getvalue()


def _lines_with_band(method: str, records: Iterable[tuple[Any, ...]], bands: DrawnBands) -> Iterator[Any]:
    """The lines of one method, each with the band at its k."""
    nothing = [""] * len(BAND_COLUMNS)
    for k, (record, cells) in enumerate(zip_longest(records, bands.cells(method))):
        yield (method, *(record or [float(k), *[""] * (len(COLUMNS) - 1)]), *(cells or nothing))


def traces_json(experiment: Experiment, manifest: dict[str, Any], bands: DrawnBands | None = None) -> str:
    """{"manifest": ..., "traces": {method: columns}}; `polyak_core.Trace.from_dict` takes each.

    With `bands` there is "bands" too, {method: columns}. JSON has no NaN: it is written as null, and infinity
    as "inf" or "-inf".

    Raises:
        ValueError: it would be too large for a page.
    """
    _require_room(experiment, bands)
    traces = {method: trace.to_dict() for method, trace in _traces(experiment)}
    whole = {"manifest": manifest, "traces": traces} | ({} if bands is None else {"bands": bands.columns()})
    return json.dumps(_plain(whole), allow_nan=False, ensure_ascii=False)


def _traces(experiment: Experiment) -> list[tuple[str, pc.Trace]]:
    return [(run.method, run.trace) for run in experiment.runs if run.trace is not None]


def _plain(value: Any) -> Any:
    """The same without numbers that JSON does not know, and without NumPy's types."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _require_room(experiment: Experiment, bands: DrawnBands | None) -> None:
    numbers = len(COLUMNS) * sum(len(trace) for _, trace in _traces(experiment))
    numbers += bands.numbers if bands is not None else 0
    if numbers * NUMBER_BYTES > LARGEST:
        size, most = numbers * NUMBER_BYTES // 10**6, LARGEST // 10**6
        raise ValueError(
            f"These traces make about {size} MB, more than the {most} MB "
            "that a page sends. Take fewer iterations or methods, or copy the code and write the file in a "
            "notebook: trace.to_csv(path)."
        )


def _html(
    experiment: Experiment, manifest: dict[str, Any], state: Mapping[str, Any], bands: DrawnBands | None
) -> str:
    return standalone_page(state, _plain(manifest))


def _gif(
    experiment: Experiment, manifest: dict[str, Any], state: Mapping[str, Any], bands: DrawnBands | None
) -> bytes:
    from polyak_widgets.share.animation import animation  # a page starts without it, and mostly stays so

    return animation(experiment, View.from_values(state.get("view", {})))


Writer = Callable[[Experiment, dict[str, Any], Mapping[str, Any], DrawnBands | None], str | bytes]
WRITERS: dict[str, tuple[Writer, str]] = {
    "csv": (
        lambda experiment, facts, state, bands: traces_csv(experiment, facts, bands),
        "text/csv;charset=utf-8",
    ),
    "json": (
        lambda experiment, facts, state, bands: traces_json(experiment, facts, bands),
        "application/json",
    ),
    "html": (_html, "text/html;charset=utf-8"),
} | ({"gif": (_gif, "image/gif")} if find_spec("PIL") else {})
"""By kind: what writes a file, and its media type."""
