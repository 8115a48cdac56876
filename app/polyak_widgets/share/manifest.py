"""What must be known to make the numbers of a file again: versions, settings, data, threads, certificates."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import scipy

import polyak_core as pc
from polyak_widgets.laboratory.experiment import Experiment, MethodRun
from polyak_widgets.laboratory.problems import fields_in_use
from polyak_widgets.panels.words.unusual import run_words, unusual, unusual_line
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.choices import ON_DATA
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.address import AddressError, write_query
from polyak_widgets.share.band_columns import DrawnBands
from polyak_widgets.share.texts import BAND_UNITS, BRAND, COLUMN_UNITS, HASHED

LONGEST_LINK = 4000
"""Letters of the address of a page."""


def manifest(
    experiment: Experiment,
    view: View,
    data: pc.Dataset | None = None,
    link: Any = "",
    bands: DrawnBands | None = None,
) -> dict[str, Any]:
    """Everything in plain numbers and words, ready for JSON.

    Args:
        experiment: what is drawn.
        view: how it is shown.
        data: what the problem was made of.
        link: the address that shows it, as a page says it.
        bands: of many runs that are drawn too, if any.
    """
    settings = experiment.settings
    whole = isinstance(link, str) and len(link) <= LONGEST_LINK and re.fullmatch(r"https?://\S+", link)
    return {
        "made by": BRAND,
        "made on": date.today().isoformat(),
        "schema": 1,
        "words": run_words(settings),
        "unusual": unusual_line(each.words for each in unusual(settings, experiment.problem)),
        "link": link if whole else None,
        "versions": versions(),
        "settings": settings.values(),
        "view": view.values(),
        "query": _query(experiment, view),
        "seed": settings.seed if "seed" in fields_in_use(settings) else None,
        "data": described(data) if data is not None and settings.problem in ON_DATA else None,
        "threads": threads(),
        "problem": _problem(experiment.problem),
        "runs": [_run(run, settings) for run in experiment.runs],
        "band": None if bands is None else bands.facts(),
        "units": {**COLUMN_UNITS, **({} if bands is None else BAND_UNITS)},
    }


def versions() -> dict[str, str]:
    """Of all that has a part in the numbers."""
    try:
        own = version("polyak-explorer")
    except PackageNotFoundError:
        own = pc.__version__
    return {
        "polyak_explorer": own,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
    }


def threads() -> dict[str, Any]:
    """How many the environment allows the libraries of linear algebra, where it says so, and the cores."""
    allowed = {name: text for name, text in os.environ.items() if name.endswith("_NUM_THREADS")}
    return allowed | {"cores": os.cpu_count()}


def described(data: pc.Dataset) -> dict[str, Any]:
    """A data set's name, shape and the sha256 of its numbers as they were used."""
    return {
        "name": data.name,
        "shape": list(data.X.shape),
        "sha256": data_hash(data),
        "hashed": HASHED,
        "source": data.source,
        "licence": data.licence,
    }


def data_hash(data: pc.Dataset) -> str:
    """sha256 over the features row by row, then the labels, as little-endian float64."""
    X = data.X if isinstance(data.X, np.ndarray) else data.X @ np.eye(data.X.shape[1])
    parts = (np.ascontiguousarray(part, dtype="<f8") for part in (X, data.y))
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def _query(experiment: Experiment, view: View) -> str | None:
    try:
        return write_query(experiment.settings, view)
    except AddressError:
        return None


def _problem(problem: pc.Problem) -> dict[str, Any]:
    return {
        "description": problem.describe(),
        "L": problem.L,
        "mu": problem.mu,
        "mu_restricted": problem.mu_restricted,
        "f_star": problem.f_star,
        "f_star_error": problem.f_star_error,
        "f_star_source": problem.f_star_source,
    }


def _run(run: MethodRun, settings: Settings) -> dict[str, Any]:
    """One method without its columns."""
    plain: dict[str, Any] = {"method": run.method, "label": label(run.method, settings)}
    if run.trace is None:
        return plain | {"refused": run.refusal}
    trace = run.trace
    keywords = {name: value for name, value in trace.settings.items() if isinstance(value, int | float | str)}
    return plain | {
        "records": len(trace),
        "outcome": str(trace.outcome),
        "message": trace.message,
        "floor": trace.floor,
        "told": keywords,
    }
