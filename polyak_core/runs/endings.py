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

from polyak_core.arrays import Array
from polyak_core.checks import Given, shown
from polyak_core.methods.estimators import Shift
from polyak_core.problems.custom import OwnLoss
from polyak_core.problems.oracle import Oracle
from polyak_core.problems.problem import Problem

STALL = 0.99
"""A run whose last third peaks above this part of the peak of the third before does not get on."""
STALL_RECORDS = 20
LOST = 0.5
"""mu_k below this part of mu costs time that shows."""
WEAK = 1e-6
"""A floor above this part of f* and of the first gap says little about the minimum."""
VISIBLE = 40
"""An f* that is too low by delta slows methods down once the gap is about so many delta."""


class Outcome(StrEnum):
    """How a run ended."""

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
    """Why a run ended, or what else it met; with the words for it.

    Attributes:
        words: a sentence with places for its numbers, and for the words of its place.
        place: how it says where it happened.
    """

    words: str
    place: Place

    def __new__(cls, value: str, words: str = "", place: Place = Place.NOWHERE) -> Cause:
        """A cause that is its `value` where it is compared or written down."""
        cause = str.__new__(cls, value)
        cause._value_, cause.words, cause.place = value, words, place
        return cause

    TARGET = "target", "Reached the target {target:g} of the first gap{place}.", Place.AT
    EXACT = "exact", "Solved exactly{place}: the gap and the gradient are both 0.", Place.AT
    FLOOR = (
        "floor",
        "Reached the precision floor {floor:.1e}{place}: below it the gap is rounding.",
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
        "Stalled{place}: steps are rounding there. The scales of the data are too far apart for float64;",
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
    MET = (
        "curvature met",
        "The last step meets a curvature of {curvature:.3g}, more than L = {L:.3g}: give that.",
    )
    F_STAR_HIGH = (
        "f* too high",
        "f* is given too high by {excess:.1e}:{place} the seen gap is negative and nothing more is "
        "learned from it.",
        Place.FROM,
    )
    F_STAR_LOW = "f* too low", "{why}:{place} the seen gap is more and more that error alone.", Place.FROM
    BACKTRACKING = (
        "backtracking",
        "Backtracking, L = {L:.3g} given: L from {first:.3g} to {last:.3g}, largest {largest:.3g}.",
    )
    LOW_START = (
        "low mu_0",
        "mu_0 = {mu0:.3g} lies below mu = {mu:.3g}, so mu_k does too, and propositions 2.4 and 2.8, "
        "which ask for mu_k >= mu, say nothing of this run.",
    )
    UNMEASURED = "gaps not known", "Gaps are NaN: x* is not known."


@dataclass(frozen=True, kw_only=True)
class Note:
    """Something that a run met.

    Attributes:
        k: the iteration where it happened, None where there is none to name.
        cause: what it was.
        remedy: what to do, in words, "" where there is nothing.
        numbers: what the words of the cause name beside k, by its name; texts where words are named.
    """

    cause: Cause
    k: int | None = None
    remedy: str = ""
    numbers: Mapping[str, float | str] = field(default_factory=dict)

    def words(self, place: str | None = None) -> str:
        """Cause and remedy in words; `place` in the place of the core's words for it."""
        where = self.cause.place if place is None else place
        if where is Place.AT_GAP and np.isnan(self.numbers["gap"]):
            where = Place.AT
        sentence = self.cause.words.replace("{place}", where).format(k=self.k, **self.numbers)
        return f"{sentence} {self.remedy}".rstrip()


@dataclass(frozen=True, kw_only=True)
class Ending(Note):
    """How a run ended: one outcome, its iteration, cause, remedy and numbers, and what else was met.

    Attributes:
        outcome: how it ended, in one word.
        notes: what else the run met.
    """

    outcome: Outcome
    notes: tuple[Note, ...] = ()

    def noting(self, *notes: Note) -> Ending:
        """The same ending with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    @property
    def message(self) -> str:
        """Iteration, cause and remedy in sentences, those of the notes behind."""
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


def judged(
    problem: Problem,
    oracle: Oracle,
    columns: Mapping[str, Array],
    seen: Shift,
    x: Array,
    y: Array,
    spent: Ending,
) -> Ending:
    """Name the end of a run that used up its budget: where it did not get on before, that is its end.

    Args:
        problem: what was minimised.
        oracle: what made the last step.
        columns: gap and mu of all records.
        seen: the f* that the method was given.
        x: the last x_k, lifted.
        y: the last y_k, lifted.
        spent: the end that the budget makes.
    """
    gap, mu = columns["gap"], columns["mu"]
    curvature = float(oracle.curvature(x, y))  # NaN where the step is rounding
    met = curvature if curvature > oracle.L * (1 + 1e-6) else 0.0
    moved = bool(np.any(oracle.difference(x, y)))
    rounded = (met > 0 or (moved and np.isnan(curvature))) and above_true_L(problem, oracle.L)
    met = 0.0 if rounded else met
    return (
        _at_floor(problem, gap)
        or _rounding(gap, rounded)
        or _bouncing(oracle.L, gap, met)
        or _stalled(problem, oracle.L, gap, mu, seen)
        or spent.noting(*_met(oracle.L, met), *_too_high(seen, gap), *_too_low(seen, gap))
    )


def _at_floor(problem: Problem, gap: Array) -> Ending | None:
    floor = float(problem.floor_of(gap))
    below = np.flatnonzero(gap <= floor)
    if not below.size:
        return None
    k = int(below[0])
    if floor > WEAK * max(abs(problem.f_star), gap[0]):
        numbers: dict[str, float | str] = {"floor": floor, "source": problem.f_star_source}
        return Ending(outcome=Outcome.FLOOR, k=k, cause=Cause.WEAK, numbers=numbers)
    remedy = "Stop there, or set a target."
    return Ending(outcome=Outcome.FLOOR, k=k, cause=Cause.FLOOR, remedy=remedy, numbers={"floor": floor})


def above_true_L(problem: Problem, L: float) -> bool:
    """Whether L is known to be no smaller than any curvature of h, so that a larger one is rounding."""
    return not isinstance(problem.loss, OwnLoss) and bool(L >= problem.true_L * (1 - 1e-6))


def _rounding(gap: Array, rounded: bool) -> Ending | None:
    """Steps that are rounding and do not get on: scales of the data that float64 cannot hold together."""
    if not (rounded and _stands(gap)):
        return None
    remedy = "scale the columns, for instance with pc.dataset(X, y, scaling='standardize')."
    return _level(Outcome.STALLED, gap, Cause.ROUNDING, remedy)


def _bouncing(L: float, gap: Array, met: float) -> Ending | None:
    """Steps that meet more curvature than L and do not get on."""
    if not (met and _stands(gap)):
        return None
    remedy = f"Give L >= {met:.3g}."
    return _level(Outcome.BOUNCING, gap, Cause.CURVATURE, remedy, curvature=met, L=L)


def _stalled(problem: Problem, L: float, gap: Array, mu: Array, seen: Shift) -> Ending | None:
    lost = np.flatnonzero(mu < problem.mu * LOST)
    if seen.delta > 0 and lost.size:
        return Ending(
            outcome=Outcome.STALLED,
            k=int(lost[0]),
            cause=Cause.LOST_MU,
            remedy=seen.remedy,
            numbers={"mu": float(problem.mu), "why": seen.cause},
        )
    if not (_stands(gap) and len(gap) >= _patience(problem, L)):
        return None
    if L < problem.true_L * (1 - 1e-6):  # where curvature varies, the last step may meet little
        remedy, true_L = "Give that L.", problem.true_L
        return _level(Outcome.BOUNCING, gap, Cause.SMALL_L, remedy, L=L, true_L=true_L)
    remedy = "Try another method, or an L that is not above the true one."
    return _level(Outcome.STALLED, gap, Cause.IDLE, remedy)


def _level(outcome: Outcome, gap: Array, cause: Cause, remedy: str, **numbers: float) -> Ending:
    """The end of a run that stays at one level, with the gap there and where it was first reached."""
    since = int(np.argmax(gap <= np.min(gap) / STALL))
    plain = {name: float(value) for name, value in {"gap": gap[-1], **numbers}.items()}
    return Ending(outcome=outcome, k=since, cause=cause, remedy=remedy, numbers=plain)


def _stands(gap: Array) -> bool:
    """Peaks are compared, since ripples have chance dips that no later ripple reaches."""
    third = len(gap) // 3
    return len(gap) >= STALL_RECORDS and bool(np.max(gap[-third:]) > STALL * np.max(gap[third:-third]))


def _patience(problem: Problem, L: float) -> float:
    """Records after which even gradient descent has got on, and any ripple is shorter than half the run."""
    curvature = problem.mu if problem.mu > 0 else problem.mu_restricted
    condition = L / curvature if curvature > 0 else np.inf
    return float(max(10 * np.sqrt(condition), condition / 10))


def _met(L: float, met: float) -> list[Note]:
    """The curvature that the last step met, where it is more than L."""
    return [Note(cause=Cause.MET, numbers={"curvature": met, "L": float(L)})] if met else []


def _too_high(seen: Shift, gap: Array) -> list[Note]:
    negative = np.flatnonzero(seen.delta + gap < 0)
    if seen.delta >= 0 or not negative.size:
        return []
    excess = {"excess": -float(seen.delta)}
    return [Note(k=int(negative[0]), cause=Cause.F_STAR_HIGH, numbers=excess)]


def _too_low(seen: Shift, gap: Array) -> list[Note]:
    near = np.flatnonzero(gap < VISIBLE * seen.delta)
    if not near.size:
        return []
    why = {"why": seen.cause}
    return [Note(k=int(near[0]), cause=Cause.F_STAR_LOW, remedy=seen.remedy, numbers=why)]


def low_start(mu: float, mu0: float | None) -> list[Note]:
    """What to say of a run whose mu_0 lies below mu, as L/2 does where L/mu < 2."""
    if mu0 is None or not mu0 < mu:
        return []
    return [Note(cause=Cause.LOW_START, numbers={"mu0": float(mu0), "mu": float(mu)})]


def backtracked(L: float, steps: Sequence[float]) -> Note:
    """What backtracking made of the L that was given."""
    numbers = {"L": L, "first": steps[0], "last": steps[-1], "largest": max(steps)}
    return Note(cause=Cause.BACKTRACKING, numbers={name: float(value) for name, value in numbers.items()})
