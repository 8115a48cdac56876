"""What a run leaves behind: columns of equal length, an outcome, a message for people."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_core.checks import Given, one_of, real_array, real_number, shown
from polyak_core.display import Facts, curve_svg, facts_html, facts_text, reached_at, short, ten_to
from polyak_core.lazy import lazy_property
from polyak_core.runs.endings import Ending, Outcome

NUMBERS = (
    "k", "gap", "gap_seen", "mu_hat", "mu", "mu_loc", "beta", "log_A", "t",
    "gradients", "proxes", "products", "seconds", "distance",
)  # fmt: skip
FLAGS = ("restarted", "frozen")
COLUMNS = NUMBERS + FLAGS
TIMED_STEPS = 1000
"""As many are enough for a median."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Trace:
    """One run, a record for k = 0..N; all columns float64 of shape (N + 1,), flags boolean.

    Attributes:
        k: iteration.
        gap: f(y_k) - f*, with the certified f*.
        gap_seen: the gap under the f* that the method was given; may be negative.
        mu_hat: estimate made at y_k (`adapt_apg_free`: at x_k), NaN where there is none.
        mu, beta: form x_{k+1}; NaN for methods that use none.
        mu_loc: local strong convexity at x_k.
        log_A: log A_k for `apg` and `adapt_apg`, else NaN.
        t, restarted: momentum counter and restart, after the test at y_k.
        frozen: the estimate at y_k was refused, mu stayed.
        gradients, proxes: running totals of what the method asked for.
        products: running total of the matrix products that were done.
        seconds: time in the method, recording left out.
        distance: ||x_k - x*||.
        x, y: the last x_k and y_k, plain points of shape (n,).
        floor: the gap below which rounding errors dominate, in the gap as in mu_hat and mu_loc.
        outcome, message: how it ended, and a sentence with iteration, cause and remedy.
        settings: what was run.
        ending: `outcome` and `message` as a value: iteration, cause, remedy and numbers; None in traces that
            were written without it.

    >>> import polyak_core as pc
    >>> trace = pc.solve(pc.quadratic([1.0, 0.1, 0.01]), "apg", iterations=500, target=1e-8)
    >>> trace.first_below(1e-8), len(trace.gap), int(trace.k[-1])
    (87, 88, 87)
    >>> print(trace.message)
    Reached the target 1e-08 of the initial gap at iteration 87.
    """

    k: Array
    gap: Array
    gap_seen: Array
    mu_hat: Array
    mu: Array
    mu_loc: Array
    beta: Array
    log_A: Array
    t: Array
    gradients: Array
    proxes: Array
    products: Array
    seconds: Array
    distance: Array
    restarted: npt.NDArray[np.bool_]
    frozen: npt.NDArray[np.bool_]
    x: Array
    y: Array
    floor: float
    outcome: Outcome
    message: str
    settings: dict[str, Any] = field(default_factory=dict)
    ending: Ending | None = None

    def __post_init__(self) -> None:
        """Make columns of one length read-only, since traces are shared.

        Raises:
            ValueError: the lengths differ.
        """
        for name in (*COLUMNS, "x", "y"):
            if not isinstance(getattr(self, name), np.ndarray):
                raise ValueError(
                    f"not a trace: {name} = {shown(getattr(self, name))} is no array; give arrays."
                )
        for name in COLUMNS:
            if getattr(self, name).ndim != 1:
                raise ValueError(
                    f"not a trace: {name} has shape {getattr(self, name).shape}; give one number a record."
                )
            if len(getattr(self, name)) != len(self.k):
                raise ValueError(
                    f"not a trace: {name} has {len(getattr(self, name))} records and k has {len(self.k)}; "
                    "give columns of one length."
                )
        for name in (*COLUMNS, "x", "y"):
            getattr(self, name).setflags(write=False)

    @property
    def relative_gap(self) -> Array:
        """The gap as a part of the initial gap; as it is where that is 0."""
        return np.asarray(self.gap / (self.gap[0] or 1.0))

    @lazy_property
    def step_seconds(self) -> float:
        """The median time of a step: pauses of the machine are no steps of a method."""
        steps = len(self) - 1
        if steps < 1:
            return 0.0
        some = np.arange(0, steps, max(1, steps // TIMED_STEPS))
        median = float(np.median(self.seconds[some + 1] - self.seconds[some]))
        return median if median > 0 else float(self.seconds[-1]) / steps

    def first_below(self, relative_gap: float) -> int | None:
        """The first k with gap <= relative_gap * gap_0, None if there is none."""
        below = np.flatnonzero(self.gap <= _part(relative_gap) * self.gap[0])
        return int(below[0]) if below.size else None

    def last_above(self, relative_gap: float) -> int | None:
        """The last k with gap > relative_gap * gap_0, None if there is none."""
        above = np.flatnonzero(self.gap > _part(relative_gap) * self.gap[0])
        return int(above[-1]) if above.size else None

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and strings; `from_dict` gives the same trace back."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        plain |= {name: value.tolist() for name, value in plain.items() if isinstance(value, np.ndarray)}
        ending = None if self.ending is None else self.ending.to_dict()
        return plain | {"outcome": str(self.outcome), "settings": dict(self.settings), "ending": ending}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Trace:
        """The inverse of `to_dict`.

        Raises:
            ValueError: keys are missing or unknown, or columns differ in length.
        """
        names = {f.name for f in fields(cls)}
        if not isinstance(plain, dict):
            raise ValueError(f"not a trace: {shown(plain)} is no dict; use Trace.to_dict to make one.")
        if set(plain.keys()) | {"ending"} != names:
            odd = sorted(map(str, names ^ {*plain.keys(), "ending"}))
            raise ValueError(
                f"not a trace: the keys {shown(odd)} are missing or unknown; use Trace.to_dict to make one."
            )
        outcome = one_of(plain["outcome"], "outcome", tuple(Outcome))
        if not (isinstance(plain["message"], str) and isinstance(plain["settings"], dict)):
            raise ValueError(
                "not a trace: message must be text and settings a dict; use Trace.to_dict to make one."
            )
        floor = real_array(plain["floor"], "floor")
        if floor.ndim:
            raise ValueError(f"not a trace: floor = {shown(plain['floor'])} is no number.")
        values = dict(plain, outcome=Outcome(outcome), floor=float(floor), settings=dict(plain["settings"]))
        ending = plain.get("ending")  # older dictionaries lack it
        values["ending"] = None if ending is None else Ending.from_dict(ending)
        for name in (*NUMBERS, "x", "y"):
            values[name] = real_array(_with_nan(plain[name]), name).astype(np.float64)
        values |= {name: real_array(plain[name], name).astype(np.bool_) for name in FLAGS}
        return cls(**values)

    def to_csv(self, path: str | Path) -> None:
        """Write the columns to a file, one record a line, numbers in full precision."""
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows(zip(*(getattr(self, name).tolist() for name in COLUMNS), strict=True))

    def to_pandas(self) -> Any:
        """A pandas table of the columns, one record a line, k the index; see `polyak_core.to_pandas`."""
        from polyak_core.runs.to_pandas import to_pandas

        return to_pandas(self)

    def describe(self) -> str:
        """How far the run came, what it cost and how it ended: plain text, a line each."""
        return facts_text(trace_title(self), trace_facts(self))

    def _repr_html_(self) -> str:
        """What a notebook shows: `describe` as a table, and the gap as a small curve."""
        return trace_html(self)

    def __len__(self) -> int:
        """Number of records."""
        return len(self.k)

    def __repr__(self) -> str:
        """One line."""
        gap = self.gap[-1] if len(self) else np.nan
        method = self.settings.get("method", "")
        return f"<Trace {method}: {len(self)} records, gap {gap:.3g}, {self.outcome}>"


def _with_nan(value: Given, depth: int = 2) -> Given:
    """Lists, or lists of lists, in which JSON's null is NaN again."""
    if depth and isinstance(value, list):
        return [_with_nan(entry, depth - 1) for entry in value]
    return np.nan if value is None else value


def _part(relative_gap: Given) -> float:
    return real_number(relative_gap, "relative_gap", "a part of the initial gap, for instance 1e-6")


TOLERANCES = (1e-4, 1e-8, 1e-10)


def trace_title(trace: Trace) -> str:
    """What was run on what."""
    named = [str(trace.settings[key]) for key in ("method", "problem") if trace.settings.get(key)]
    return " on ".join(named) or "Trace"


def _count(number: float) -> str:
    return "unknown" if np.isnan(number) else f"{number:.0f}"


def trace_facts(trace: Trace) -> Facts:
    """How far the run came, what it cost and how it ended."""
    if not len(trace):
        return [("records", "none"), ("outcome", str(trace.outcome)), ("message", trace.message)]
    reached = ", ".join(f"{ten_to(t)}: {reached_at(trace.first_below(t))}" for t in TOLERANCES)
    columns = [
        (trace.gradients, "gradients"),
        (trace.proxes, "prox steps"),
        (trace.products, "matrix products"),
    ]
    spent = (
        ", ".join(f"{_count(column[-1])} {what}" for column, what in columns) + f", {trace.seconds[-1]:.3g} s"
    )
    facts = [
        ("outcome", str(trace.outcome)),
        ("iterations", f"{len(trace) - 1}"),
        ("gap", f"{trace.gap[0]:.3g} at first, {trace.gap[-1]:.3g} at last; floor {trace.floor:.1e}"),
        ("first below, of gap_0", reached),
        ("cost", spent),
    ]
    if np.isfinite(trace.mu[-1]):
        facts.append(("μ_k at last", f"{trace.mu[-1]:.6g}"))
    settings = {name: value for name, value in trace.settings.items() if name not in ("method", "problem")}
    words = ", ".join(f"{name} = {short(value)}" for name, value in settings.items() if value is not None)
    return facts + ([("settings", words)] if words else []) + [("message", trace.message)]


def trace_html(trace: Trace) -> str:
    """A trace in a notebook: its facts and its gap as a small curve."""
    return facts_html(trace_title(trace), trace_facts(trace), curve_svg(trace.k, trace.gap))
