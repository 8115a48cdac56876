"""What goes wrong with people's own h and psi is said in words."""

import re

import numpy as np
import pytest

import polyak_core as pc


class Odd:
    """h with one thing changed."""

    def __init__(self, value=None, grad=None):
        self.value = value or (lambda x: 0.5 * float(x @ x))
        self.grad = grad or (lambda x: x)


class OddPenalty:
    def __init__(self, value=None, prox=None):
        self.value = value or (lambda x: 0.0)
        self.prox = prox or (lambda x, step: x)


def make(h=None, psi=None, **keywords):
    return pc.Problem(h or Odd(), psi, **{"L": 1.0, "x0": [1.0, 2.0], **keywords})


CALLS = [
    (lambda: make(L=None), ["L is missing", "a Lipschitz constant", "give a number > 0"]),
    (lambda: make(x0=None), ["x0 is missing", "shape (n,)"]),
    (lambda: make(x0=[[1.0]]), ["x0 must have 1 axes"]),
    (lambda: make(x0=[1.0, np.nan]), ["x0 has 1 entries that are NaN"]),
    (lambda: make(L=-1), ["L = -1", "a number > 0"]),
    (lambda: make(L="large"), ["L = 'large'", "a number > 0"]),
    (lambda: make(mu=-0.1), ["mu = -0.1", "give 0, or a number from 1e-150 to L = 1"]),
    (lambda: make(mu=2), ["mu = 2", "give 0, or a number from 1e-150 to L = 1"]),
    (lambda: make(h=object()), ["h = object has no method value and no method grad", "give an object"]),
    (lambda: make(psi=np.abs), ["psi = ufunc has no method value", "prox"]),
    (lambda: make(representation="A"), ["representation", "leave it out"]),
    (lambda: make(Odd(value=lambda x: x)), ["h.value must return one real number", "array([1., 2.])"]),
    (lambda: make(Odd(value=lambda x: "a")), ["h.value must return one real number", "'a'"]),
    (lambda: make(Odd(value=lambda x: None)), ["h.value must return one real number", "None"]),
    (lambda: make(L=1e200), ["L = 1e+200", "to 1e+150"]),
    (lambda: make(Odd(value=lambda x: np.nan)), ["h.value(x0) is not finite", "give an x0"]),
    (
        lambda: make(Odd(grad=lambda x: x[:1])),
        ["h.grad must return", "of shape (2,)", "shape (1,)"],
    ),
    (lambda: make(Odd(grad=lambda x: x[:, None])), ["shape (2,)", "of shape (2, 1)"]),
    (lambda: make(Odd(grad=lambda x: 1j * x)), ["h.grad must return real numbers"]),
    (lambda: make(Odd(grad=lambda x: x / 0.0)), ["h.grad(x0) is not finite"]),
    (lambda: make(Odd(grad=lambda x: -x)), ["h.grad does not fit h.value", "Check grad"]),
    (lambda: make(Odd(grad=lambda x: 2 * x)), ["h.grad does not fit h.value"]),
    (lambda: make(psi=OddPenalty(value=lambda x: np.inf)), ["psi(x0) = inf", "feasible"]),
    (lambda: make(psi=OddPenalty(prox=lambda x, step: x[0])), ["psi.prox must return", "shape ()"]),
    (lambda: make(psi=OddPenalty(prox=lambda x, step: np.nan * x)), ["psi.prox(x0, 1/L) is not finite"]),
    (lambda: pc.Problem(pc.quadratic([1.0]).loss, mu=0.5), ["mu = 0.5 is for one's own h", "solve"]),
    (lambda: pc.solve(make(), f_star="dual"), ["'dual' is not available"]),
    (lambda: pc.solve(make(), "apg"), ["mu = 0", "pass mu="]),
    (lambda: make().f([1.0]), ["x has 1 entries", "n = 2"]),
]


@pytest.mark.parametrize(("call", "fragments"), CALLS, ids=[str(number) for number in range(len(CALLS))])
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_goes_wrong_is_said_in_words(call, fragments):
    with pytest.raises(ValueError, match=re.escape(fragments[0])) as caught:
        pc.solve(call())
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_an_L_that_is_far_too_small_is_named_and_the_reference_run_finds_its_own():
    problem = pc.Problem(
        Odd(value=lambda x: 25.0 * float(x @ x), grad=lambda x: 50 * x), L=10.0, x0=[1.0, 2.0]
    )
    np.testing.assert_allclose(problem.x_star, 0, atol=1e-12)
    assert "found on the way, as the given 10 is too small" in problem.f_star_source
    assert not problem.reference.proven
    diverged = pc.solve(problem, "fista", 200)
    assert diverged.outcome is pc.Outcome.DIVERGED
    assert "give an L that is not below the true one." in diverged.message


def test_a_reference_run_that_no_L_makes_finite_says_so():
    h = Odd(value=lambda x: 0.5 * float(x @ x), grad=lambda x: x if x @ x > 0.1 else x * np.nan)
    with pytest.raises(ValueError, match=r"left the finite numbers at step \d+, whatever L is"):
        pc.solve(pc.Problem(h, L=1.0, x0=[1.0, 2.0]))


class Poisson:
    """sum exp(a_i'x) - y_i a_i'x: no L holds everywhere, and steps of length 1 overflow."""

    def __init__(self):
        rng = np.random.default_rng(5)
        self.A = 2 * rng.standard_normal((80, 5))
        self.y = rng.poisson(np.exp(self.A[:, 4])).astype(float)

    def value(self, x):
        with np.errstate(over="ignore"):
            return float(np.exp(self.A @ x).sum() - self.y @ (self.A @ x))

    def grad(self, x):
        with np.errstate(over="ignore", invalid="ignore"):
            return self.A.T @ (np.exp(self.A @ x) - self.y)


@pytest.mark.parametrize("method", ["pgd", "fista", "adapt_apg_v2"])
def test_backtracking_finds_an_L_that_the_reference_run_needs_too(method):
    h = Poisson()
    problem = pc.Problem(h, L=1.0, x0=np.zeros(5))
    assert np.linalg.norm(h.grad(problem.x_star)) < 1e-6 * np.linalg.norm(h.grad(np.zeros(5)))
    trace = pc.solve(problem, method, 400, backtracking=True)
    assert trace.first_below(1e-6) is not None
    curvature = np.linalg.eigvalsh((h.A.T * np.exp(h.A @ problem.x_star)) @ h.A)[-1]
    assert 0.1 * curvature < max(trace.settings["L"])


def test_the_reference_run_stops_where_values_are_not_finite():
    with pytest.raises(ValueError, match="f is not finite where the reference run ended"):
        pc.solve(make(psi=OddPenalty(value=lambda x: 0.0 if x[0] > 0.5 else np.nan)))


def test_values_that_turn_nan_on_the_way_end_the_run():
    reference = make().reference
    h = Odd(value=lambda x: np.nan if 0 < x @ x < 0.1 else 0.5 * float(x @ x))
    problem = pc.Problem(h, L=2.0, x0=[1.0, 2.0], certify=lambda x0: reference)
    trace = pc.solve(problem, "pgd", 50)
    assert trace.outcome is pc.Outcome.NON_FINITE
    assert np.isfinite(trace.gap[:-1]).all()
