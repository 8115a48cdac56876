"""Many runs of one method at once, for instance 64 values of gamma: rows of one array, stepped together.

A stack costs a few times what one run costs, since NumPy handles 64 rows in little more time than one, and
since one product of the matrix serves all rows. Its numbers are those of the single runs: the same bits
where every operation is elementwise (the eigenbasis), within 1e-12 of the initial gap elsewhere.

Run it to its end, or in slices to draw while it grows:

>>> import numpy as np
>>> import polyak_core as pc
>>> problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))
>>> gammas = np.geomspace(0.1, 20, 64)
>>> stack = Stack(problem, "restart", iterations=20_000, target=1e-10, gamma=gammas)
>>> while not stack.advance(slice_seconds=0.02):
...     found = stack.first_below(1e-10)  # shape (64,), NaN where a row is still above it: draw it
>>> found = stack.first_below(1e-10)
>>> int(np.nanmin(found)), float(np.round(gammas[np.nanargmin(found)], 1))
(1107, 4.8)

`stack.k` is the last iteration so far, `stack.gaps` all gaps of shape (64, k + 1). A family of problems is a
list of quadratics: ``Stack([pc.quadratic(pc.spectrum("log", 100, kappa)) for kappa in kappas], "fista")``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from polyak_core.arrays import Array, Scalar
from polyak_core.checks import Given
from polyak_core.lifted.composite import Composite
from polyak_core.lifted.logistic import MarginForm
from polyak_core.lifted.nuclear import Spectral
from polyak_core.lifted.quadratic import Eigenbasis, QuadraticForm
from polyak_core.methods.estimators import KnownMu, OnlineMu
from polyak_core.methods.keywords import Parameters, parameters
from polyak_core.methods.registry import METHODS
from polyak_core.problems.oracle import Oracle
from polyak_core.problems.problem import Problem
from polyak_core.runs.endings import Outcome
from polyak_core.runs.limits import Limits, Row, checked_limits, largest_gap
from polyak_core.runs.recorder import Recorder
from polyak_core.runs.trace import Trace
from polyak_core.runs.work import Turns

STACKABLE = frozenset(method.generator for method in METHODS.values() if method.stacks)
"""Generators that can carry rows; people's own may be unable to."""
ELEMENTWISE_NUMBERS, PRODUCT_NUMBERS = 2**15, 2**16
"""Numbers in one group of rows: more would leave the cache, or gain nothing for a product."""
Task = tuple[Problem, dict[str, Any]]
"""A problem, and the keywords of a run on it."""


