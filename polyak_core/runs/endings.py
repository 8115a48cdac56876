"""How a run ended, and what is said of it.

An `Ending` is a value. `Ending.message` puts it in words, and whoever has words of their own for a `Cause`
makes them from the same value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np

from polyak_core.checks import Given, shown
from polyak_core.methods.registry import METHODS
from polyak_core.problems.problem import Problem


class Outcome(StrEnum):
    """How a run ended.

    >>> import polyak_core as pc
    >>> trace = pc.solve(pc.quadratic([1.0, 0.1]), "apg", iterations=1000, target=1e-8)
    >>> trace.outcome is pc.Outcome.TARGET, str(trace.outcome)
    (True, 'target reached')
    """

    TARGET = "target reached"
    EXACT = "solved exactly"
    FLOOR = "precision floor"
    STALLED = "stalled"
    BOUNCING = "bouncing"
    DIVERGED = "diverged"
    NON_FINITE = "non-finite"
    BUDGET = "budget"
    CANCELLED = "cancelled"


class Place(StrEnum):
    """How the core's sentences say where something happened."""

    NOWHERE = ""
    AT = " at iteration {k}"
    FROM = " from iteration {k} on"
    SINCE = " at a gap of {gap:.1e} since about iteration {k}"
    GAP_AT = ": the gap is {gap:.1e} at iteration {k}"
    AT_GAP = " at iteration {k} with a gap of {gap:.1e}"
    STEP_AT = ": the step is {step:.1e} long at iteration {k}"


class Cause(StrEnum):
    """Why a run ended, or what else happened in it, with a sentence that says so.

    Attributes:
        words: a sentence with places for its numbers, and for the words of its place.
        place: how it says where it happened.
    """

    words: str
    place: Place

    def __new__(cls, value: str, words: str = "", place: Place = Place.NOWHERE) -> Cause:
        """Make a cause that compares, and is written down, as its `value`."""
        cause = str.__new__(cls, value)
        cause._value_, cause.words, cause.place = value, words, place
        return cause

    TARGET = "target", "Reached the target {target:g} of the initial gap{place}.", Place.AT
    EXACT = "exact", "Solved exactly{place}: the gap and the gradient are both 0.", Place.AT
    FLOOR = (
        "floor",
        "Reached the precision floor {floor:.1e}{place}: below it the gap is only rounding error.",
        Place.AT,
    )
    WEAK = (
        "weak certificate",
        "The certificate is weak: f* is known to {floor:.1e} only, and{place} the gap is below that, "
        "where it means nothing. How f* was found: {source}.",
        Place.FROM,
    )
    OVERFLOW = "overflow", "The gap is not finite{place}: numbers overflowed.", Place.AT
    LONG_STEPS = "long steps", "Diverged{place}. Steps of 1/L with L = {L:.3g} are too long;", Place.GAP_AT
    STEP_OVERFLOW = "step overflow", "The step is not finite{place}: numbers overflowed.", Place.AT
    LONGER_STEPS = (
        "longer steps",
        "Diverged{place}. Steps of 1/L with L = {L:.3g} are too long;",
        Place.STEP_AT,
    )
    UNFOUND = "x* not found", "Stopped{place}: x* was not found within {seconds:g} seconds.", Place.AT
    ROUNDING = (
        "rounding",
        "Stalled{place}: the steps are only rounding errors there. The scales of the data are too far "
        "apart for float64;",
        Place.SINCE,
    )
    CURVATURE = (
        "curvature above L",
        "Bounces{place}: the last step meets a curvature of {curvature:.3g}, more than L = {L:.3g}, "
        "so the step 1/L is too long.",
        Place.SINCE,
    )
    SMALL_L = (
        "L below the true one",
        "Bounces{place}: L = {L:.3g} is below the true one, {true_L:.3g}, so the step 1/L is too long.",
        Place.SINCE,
    )
    LOST_MU = (
        "mu lost",
        "mu_k fell below half of the true mu = {mu:.2g}{place}: {why}. The rest is slow.",
        Place.AT,
    )
    IDLE = "idle steps", "Stalled{place}: the steps no longer lower f.", Place.SINCE
    ITERATIONS = "iterations", "Stopped{place}: that was the budget of iterations;", Place.AT_GAP
    SECONDS = "seconds", "Stopped{place}: the {seconds:g} seconds are used up;", Place.AT_GAP
    CANCELLED = "cancelled", "Cancelled{place}; the curve so far is kept.", Place.AT
    RUNNING = "running", "Still running{place}.", Place.AT
    LAST_STEP = (
        "curvature met",
        "The last step meets a curvature of {curvature:.3g}, more than L = {L:.3g}: give that.",
    )
    F_STAR_HIGH = (
        "f* too high",
        "f* is given too high by {excess:.1e}:{place} the computed gap is negative.",
        Place.FROM,
    )
    NO_ROOT = (
        "root of a negative number",
        "f* is given too high by {excess:.1e}:{place} mu_k = {mu:.1e} is negative and its root is NaN, as "
        "in the listing.",
        Place.AT,
    )
    F_STAR_LOW = "f* too low", "{why}:{place} the computed gap is mostly that error.", Place.FROM
    BACKTRACKING = (
        "backtracking",
        "Backtracking, L = {L:.3g} given: L from {first:.3g} to {last:.3g}, largest {largest:.3g}.",
    )
    LOW_START = (
        "low mu_0",
        "mu_0 = {mu0:.3g} lies below mu = {mu:.3g}, so mu_k does too, and propositions 2.4 and 2.8, "
        "which ask for mu_k >= mu, say nothing of this run.",
    )
    UNPROMISED = (
        "nothing promised",
        "Nothing is promised of this method here: its guarantee is for {domain}.",
    )
    RECORDED = "recorded", "{name} ended by itself{place}.", Place.AT_GAP
    UNMEASURED = "gaps not known", "Gaps are NaN: x* is not known."


