"""Many runs of one method at once, for instance 64 values of gamma: rows of one array, stepped together.

A stack costs a few times what one run costs, since NumPy handles 64 rows in little more time than one, and
since one product of the matrix serves all rows. Its numbers are those of the single runs: the same bits
where every operation is elementwise (the eigenbasis), within 1e-12 of the first gap elsewhere.

Run it to its end, or in slices to draw while it grows:

>>> import numpy as np
>>> import polyak_core as pc
>>> problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))
>>> gammas = np.geomspace(0.1, 20, 64)
>>> stack = Stack(problem, "restart", iterations=20_000, target=1e-10, gamma=gammas)
>>> while not stack.advance(slice_seconds=0.02):
...     found = stack.first_below(1e-10)  # shape (64,), NaN where the row is not there yet: draw it
>>> found = stack.first_below(1e-10)
>>> int(np.nanmin(found)), float(np.round(gammas[np.nanargmin(found)], 1))
(1107, 4.8)

`stack.k` is the last iteration so far, `stack.gaps` all gaps of shape (64, k + 1). A family of problems is a
list of quadratics: ``Stack([pc.quadratic(pc.spectrum("log", 100, kappa)) for kappa in kappas], "fista")``.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from polyak_core.arrays import Array
from polyak_core.checks import Given
from polyak_core.methods.keywords import parameters
from polyak_core.problems.problem import Problem
from polyak_core.runs.endings import Outcome
from polyak_core.runs.recorder import Recorder
from polyak_core.runs.row_groups import in_lockstep, made_rows, most_rows, obstacle, rows_of
from polyak_core.runs.trace import Trace


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
        chosen = [parameters(own, method, **asked) for own, asked in tasks]
        why = obstacle(problems, chosen, exact)
        if why:
            raise ValueError(f"these runs cannot be stacked: {why}; run them one by one, as pc.sweep does.")
        rows = made_rows(problems, method, chosen, iterations, target)
        self.settings = [{name: asked.get(name) for name in keywords} for _, asked in tasks]
        self._groups: list[Recorder] = []
        self._place: list[tuple[Recorder, int]] = []
        for part in np.array_split(np.arange(len(rows)), -(-len(rows) // most_rows(problems[0]))):
            group = in_lockstep([rows[i] for i in part], [chosen[i] for i in part], full, exact)
            self._groups.append(group)
            self._place += [(group, j) for j in range(len(part))]
        self._turn = 0

    # -- going on -----------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether every row has ended."""
        return all(group.finished for group in self._groups)

    @property
    def k(self) -> int:
        """The last iteration that every row has reached, or ended before; -1 before the first."""
        going = [group.length for group in self._groups if not group.finished]
        return min(going or [max(group.length for group in self._groups)]) - 1

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on until the end, or for about `slice_seconds`; True when all rows have ended."""
        stop = perf_counter() + slice_seconds
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            while not self.finished:
                self._groups[self._turn].advance(stop)
                self._turn = (self._turn + 1) % len(self._groups)
                if perf_counter() >= stop:
                    break
        return self.finished

    def cancel(self) -> None:
        """End all rows here, keeping what they had."""
        for group in self._groups:
            group.cancel()

    # -- what there is so far -----------------------------------------------------------------

    @property
    def gaps(self) -> Array:
        """f(y_k) - f*, shape (rows, most records of a row), NaN behind a row's last record."""
        gaps = np.full((len(self), max(group.length for group in self._groups)), np.nan)
        for row, (group, j) in zip(gaps, self._place, strict=True):
            count = int(group.last[j]) + 1
            row[:count] = group.gap[:count, j]
        return gaps

    def first_below(self, relative_gap: float) -> Array:
        """For each row the first k with gap <= relative_gap * gap_0, NaN where there is none yet."""
        return np.concatenate([group.first_below(relative_gap) for group in self._groups])

    @property
    def outcomes(self) -> list[Outcome | None]:
        """How each row ended, None while it goes on; only full stacks look into what a budget ran out on."""
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
