"""Several methods on one problem that take every step together.

In the eigenbasis a step is a few passes over a vector, and NumPy takes as long to begin one as to go over
some hundred numbers. So the points of all methods are the rows of one array, gone over once; what differs
from method to method are numbers, made as in a run on its own (`polyak_core.methods.paper`). Every pass is
elementwise, so each row has the bits of that run.

>>> import polyak_core as pc
>>> problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))
>>> methods = [("apg", {}), ("restart", {"gamma": 5.0}), ("adapt_apg_v2", {})]
>>> together = Together(problem, methods, iterations=2000)
>>> while not together.advance(slice_seconds=0.01):
...     gap = together.trace(0).gap  # so far: draw it
>>> [together.trace(i).first_below(1e-10) for i in range(3)]
[824, 1127, 1038]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from polyak_core.arrays import Array, Scalar
from polyak_core.checks import Given
from polyak_core.lifted.form import Sizes
from polyak_core.lifted.quadratic import Eigenbasis
from polyak_core.methods.f_star import DualShift
from polyak_core.methods.iterate import ESTIMATES, MOMENTUM, Said
from polyak_core.methods.keywords import Parameters, checked_problem, parameters
from polyak_core.problems.problem import Problem
from polyak_core.runs.lockstep import FIRST_CAPACITY, FREE, MU_HAT, NOTED, Lockstep, Row, doubled
from polyak_core.runs.row_groups import ELEMENTWISE_NUMBERS, made_rows
from polyak_core.runs.stacked import Stack


class Chord(NamedTuple):
    """One step of all methods: x and y of shape (rows, n), and the numbers of each."""

    x: Array
    y: Array
    said: list[Said]


@dataclass
class Answers:
    """||g_L(y)||^2 and f(y) - f* at the newest y, a number for each row: what most methods ask for."""

    squared: list[float] = field(default_factory=list)
    gap: list[float] = field(default_factory=list)


class Told:
    """The form of one row. What most methods ask is worked out beforehand, for all rows at once."""

    def __init__(self, form: Eigenbasis, row: int, answers: Answers) -> None:
        """`form` answers the rest."""
        self._form, self._row, self._answers = form, row, answers

    def sizes(self, z: Array, L: float, kind: str) -> Sizes:
        """What the estimate `kind` at y is made of."""
        row, answers = self._row, self._answers
        after = self._form.sizes(z[row], L, kind).after if kind == "certified" else None
        return Sizes(answers.squared[row], answers.gap[row], after)

    def gap(self, z: Array) -> Scalar:
        """f(y) - f*."""
        return self._answers.gap[self._row]

    def squared_step(self, x: Array, y: Array, L: float) -> Scalar:
        """||g_L(x)||^2."""
        return self._form.squared_step(x[self._row], y[self._row], L)

    def noise(self, z: Array, L: float) -> Scalar:
        """A size below which ||g_L(z)|| is rounding."""
        return self._form.noise(z, L)


class Ensemble:
    """The rows as they move: first all that move with momentum, then those along an estimate sequence."""

    def __init__(self, problem: Problem, form: Eigenbasis, chosen: Sequence[Parameters]) -> None:
        """All stand at x_0; the numbers of each ask a twin of the problem with a counter of its own."""
        start = np.repeat(problem.lift(problem.x0)[None], len(chosen), axis=0)
        eigenvalues = np.repeat(form.eigenvalues[None], len(chosen), axis=0)  # broadcasting takes longer
        self._form, self._L, self._start = Eigenbasis(eigenvalues, np.zeros_like(start)), problem.L, start
        self._with_momentum = sum(each.generator in MOMENTUM for each in chosen)
        self._answers = Answers()
        self.counts, self._numbers = [], []
        self.asked = [0.0] * len(chosen)
        for row, each in enumerate(chosen):
            twin = problem.counted()
            vars(twin)["form"] = Told(form, row, self._answers)
            numbers: Any = (MOMENTUM if each.generator in MOMENTUM else ESTIMATES)[each.generator]
            self._numbers.append(numbers(twin, start, **each.arguments))
            self.counts.append(twin.counts)

    def __iter__(self) -> Iterator[Chord]:
        """x = y + push d and y = T_L(x) in all rows; d is y less the y before, or as `Pull` says.

        A restart asks for no more: beta is 0 then, and the next d is made of the newest two y.
        """
        step, many = self._form.stepper(self._L), self._with_momentum
        asks, asked = [numbers.send for numbers in self._numbers], self.asked
        x = y = self._start
        d, push = np.zeros_like(y), np.empty((len(y), 1))
        self._answer(y)
        heard = [next(numbers) for numbers in self._numbers]
        while True:
            moves, pulls = heard[:many], heard[many:]
            yield Chord(x, y, moves + [pull.said for pull in pulls])
            push[:, 0] = [said.beta for said in moves] + [pull.push for pull in pulls]
            kept = [pull.keep * d[i] for i, pull in enumerate(pulls, many)]
            d *= push
            x = y + d
            y_before, y = y, step(x)
            d = y - y_before
            for i, (pull, p) in enumerate(zip(pulls, kept, strict=True), many):
                d[i] = p + pull.pull * (x[i] - y[i])
            self._answer(y)
            points, heard = (x, y), []
            now = perf_counter()
            for i, ask in enumerate(asks):
                before = now
                heard.append(ask(points))
                now = perf_counter()
                asked[i] += now - before

    def _answer(self, y: Array) -> None:
        squared, gap, _ = self._form.sizes(y, self._L, "polyak")
        self._answers.squared, self._answers.gap = squared[:, 0].tolist(), gap[:, 0].tolist()


class Record(Lockstep):
    """What is kept of an ensemble."""

    def __init__(self, rows: Sequence[Row], problem: Problem, ensemble: Ensemble) -> None:
        """All columns."""
        super().__init__(rows, problem.counted(), iter(ensemble), full=True)
        self._ensemble = ensemble
        self._said: list[list[Said]] = []
        self._asked: list[list[float]] = []
        self._own = np.empty((FIRST_CAPACITY, len(rows)))

    def _reserve(self, records: int) -> None:
        super()._reserve(records)
        while records > len(self._own):
            self._own = doubled(self._own)

    def _note(self, k: int, it: Any) -> None:
        self._counted[k, 3] = self._spent
        self._said.append(it.said)
        self._asked.append(self._ensemble.asked.copy())

    def _measure(self, records: slice, xs: list[Array], ys: list[Array]) -> tuple[Array, Array]:
        for i, said in enumerate(zip(*self._said, strict=True)):
            for j, column in enumerate(list(zip(*said, strict=True))[: len(NOTED)]):
                hats = j == MU_HAT
                self._noted[records, j, i, 0] = (
                    [FREE if hat is None else hat for hat in column] if hats else column
                )
        self._own[records] = self._asked
        self._said.clear()
        self._asked.clear()
        return super()._measure(records, xs, ys)

    def _billed(self, i: int, count: int) -> Array:
        """A method asks the same at every record, and takes one step to each but the first."""
        k, asked = np.arange(float(count)), self._ensemble.counts[i]
        gradients, proxes = (
            k + (k + 1) * (asks // max(self.length, 1)) for asks in (asked.gradients, asked.proxes)
        )
        return np.stack([gradients, proxes, np.zeros(count), self._seconds(slice(count))[:, i]])

    def _seconds(self, records: slice) -> Array:
        """What its numbers took, and its part of what all rows took together."""
        own = self._own[records]
        together = self._counted[records, 3:] - own.sum(axis=1, keepdims=True)
        return np.asarray(own + together / len(self._rows))


class Together(Stack):
    """A stack whose rows are several methods on one quadratic problem in the eigenbasis, with all columns.

    Args:
        problem: what to minimise, from its own x0.
        methods: pairs of a name in `METHODS` and its keywords as in `solve`.
        iterations: last k.
        target: a run ends at its first gap <= target * gap_0.
        seconds: a run ends when its part of the time in the methods is so long: what its own numbers took,
            and as much of the rest as every other run.

    Raises:
        ValueError: as in `solve`, or `obstacle` has something against it.
    """

    def __init__(
        self,
        problem: Problem,
        methods: Sequence[tuple[str, Mapping[str, Given]]],
        iterations: int = 1000,
        target: float | None = None,
        seconds: float | None = None,
    ) -> None:
        """Check everything; the first step is taken by `advance`."""
        form = checked_problem(problem).form
        chosen = [parameters(problem, name, **keywords) for name, keywords in methods]
        why = obstacle(problem, chosen)
        if why or not isinstance(form, Eigenbasis):
            raise ValueError(
                f"these runs cannot go together: {why}; run them one by one, with pc.solve or pc.Run."
            )
        self.methods = [name for name, _ in methods]
        rows = made_rows([problem] * len(chosen), self.methods, chosen, iterations, target, seconds)
        order = sorted(range(len(rows)), key=lambda i: chosen[i].generator in ESTIMATES)
        ensemble = Ensemble(problem, form, [chosen[i] for i in order])
        record = Record([rows[i] for i in order], problem, ensemble)
        self.settings = [dict(keywords) for _, keywords in methods]
        self._groups, self._turn = [record], 0
        self._place = [(record, order.index(i)) for i in range(len(rows))]


def obstacle(problem: Problem, chosen: Sequence[Parameters]) -> str:
    """Why these cannot go together, in words; empty if they can."""
    if not chosen:
        return "there is no method"
    if not isinstance(problem.form, Eigenbasis):
        return "the problem is not a quadratic in the eigenbasis"
    if problem.form.eigenvalues.size * len(chosen) > ELEMENTWISE_NUMBERS:
        return "vectors are so long that nothing would be gained"
    if any(each.generator not in MOMENTUM and each.generator not in ESTIMATES for each in chosen):
        return "a method is not written as its numbers"
    if any(isinstance(each.seen, DualShift) for each in chosen):
        return "what is known of f* changes on the way"
    return ""
