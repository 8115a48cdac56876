"""Several methods on one problem that take every step together: a picture of six curves for less than half.

In the eigenbasis a step is a few passes over a vector, and NumPy takes as long to begin one as to go over
some hundred numbers. So the points of all methods are the rows of one array, gone over once; what differs
from method to method are numbers, made as in a run on its own (`polyak_core.methods`). Every pass is
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
from typing import Any, NamedTuple

import numpy as np

from polyak_core.arrays import Array, Given, Scalar
from polyak_core.dual import DualShift
from polyak_core.forms import Sizes
from polyak_core.limits import Limits, checked_limits, largest_gap
from polyak_core.lockstep import FREE, MU_HAT, NOTED, Lockstep, Row
from polyak_core.methods import ESTIMATES, MOMENTUM, Said
from polyak_core.parameters import Parameters, checked_problem, parameters
from polyak_core.problem import Problem
from polyak_core.quadratic_forms import Eigenbasis
from polyak_core.row_groups import ELEMENTWISE_NUMBERS
from polyak_core.stacked import Stack


class Chord(NamedTuple):
    """One step of all methods: x and y of shape (rows, n), and the numbers of each."""

    x: Array
    y: Array
    said: list[Said]


class Told:
    """The form of one row. What most methods ask is worked out beforehand, for all rows at once."""

    def __init__(self, form: Eigenbasis, row: int) -> None:
        """`form` answers the rest."""
        self._form, self._row = form, row
        self.squared = self.level = np.nan
        """||g_L(y)||^2 and f(y) - f* at the newest y."""

    def sizes(self, z: Array, L: float, kind: str) -> Sizes:
        """What the estimate `kind` at y is made of."""
        after = self._form.sizes(z[self._row], L, kind).after if kind == "certified" else None
        return Sizes(self.squared, self.level, after)

    def gap(self, z: Array) -> Scalar:
        """f(y) - f*."""
        return self.level

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
        self._form, self._L = form, problem.L
        self._start = np.repeat(problem.lift(problem.x0)[None], len(chosen), axis=0)
        self._with_momentum = sum(each.generator in MOMENTUM for each in chosen)
        self._told = [Told(form, row) for row in range(len(chosen))]
        self.counts, self._numbers = [], []
        for told, each in zip(self._told, chosen, strict=True):
            twin = problem.counted()
            vars(twin)["form"] = told
            numbers: Any = (MOMENTUM if each.generator in MOMENTUM else ESTIMATES)[each.generator]
            self._numbers.append(numbers(twin, self._start, **each.arguments))
            self.counts.append(twin.counts)

    def __iter__(self) -> Iterator[Chord]:
        """x = y + push d and y = T_L(x) in all rows; d is y less the y before, or as `Pull` says."""
        step, many = self._form.stepper(self._L), self._with_momentum
        asks = [numbers.send for numbers in self._numbers]
        x = y = self._start
        d, push = np.zeros_like(y), np.empty((len(y), 1))
        self._tell(y)
        heard = [next(numbers) for numbers in self._numbers]
        while True:
            moves, pulls = heard[:many], heard[many:]
            yield Chord(x, y, moves + [pull.said for pull in pulls])
            push[:, 0] = [said.beta for said in moves] + [pull.push for pull in pulls]
            x = push * d
            x += y
            y_before, y = y, step(x)
            d_before, d = d, y - y_before
            for i, pull in enumerate(pulls, many):
                d[i] = pull.keep * d_before[i] + pull.pull * (x[i] - y[i])
            self._tell(y)
            heard = [ask((x, y)) for ask in asks]
            for i, said in enumerate(heard[:many]):
                if said.restarted:
                    d[i] = 0.0

    def _tell(self, y: Array) -> None:
        squared, gap, _ = self._form.sizes(y, self._L, "polyak")
        for told, its_squared, its_gap in zip(
            self._told, squared[:, 0].tolist(), gap[:, 0].tolist(), strict=True
        ):
            told.squared, told.level = its_squared, its_gap


class Record(Lockstep):
    """What is kept of an ensemble."""

    def __init__(self, rows: Sequence[Row], problem: Problem, ensemble: Ensemble) -> None:
        """All columns."""
        super().__init__(rows, problem.counted(), iter(ensemble), full=True)
        self._counts = ensemble.counts
        self._said: list[list[Said]] = []

    def _note(self, k: int, it: Any) -> None:
        self._counted[k, 3] = self._spent / len(self._rows)
        self._said.append(it.said)

    def _measure(self, records: slice, xs: list[Array], ys: list[Array]) -> tuple[Array, Array]:
        for i, said in enumerate(zip(*self._said, strict=True)):
            for j, column in enumerate(list(zip(*said, strict=True))[: len(NOTED)]):
                hats = j == MU_HAT
                self._noted[records, j, i, 0] = (
                    [FREE if hat is None else hat for hat in column] if hats else column
                )
        self._said.clear()
        return super()._measure(records, xs, ys)

    def _billed(self, i: int, count: int) -> Array:
        """A method asks the same at every record, and takes one step to each but the first."""
        k, asked = np.arange(float(count)), self._counts[i]
        gradients, proxes = (k + (k + 1) * (asks // self.length) for asks in (asked.gradients, asked.proxes))
        return np.stack([gradients, proxes, np.zeros(count), self._counted[:count, 3]])


class Together(Stack):
    """A stack whose rows are several methods on one quadratic problem in the eigenbasis, with all columns.

    Args:
        problem: what to minimise, from its own x0.
        methods: pairs of a name in `METHODS` and its keywords as in `solve`.
        iterations: last k.
        target: a run ends at its first gap <= target * gap_0.
        seconds: a run ends when its share of the time in the methods, which is the same for all, is so long.

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
        steps, goal, time = checked_limits(iterations, target, seconds)
        told = {"iterations": steps, "target": goal, "seconds": None if seconds is None else time}
        largest = largest_gap(problem, problem.lift(problem.x0))
        rows = [
            Row(
                problem,
                each.seen,
                {"problem": problem.name, "method": name, **told, **each.settings},
                Limits(steps, goal, time, largest, sharp=each.seen.grain == 0),
            )
            for (name, _), each in zip(methods, chosen, strict=True)
        ]
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
