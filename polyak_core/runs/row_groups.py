"""Which runs can be stacked, and how: rows of one array that one generator steps together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from polyak_core.checks import Given
from polyak_core.lifted.composite import Composite
from polyak_core.lifted.form import QuadraticForm
from polyak_core.lifted.logistic import MarginForm
from polyak_core.lifted.nuclear import Spectral
from polyak_core.lifted.quadratic import Eigenbasis
from polyak_core.methods.estimators import KnownMu, OnlineMu
from polyak_core.methods.keywords import Parameters
from polyak_core.methods.registry import METHODS
from polyak_core.problems.oracle import Oracle
from polyak_core.problems.problem import Problem
from polyak_core.runs.limits import Limits, checked_limits, largest_gap
from polyak_core.runs.recorder import Recorder, Row

STACKABLE = frozenset(method.generator for method in METHODS.values())
"""Generators that can carry rows; one's own may not."""
ELEMENTWISE_NUMBERS, PRODUCT_NUMBERS = 2**15, 2**16
"""Numbers in one group of rows: more would leave the cache, or gain nothing for a product."""
Task = tuple[Problem, dict[str, Any]]


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
        asked = {**keywords, **{name: many[i] for name, many in several.items()}}
        own = asked.pop("problem", problem)
        _ = own.form  # made before a start is set, so that all starts share it
        x0 = asked.pop("x0", None)
        tasks.append((own if x0 is None else own.starting_at(x0), asked))
    return tasks


def obstacle(problems: list[Problem], chosen: list[Parameters], exact: bool) -> str:
    """Why these cannot be stacked, in words; empty if they can."""
    said = chosen[0]
    if said.generator not in STACKABLE:
        return "the method is not one that works on rows"
    if any(each.varied for each in chosen) or any(each.seen != said.seen for each in chosen):
        return "L or what is known of f* differs from row to row"
    rule = said.arguments.get("rule")
    if not (rule is None or isinstance(rule, KnownMu) or (type(rule) is OnlineMu and rule.window is None)):
        return "the rule for mu_k works on one run"
    return _obstacle_of_points(problems, exact)


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
    chosen: Sequence[Parameters],
    iterations: Given,
    target: Given,
) -> list[Row]:
    """A row for each run, with the limits of all."""
    steps, goal, time = checked_limits(iterations, target, None)
    told = {"iterations": steps, "target": goal, "seconds": None}
    rows = []
    for own, said in zip(problems, chosen, strict=True):
        oracle = own.oracle()
        largest = largest_gap(own, oracle, oracle.lift(own.x0))
        limits = Limits(steps, goal, time, largest, sharp=said.seen.grain == 0)
        settings = {"problem": own.name, "method": method, **told, **said.settings}
        rows.append(Row(own, said.seen, settings, limits))
    return rows


def most_rows(problem: Problem) -> int:
    """Rows of a group."""
    limit = ELEMENTWISE_NUMBERS if isinstance(problem.form, Eigenbasis) else PRODUCT_NUMBERS
    return max(1, limit // problem.oracle().lift(problem.x0).size)


def in_lockstep(rows: list[Row], chosen: list[Parameters], full: bool, exact: bool) -> Recorder:
    """One group, at its start."""
    problems = [row.problem for row in rows]
    first = problems[0]
    shared = all(own.form is first.form for own in problems)
    oracle = first.oracle() if shared else family(problems)
    oracle.counts.row_by_row = exact
    if shared and all(own.x0 is first.x0 for own in problems):
        start = np.repeat(oracle.lift(first.x0)[None], len(rows), axis=0)
    else:
        start = oracle.lift(np.stack([own.x0 for own in problems]))
    given = [each.arguments for each in chosen]
    arguments = {name: _merged(name, [each[name] for each in given]) for name in given[0]}
    return Recorder(rows, oracle, start, chosen[0].generator(oracle, start, **arguments), full)


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
