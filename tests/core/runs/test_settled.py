"""Near the floor: what has settled does not rise again, with a given L and with one found on the way.

A small gap alone has not settled: points that run through the minimum, as FISTA's do where one coordinate is
left, have a tiny gap for one step and their old one again after it. What cannot rise is the energy, which
counts how far the next step is thrown too: f(y_{k+1}) - f* + L/2 ||y_{k+1} - y_k||^2 <= f(y_k) - f* +
L/2 ||x_{k+1} - y_k||^2 for every accepted step (Beck and Teboulle 2009, lemma 2.3 at y_k), and momentum is at
most 1, so that with a given L no later gap is above an energy before it.
"""

from functools import partial
from itertools import islice, pairwise

import numpy as np
import pytest
from cases import STACKING, WITH_BACKTRACKING, every_method_with_backtracking, problems_on
from hypothesis import given
from hypothesis import strategies as st

import polyak_core as pc
from polyak_core.problems.lasso import lasso

WAYS = [(method, False) for method in STACKING] + [(method, True) for method in WITH_BACKTRACKING]
RISE = 100
"""That is promised; methods along an estimate sequence, and an L that changes, have another energy."""


def energies(problem, method, trace, backtracking):
    """gap_k + L_{k+1}/2 ||x_{k+1} - y_k||^2 for all k but the last."""
    keywords = {"backtracking": True} if backtracking else {}
    steps = list(islice(pc.iterates(problem, method, **keywords), len(trace)))
    thrown = [np.sum((after.x - now.y) ** 2) for now, after in pairwise(steps)]
    L = np.array(trace.settings["L"][1:]) if backtracking else problem.L
    return trace.gap[:-1] + L / 2 * np.array(thrown)


def settled_and_rises(problem, method, backtracking, iterations):
    """Whether a run has settled, and how far its gaps rise above the least energy before."""
    trace = pc.solve(problem, method, iterations, backtracking=backtracking)
    assert np.isfinite(trace.gap).all()
    level = max(trace.floor, 1e-28 * trace.gap[0])
    least = np.minimum.accumulate(np.maximum(energies(problem, method, trace, backtracking), level))
    return least[-1] == level, trace.gap[1:] / least


RNG = np.random.default_rng(9)
A, B = RNG.standard_normal((30, 6)) * np.logspace(0, -0.2, 6), RNG.standard_normal(30)
EASY = problems_on(A, B, np.ones(6))
MAKERS = {
    "quadratic": partial(EASY["quadratic"], eigenvalues=pc.spectrum("log", n=6, condition_number=10)),
    "least squares": EASY["least squares, A"],
    "lasso": EASY["lasso"],
    "logistic": EASY["logistic"],
    "squared hinge": partial(EASY["squared hinge"], C=0.1),
}
"""All methods settle on them within 600 steps."""


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize(("method", "backtracking"), WAYS)
def test_what_has_settled_does_not_rise(make, method, backtracking):
    settled, rises = settled_and_rises(make(), method, backtracking, 600)
    assert settled
    assert rises.max() <= RISE


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@every_method_with_backtracking
def test_no_gap_is_above_an_energy_before(make, method):
    """With a given L, to rounding: all along, not near the floor alone."""
    _, rises = settled_and_rises(make(), method, False, 200)
    assert rises.max() <= 1 + 1e-6


def test_a_small_gap_alone_has_not_settled():
    """FISTA on one coordinate is a pendulum: some steps pass the minimum closely, and it swings on."""
    problem = pc.quadratic([1e-4], x0=[1.0], L=1.0)
    trace = pc.solve(problem, "fista", 3000)
    least = np.minimum.accumulate(trace.gap)
    assert np.max(trace.gap / least) > 1e4
    _, rises = settled_and_rises(problem, "fista", False, 3000)
    assert rises.max() <= 1 + 1e-6


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["quadratic", "least squares", "lasso", "logistic", "svm"]))
    X = rng.standard_normal((6, 3)) * 10 ** (rng.uniform(-1, 1, 3) + draw(st.floats(-4, 4)))
    b, x0 = rng.standard_normal(6) * 10 ** draw(st.floats(-3, 3)), rng.standard_normal(3)
    y = np.where(rng.standard_normal(6) > 0, 1.0, -1.0)
    if kind == "quadratic":
        return pc.quadratic(10 ** rng.uniform(-3, 3, 3), x0=x0, x_star=100 * rng.standard_normal(3))
    if kind == "least squares":
        return pc.least_squares(X, b, x0=x0, representation=draw(st.sampled_from("AG")))
    if kind == "lasso":
        return lasso(X, b, 10 ** draw(st.floats(-3, 0)) * np.abs(X.T @ b).max(), x0=x0)
    if kind == "logistic":
        return pc.logistic(X, y, 10 ** draw(st.floats(-3, 0)) * np.sum(X**2))
    loss = draw(st.sampled_from(["hinge", "squared_hinge"]))
    return pc.svm_dual(X, y, 10 ** draw(st.floats(-2, 2)), loss=loss)


@given(problems(), st.sampled_from(WAYS + 3 * WAYS[-len(WITH_BACKTRACKING) :]))
def test_whatever_the_problem(problem, way):
    method, backtracking = way
    if method == "apg" and problem.mu == 0:
        method = "fista"
    _, rises = settled_and_rises(problem, method, backtracking, 300)
    assert rises.max() <= RISE
