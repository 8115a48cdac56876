"""Runs that come from elsewhere: files that a page or `Trace.to_csv` wrote, and traces of a notebook."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

import polyak_core as pc
from polyak_core.checks import shown
from polyak_core.runs.trace import COLUMNS, FLAGS, NUMBERS
from polyak_widgets.laboratory.experiment import Experiment, MethodRun
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import Settings
from polyak_widgets.share.band_columns import BAND_COLUMNS
from polyak_widgets.share.texts import READ_FROM_A_FILE

MOST_RUNS = 40
LONGEST_NAME = 40
HEADS = (list(COLUMNS), ["method", *COLUMNS], ["method", *COLUMNS, *BAND_COLUMNS])


def holds_runs(content: bytes) -> bool:
    """Whether a file is meant as one of runs: JSON with traces, or a table with the columns of a trace."""
    begin = content[:20_000].decode("utf-8", errors="replace").lstrip("\ufeff \n")
    if begin.startswith("{"):
        return b'"traces"' in content
    head = next((line for line in begin.splitlines() if not line.startswith("#")), "")
    return head.split(",") in HEADS


def runs_of_file(name: str, content: bytes, problem: pc.Problem) -> Experiment:
    """The runs in a file; `problem` stands in for theirs, which no file holds.

    Raises:
        SettingsError: in words, what is wrong with the file.
    """
    stem = name.rpartition(".")[0] or name
    try:
        text = content.decode("utf-8-sig")
        settings, traces = _in_json(text) if text.lstrip().startswith("{") else _in_csv(text, stem)
        return _experiment(settings, traces, problem)
    except SettingsError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        why = f"{error!s:.160}".rstrip(".")
        raise SettingsError("upload", f"{name} is meant to hold runs and cannot be read: {why}.") from None


def runs_beside(beside: Any, problem: pc.Problem) -> Experiment:
    """Traces that a notebook hands over: one, several, or a dictionary of names.

    Raises:
        ValueError: something else, none, or two of one name.
    """
    if isinstance(beside, pc.Trace):
        beside = [beside]
    if isinstance(beside, Mapping):
        traces = dict(beside)
    elif isinstance(beside, Sequence) and all(isinstance(each, pc.Trace) for each in beside):
        names = [str(trace.settings.get("method", "recorded")) for trace in beside]
        if len(set(names)) < len(names):
            twice = max(names, key=names.count)
            raise ValueError(f"two traces are both of {twice}: give a dictionary of names.")
        traces = dict(zip(names, beside, strict=True))
    else:
        raise ValueError(f"beside = {shown(beside)} is no trace: give one, a list, or a dictionary of names.")
    for name, trace in traces.items():
        if not (isinstance(name, str) and isinstance(trace, pc.Trace)):
            raise ValueError(
                f"beside has {shown(trace)} as {shown(name)}: give traces by names that are texts."
            )
    return _experiment(_settings({}, traces), traces, problem)


def named_by(experiment: Experiment) -> str:
    """What stands for runs that have no file."""
    return ", ".join(label(run.method, experiment.settings) for run in experiment.runs)[:LONGEST_NAME]


def _experiment(settings: Settings, traces: Mapping[str, pc.Trace], problem: pc.Problem) -> Experiment:
    """The runs as one picture.

    Raises:
        ValueError: there are none, too many, or one whose k does not count 0, 1, 2, ...
    """
    if not 0 < len(traces) <= MOST_RUNS:
        raise ValueError(f"it has {len(traces)} runs: give 1 to {MOST_RUNS}")
    for name, trace in traces.items():
        if not np.array_equal(trace.k, np.arange(len(trace.k))) or not len(trace.k):
            raise ValueError(f"k of {name[:LONGEST_NAME]} does not count 0, 1, 2, …, one for each record")
    names = {name: name.replace(":", " ")[:LONGEST_NAME] for name in traces}
    runs = [MethodRun(names[name], trace, True) for name, trace in traces.items()]
    return Experiment(settings, problem, tuple(runs))


def _settings(values: Any, traces: Mapping[str, pc.Trace]) -> Settings:
    """Those of a page, as its file has them; else the usual ones, with what the traces say of gamma."""
    with suppress(ValueError):
        if values:
            return Settings.from_values(values)
    gammas = [trace.settings["gamma"] for trace in traces.values() if "gamma" in trace.settings]
    return Settings(gamma=gammas[0]) if gammas else Settings()


def _in_json(text: str) -> tuple[Settings, dict[str, pc.Trace]]:
    plain = json.loads(text)
    if not isinstance(plain.get("traces"), dict):
        raise ValueError("traces is no object of runs by their methods")
    traces = {str(name): pc.Trace.from_dict(_with_infinity(each)) for name, each in plain["traces"].items()}
    manifest = plain.get("manifest")
    return _settings(manifest.get("settings") if isinstance(manifest, dict) else {}, traces), traces


def _with_infinity(plain: Any) -> Any:
    """Columns in which the text of infinity is the number."""
    if not isinstance(plain, dict):
        return plain
    return {name: _numbers(each) if name in NUMBERS else each for name, each in plain.items()}


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [float(each) if each in ("inf", "-inf") else each for each in value]
    return value


def _in_csv(text: str, stem: str) -> tuple[Settings, dict[str, pc.Trace]]:
    """The runs of a table: of a page by their methods, of `Trace.to_csv` one that is named by its file."""
    lines = text.splitlines()
    first = json.loads(lines[0].removeprefix("#")) if lines[0].startswith("# {") else {}
    head, *records = csv.reader(io.StringIO("\n".join(line for line in lines if not line.startswith("#"))))
    rows: dict[str, list[list[str]]] = {}
    for record in records:
        if len(record) != len(head):
            raise ValueError(f"a line has {len(record)} cells where the first has {len(head)}")
        name, cells = (record[0], record[1:]) if head[0] == "method" else (stem, record)
        if cells[1]:  # else only the band of that method goes on
            rows.setdefault(name, []).append(cells[: len(COLUMNS)])
    about = {each.get("method"): each for each in first.get("runs", ())}
    traces = {name: _trace(name, cells, about.get(name, {})) for name, cells in rows.items()}
    return _settings(first.get("settings"), traces), traces


def _trace(name: str, rows: list[list[str]], about: Mapping[str, Any]) -> pc.Trace:
    columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    numbers: dict[str, Any] = {each: np.array(columns[each], dtype=np.float64) for each in NUMBERS}
    numbers |= {each: np.array([cell == str(True) for cell in columns[each]]) for each in FLAGS}
    return pc.Trace(
        **numbers,
        x=np.empty(0),
        y=np.empty(0),
        floor=float(about.get("floor", 0.0)),
        outcome=pc.Outcome(about.get("outcome", "budget")),
        message=str(about.get("message", READ_FROM_A_FILE)),
        settings={"method": name, **about.get("told", {})},
    )
