"""How the points of a method move, given its numbers; a decorator makes a method of them.

All methods but proximal gradient move their points in one of two ways, `with_momentum` and
`along_estimates`; what makes a method are the numbers in them. So a method is written as its numbers: a
generator that yields what they are at step k, is sent x_{k+1} and y_{k+1}, and goes on. Numbers alone are all
that methods need which take every step together (`polyak_core.runs.together`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import wraps
from itertools import count
from typing import Concatenate, NamedTuple, ParamSpec

import numpy as np

from polyak_core.arrays import Array, Scalar, choose
from polyak_core.methods.estimators import Shift
from polyak_core.problems.problem import Problem

P = ParamSpec("P")
MOMENTUM: dict[Callable[..., Iterator[Iterate]], Callable[..., Momentum]] = {}
ESTIMATES: dict[Callable[..., Iterator[Iterate]], Callable[..., Estimates]] = {}
"""The numbers of each method that moves with momentum, and of each that moves along an estimate sequence."""


class Iterate(NamedTuple):
    """One step of a method.

    Attributes:
        k: index.
        x, y: x_k and y_k = T_L(x_k).
        mu, beta: form x_{k+1}; NaN where a method has none.
        log_A: log A_k of the estimate sequence, NaN where there is none.
        t: momentum counter t_k after the test at y_k, NaN where there is none.
        restarted: a restart fired at y_k.
        mu_hat, frozen: the estimate that the method made at this step (None: it made none), and whether it
            was refused.
        seen: what the method has learned of f*, where that changes on the way.
        L: made y_k, where it changes on the way (NaN: it is problem.L).
    """

    k: int
    x: Array
    y: Array
    mu: Scalar = np.nan
    beta: Scalar = np.nan
    log_A: Scalar = np.nan
    t: Scalar = np.nan
    restarted: Scalar = False
    mu_hat: Scalar | None = None
    frozen: Scalar = False
    seen: Shift | None = None
    L: float = np.nan


class Said(NamedTuple):
    """The numbers of an iterate, as `Iterate` explains them."""

    mu: Scalar = np.nan
    beta: Scalar = np.nan
    log_A: Scalar = np.nan
    t: Scalar = np.nan
    restarted: Scalar = False
    mu_hat: Scalar | None = None
    frozen: Scalar = False
    seen: Shift | None = None


class Pull(NamedTuple):
    """The numbers of an iterate with v_k apart from y_k, and how p_k = v_k - y_k goes on.

    Attributes:
        said: what the iterate says.
        push: x_{k+1} = y_k + push p_k.
        keep, pull: p_{k+1} = keep p_k + pull (x_{k+1} - y_{k+1}).
    """

    said: Said
    push: Scalar
    keep: Scalar
    pull: Scalar


Points = tuple[Array, Array]
Momentum = Generator[Said, Points, None]
Estimates = Generator[Pull, Points, None]
Method = Callable[Concatenate[Problem, Array, P], Iterator[Iterate]]


def with_momentum(numbers: Callable[Concatenate[Problem, Array, P], Momentum]) -> Method[P]:
    """The method x_{k+1} = y_k + beta_k (y_k - y_{k-1}) of its numbers; y_{k-1} := y_k after a restart."""

    @wraps(numbers)
    def method(problem: Problem, x0: Array, /, *args: P.args, **parameters: P.kwargs) -> Iterator[Iterate]:
        x = y = y_before = x0
        told = numbers(problem, x0, *args, **parameters)
        said = next(told)
        for k in count():
            yield Iterate(k, x, y, *said)
            x = y + said.beta * (y - y_before)
            y_before, y = y, problem.prox_step(x)
            said = told.send((x, y))
            y_before = choose(said.restarted, y, y_before)

    MOMENTUM[method] = numbers
    return method


def along_estimates(numbers: Callable[Concatenate[Problem, Array, P], Estimates]) -> Method[P]:
    """The method that moves as `Pull` says, of its numbers."""

    @wraps(numbers)
    def method(problem: Problem, x0: Array, /, *args: P.args, **parameters: P.kwargs) -> Iterator[Iterate]:
        x = y = x0
        p = x0 - x0
        told = numbers(problem, x0, *args, **parameters)
        said, push, keep, pull = next(told)
        for k in count():
            yield Iterate(k, x, y, *said)
            x = y + push * p
            y = problem.prox_step(x)
            p = keep * p + pull * (x - y)
            said, push, keep, pull = told.send((x, y))

    ESTIMATES[method] = numbers
    return method