@dataclass(frozen=True, kw_only=True)
class Note:
    """Something that happened in a run.

    Attributes:
        k: the iteration where it happened, None where there is none to name.
        cause: what it was.
        remedy: what to do, in words, "" where there is nothing.
        numbers: what stands in the places of the cause's sentence, by name; some places take words.
    """

    cause: Cause
    k: int | None = None
    remedy: str = ""
    numbers: Mapping[str, float | str] = field(default_factory=dict)

    def words(self, place: str | None = None) -> str:
        """Cause and remedy in words; `place` replaces the core's own words for where it happened."""
        where = self.cause.place if place is None else place
        if where is Place.AT_GAP and np.isnan(self.numbers["gap"]):
            where = Place.AT
        sentence = self.cause.words.replace("{place}", where).format(k=self.k, **self.numbers)
        return f"{sentence} {self.remedy}".rstrip()


@dataclass(frozen=True, kw_only=True)
class Ending(Note):
    """How a run ended: one outcome, its iteration, cause, remedy and numbers, and what else happened.

    Attributes:
        outcome: how it ended, in one word.
        notes: what else happened in the run.
    """

    outcome: Outcome
    notes: tuple[Note, ...] = ()

    def noting(self, *notes: Note) -> Ending:
        """The same ending with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    @property
    def message(self) -> str:
        """Iteration, cause and remedy in sentences, followed by those of the notes."""
        return " ".join(note.words() for note in (self, *self.notes))

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and strings; `from_dict` gives the same ending back."""
        plain = asdict(self)
        notes = [note | {"cause": str(note["cause"])} for note in plain["notes"]]
        return plain | {"outcome": str(self.outcome), "cause": str(self.cause), "notes": notes}

    @classmethod
    def from_dict(cls, plain: Given) -> Ending:
        """The inverse of `to_dict`.

        Raises:
            ValueError: keys or numbers are missing, or unknown.
        """
        try:
            notes = tuple(Note(**_checked(note)) for note in plain["notes"])
            ending = cls(**_checked(plain) | {"outcome": Outcome(plain["outcome"]), "notes": notes})
            assert ending.message
        except (KeyError, IndexError, TypeError, ValueError):
            raise ValueError(
                f"not a trace: ending = {shown(plain)} is no ending of a run; use Trace.to_dict to make one."
            ) from None
        return ending


def _checked(plain: Given) -> dict[str, Any]:
    """The fields of a note; JSON's null is NaN again.

    Raises:
        TypeError: a field is not what it should be.
    """
    k, remedy, numbers = plain["k"], plain["remedy"], plain["numbers"]
    if not ((k is None or type(k) is int) and isinstance(remedy, str) and isinstance(numbers, dict)):
        raise TypeError
    numbers = {name: np.nan if value is None else value for name, value in numbers.items()}
    return dict(plain, cause=Cause(plain["cause"]), numbers=numbers)


def low_start(mu: float, mu0: float | None) -> list[Note]:
    """Notes on a run whose mu_0 lies below mu, as L/2 does where L/mu < 2."""
    if mu0 is None or not mu0 < mu:
        return []
    return [Note(cause=Cause.LOW_START, numbers={"mu0": float(mu0), "mu": float(mu)})]


def unpromised(name: str, problem: Problem) -> list[Note]:
    """Notes on a run of a method on a problem that its guarantee is not for."""
    method = METHODS.get(name)
    if method is None or method.promise.has(problem):
        return []
    return [Note(cause=Cause.UNPROMISED, numbers={"domain": str(method.promise)})]


def backtracked(L: float, steps: Sequence[float]) -> Note:
    """A note on the values of L that backtracking made of the given one."""
    numbers = {"L": L, "first": steps[0], "last": steps[-1], "largest": max(steps)}
    return Note(cause=Cause.BACKTRACKING, numbers={name: float(value) for name, value in numbers.items()})
