"""Files of what is drawn: all traces as CSV or JSON, the page as one HTML file."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, NamedTuple

import polyak_core as pc
from polyak_core.checks import one_of
from polyak_core.runs.trace import COLUMNS
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.settings.view import View
from polyak_widgets.share.sharing import file_stem
from polyak_widgets.share.standalone import standalone_page
from polyak_widgets.share.texts import COLUMN_UNITS

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
    kind: Any, experiment: Experiment | None, manifest: dict[str, Any] | None, state: Mapping[str, Any]
) -> File:
    """The file of what is drawn.

    Args:
        kind: "csv", "json", "html" or, where Pillow is there, "gif".
        experiment: what is drawn.
        manifest: the facts of what is drawn, as `manifest.manifest` gives them.
        state: what the page shows, for `standalone_page`.

    Raises:
        ValueError: an unknown kind, runs that have not ended, or a file that is too large, in words.
    """
    write, media = WRITERS[str(one_of(kind, "kind of file", tuple(WRITERS)))]
    if experiment is None or manifest is None or not experiment.finished:
        raise ValueError("The runs have not ended: wait for them or cancel them, then export.")
    text = write(experiment, manifest, state)
    name = f"{file_stem(experiment.settings)}.{kind}"
    content = text.encode() if isinstance(text, str) else text
    return File(name, media, gzip.compress(content, compresslevel=1, mtime=0), True)


def traces_csv(experiment: Experiment, manifest: dict[str, Any]) -> str:
    """All traces in long form: a line for each record, its method first.

    Lines that begin with "#" come before: the manifest as one line of JSON, what was run in words, then the
    unit of each column.
    Numbers have all their digits; `pandas.read_csv(path, comment="#")` reads the file.

    Raises:
        ValueError: it would be too large for a page.
    """
    _require_room(experiment)
    out = io.StringIO(newline="")
    out.write("# " + json.dumps({k: v for k, v in manifest.items() if k != "units"}, default=str) + "\n")
    out.writelines(f"# {manifest[name]}\n" for name in ("words", "unusual") if manifest[name])
    out.writelines(f"# {name}: {unit}\n" for name, unit in COLUMN_UNITS.items())
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("method", *COLUMNS))
    for method, trace in _traces(experiment):
        columns = (getattr(trace, name).tolist() for name in COLUMNS)
        writer.writerows((method, *record) for record in zip(*columns, strict=True))
    return out.getvalue()


def traces_json(experiment: Experiment, manifest: dict[str, Any]) -> str:
    """{"manifest": ..., "traces": {method: columns}}; `polyak_core.Trace.from_dict` takes each.

    JSON has no NaN: it is written as null, and infinity as "inf" or "-inf".

    Raises:
        ValueError: it would be too large for a page.
    """
    _require_room(experiment)
    traces = {method: trace.to_dict() for method, trace in _traces(experiment)}
    return json.dumps(_plain({"manifest": manifest, "traces": traces}), allow_nan=False, ensure_ascii=False)


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


def _require_room(experiment: Experiment) -> None:
    numbers = len(COLUMNS) * sum(len(trace) for _, trace in _traces(experiment))
    if numbers * NUMBER_BYTES > LARGEST:
        size, most = numbers * NUMBER_BYTES // 10**6, LARGEST // 10**6
        raise ValueError(
            f"These traces make about {size} MB, more than the {most} MB "
            "that a page sends. Take fewer iterations or methods, or copy the code and write the file in a "
            "notebook: trace.to_csv(path)."
        )


def _csv(experiment: Experiment, manifest: dict[str, Any], state: Mapping[str, Any]) -> str:
    return traces_csv(experiment, manifest)


def _json(experiment: Experiment, manifest: dict[str, Any], state: Mapping[str, Any]) -> str:
    return traces_json(experiment, manifest)


def _html(experiment: Experiment, manifest: dict[str, Any], state: Mapping[str, Any]) -> str:
    return standalone_page(state, _plain(manifest))


def _gif(experiment: Experiment, manifest: dict[str, Any], state: Mapping[str, Any]) -> bytes:
    from polyak_widgets.share.animation import animation  # a page starts without it, and mostly stays so

    return animation(experiment, View.from_values(state.get("view", {})))


WRITERS: dict[str, tuple[Callable[[Experiment, dict[str, Any], Mapping[str, Any]], str | bytes], str]] = {
    "csv": (_csv, "text/csv;charset=utf-8"),
    "json": (_json, "application/json"),
    "html": (_html, "text/html;charset=utf-8"),
} | ({"gif": (_gif, "image/gif")} if find_spec("PIL") else {})
"""By kind: what writes a file, and its media type."""