class Stack:
    """Runs of one method that differ in one keyword, or in the problem.

    Rows go in groups that fit the cache. A row that reaches the target, is solved exactly, diverges or is
    not finite ends there, and the others go on.

    Args:
        problem: what to minimise; or a list of quadratics in the eigenbasis, of one size n.
        method: a name in `METHODS` that the package brought.
        iterations: last k.
        target: a row ends at its first gap <= target * gap_0.
        full: keep all columns, for `traces`; else gaps alone, which is quicker.
        exact: make products row by row, so that all numbers have the bits of single runs; not for logistic
            losses and sparse matrices.
        keywords: as in `solve`; a list or array gives one value to each row, and all lists are as long.
            Starts ``x0`` can be listed where mu > 0.

    Raises:
        ValueError: as in `solve`, lists of different lengths, or what cannot be stacked: one's own methods
            and losses, backtracking, a window, a schedule, ``f_star="dual"``, matrix completion.
    """

    def __init__(
        self,
        problem: Problem | Sequence[Problem],
        method: str,
        iterations: int = 1000,
        target: float | None = None,
        full: bool = False,
        exact: bool = False,
        **keywords: Given,
    ) -> None:
        """Check everything; the first step is taken by `advance`."""
        tasks = rows_of(problem, keywords)
        problems = [own for own, _ in tasks]
        plans = [parameters(own, method, **own_keywords) for own, own_keywords in tasks]
        why = obstacle(problems, plans, exact)
        if why:
            raise ValueError(f"these runs cannot be stacked: {why}; run them one by one, as pc.sweep does.")
        rows = made_rows(problems, method, plans, iterations, target)
        self.settings = [{name: own_keywords.get(name) for name in keywords} for _, own_keywords in tasks]
        self._groups: list[Recorder] = []
        self._place: list[tuple[Recorder, int]] = []
        for part in np.array_split(np.arange(len(rows)), -(-len(rows) // most_rows(problems[0]))):
            group = recorded([rows[i] for i in part], [plans[i] for i in part], full, exact)
            self._groups.append(group)
            self._place += [(group, j) for j in range(len(part))]
        self._turns = Turns(self._groups)
        self._below: dict[float, list[tuple[int, Scalar]]] = {}

    # -- going on -----------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether every row has ended."""
        return self._turns.finished

    @property
    def k(self) -> int:
        """The last iteration that every row has reached, or ended before; -1 before the first."""
        going = [group.length for group in self._groups if not group.finished]
        return min(going or [max(group.length for group in self._groups)]) - 1

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on until the end, or for about `slice_seconds`; True when all rows have ended."""
        with np.errstate(divide="ignore"):  # rows that have ended go on
            return self._turns.advance(slice_seconds)

    def cancel(self) -> None:
        """End all rows here, keeping what they had."""
        for group in self._groups:
            group.cancel()

    # -- what there is so far -----------------------------------------------------------------

    @property
    def gaps(self) -> Array:
        """f(y_k) - f*, shape (rows, most records of a row), NaN behind a row's last record."""
        gaps = np.full((len(self), max(group.length for group in self._groups)), np.nan)
        for row, its in zip(gaps, self.rows_of_gaps, strict=True):
            row[: its.size] = its
        return gaps

    @property
    def rows_of_gaps(self) -> list[Array]:
        """The same, each row as far as it goes."""
        return [group.gap[: int(group.last[j]) + 1, j].copy() for group, j in self._place]

    def first_below(self, relative_gap: float) -> Array:
        """For each row the first k with gap <= relative_gap * gap_0, NaN where there is none yet."""
        scanned = self._below.setdefault(relative_gap, [(0, np.nan)] * len(self._groups))
        for i, group in enumerate(self._groups):
            scanned[i] = _scan(group, relative_gap, *scanned[i])
        return np.concatenate([first for _, first in scanned])

    @property
    def outcomes(self) -> list[Outcome | None]:
        """How each row ended, None while it goes on; only full stacks tell a stall from a spent budget."""
        return [group.outcome(j) for group, j in self._place]

    def ended(self, i: int) -> bool:
        """Whether row i has ended."""
        group, j = self._place[i]
        return group.ended(j)

    def trace(self, i: int) -> Trace:
        """Row i so far, as `solve` would give it (of `seconds`, its share); needs full=True."""
        group, j = self._place[i]
        return group.trace(j)

    def traces(self) -> list[Trace]:
        """All rows so far; needs full=True."""
        return [self.trace(i) for i in range(len(self))]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._place)


# -- which runs can be stacked, and how ------------------------------------------------------------


def _scan(group: Recorder, relative_gap: float, scanned: int, first: Scalar) -> tuple[int, Array]:
    """How many records are scanned by now, and for each row the first k with gap <= relative_gap * gap_0."""
    k = np.arange(scanned, group.length)[:, None]
    below = (group.gap[scanned:] <= relative_gap * group.gap[:1]) & (k <= group.last)
    new = below.any(axis=0) & np.isnan(first)
    index = scanned + np.argmax(below, axis=0) if k.size else first
    return group.length, np.where(new, index, first)


def listed(name: str, value: Given) -> list[Given] | None:
    """The values of a keyword that is given as a list, tuple, range or array; None for a single value.

    Raises:
        ValueError: the list is empty.
    """
    many = isinstance(value, list | tuple | range) or (isinstance(value, np.ndarray) and value.ndim > 0)
    if many and name == "x0":
        many = len(value) == 0 or hasattr(value[0], "__len__")
    if not many:
        return None
    if len(value) == 0:
        raise ValueError(f"{name} is an empty list, so there is nothing to run; give at least one value.")
    return value.tolist() if isinstance(value, np.ndarray) and value.ndim == 1 else list(value)


def rows_of(problem: Problem | Sequence[Problem], keywords: dict[str, Given]) -> list[Task]:
    """A problem, at its start, and keywords for each row."""
    several = {} if isinstance(problem, Problem) else {"problem": list(problem)}
    several |= {name: many for name, value in keywords.items() if (many := listed(name, value)) is not None}
    lengths = {name: len(many) for name, many in several.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"lists of a stack must be of one length; got {lengths}.")
    if 0 in lengths.values():
        raise ValueError("problem is an empty list, so there is nothing to run; give at least one.")
    tasks = []
    for i in range(max(lengths.values(), default=1)):
        own_keywords = {**keywords, **{name: many[i] for name, many in several.items()}}
        own = own_keywords.pop("problem", problem)
        _ = own.form  # made before a start is set, so that all starts share it
        x0 = own_keywords.pop("x0", None)
        tasks.append((own if x0 is None else own.starting_at(x0), own_keywords))
    return tasks


def obstacle(problems: list[Problem], plans: list[Parameters], exact: bool) -> str:
    """Why these cannot be stacked, in words; empty if they can."""
    first = plans[0]
    if first.generator not in STACKABLE:
        return "the method is not one that works on rows"
    if not all(each.reference for each in plans):
        return "without x* there is no gap to record"
    if any(each.varied for each in plans) or any(each.seen != first.seen for each in plans):
        return "L or what is known of f* differs from row to row"
    rule = first.arguments.get("rule")
    if not (rule is None or isinstance(rule, KnownMu) or (type(rule) is OnlineMu and rule.window is None)):
        return "the rule for mu_k works on one run"
    if isinstance(rule, OnlineMu) and len({_kind(each.arguments["rule"]) for each in plans}) > 1:
        return "the rule for mu_k differs from row to row"
    return _obstacle_of_points(problems, exact)


def _kind(rule: OnlineMu) -> tuple[str, bool]:
    """What all rows of a stack share of their rules."""
    return rule.estimator, rule.guard


def _obstacle_of_points(problems: list[Problem], exact: bool) -> str:
    form = problems[0].form
    if not all(own.form is form and own.L == problems[0].L for own in problems):
        sizes = {own.loss.size for own in problems}
        if len(sizes) == 1 and all(isinstance(own.form, Eigenbasis) and own.form.plain for own in problems):
            return ""
        return "the problems are not one, nor quadratics in the eigenbasis of one size"
    if isinstance(form, Spectral) or not isinstance(form, QuadraticForm | Composite | MarginForm):
        return "points are carried one by one"
    if exact and (isinstance(form, MarginForm) or not form.exact_rows):
        return "their last digits would not be those of single runs"
    return ""


def made_rows(
    problems: Sequence[Problem],
    method: str,
    plans: Sequence[Parameters],
    iterations: Given,
    target: Given,
) -> list[Row]:
    """A row for each run, with the limits of all."""
    steps, goal, time = checked_limits(iterations, target, None)
    ends = {"iterations": steps, "target": goal, "seconds": None}
    rows = []
    for own, each in zip(problems, plans, strict=True):
        oracle = own.oracle()
        largest = largest_gap(own, oracle, oracle.lift(own.x0))
        limits = Limits(
            iterations=steps,
            target=goal,
            seconds=time,
            divergence=largest,
            sharp=not own.subtracts,
        )
        settings = {"problem": own.name, "method": method, **ends, **each.settings}
        rows.append(Row(own, each.seen, settings, limits))
    return rows


def most_rows(problem: Problem) -> int:
    """Rows of a group."""
    limit = ELEMENTWISE_NUMBERS if isinstance(problem.form, Eigenbasis) else PRODUCT_NUMBERS
    return max(1, limit // problem.oracle().lift(problem.x0).size)


def recorded(rows: list[Row], plans: list[Parameters], full: bool, exact: bool) -> Recorder:
    """The recorder of one group of rows, at its start."""
    problems = [row.problem for row in rows]
    first = problems[0]
    shared = all(own.form is first.form for own in problems)
    oracle = first.oracle() if shared else family(problems)
    oracle.counts.row_by_row = exact
    if shared and all(own.x0 is first.x0 for own in problems):
        start = np.repeat(oracle.lift(first.x0)[None], len(rows), axis=0)
    else:
        start = oracle.lift(np.stack([own.x0 for own in problems]))
    names = plans[0].arguments
    arguments = {name: _merged(name, [each.arguments[name] for each in plans]) for name in names}
    return Recorder(rows, oracle, start, plans[0].generator(oracle, start, **arguments), full)


def _merged(name: str, values: list[Any]) -> Any:
    """One argument of the method for all rows."""
    if name == "seen":
        return values[0]
    if name != "rule":
        return np.array(values)[:, None]
    if isinstance(values[0], KnownMu):
        return KnownMu(np.array([rule.mu for rule in values])[:, None])
    return replace(values[0], start=np.array([rule.start for rule in values])[:, None])


def family(problems: Sequence[Problem]) -> Oracle:
    """Quadratics of one size in the eigenbasis as one, each a row: eigenvalues of shape (rows, n)."""
    oracles = [own.oracle() for own in problems]
    values = np.stack([own.form.eigenvalues for own in problems if isinstance(own.form, Eigenbasis)])
    form = Eigenbasis(values, np.stack([own.x_star for own in problems]))
    of_each = ((each.L, each.mu, each.least, each.floor, each.size) for each in oracles)
    L, mu, least, floor, size = (np.array(column)[:, None] for column in zip(*of_each, strict=True))
    return replace(oracles[0], form=form, L=L, mu=mu, least=least, floor=floor, size=size)
