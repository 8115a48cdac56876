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


def test_an_L_that_is_far_too_small_is_named_by_the_reference_run():
    problem = pc.Problem(
        Odd(value=lambda x: 25.0 * float(x @ x), grad=lambda x: 50 * x), L=10.0, x0=[1.0, 2.0]
    )
    with pytest.raises(ValueError, match=r"left the finite numbers at step \d+: either L = 10 is too small"):
        pc.solve(problem)
    with pytest.raises(ValueError, match="f is not finite where the reference run ended"):
        pc.solve(make(psi=OddPenalty(value=lambda x: 0.0 if x[0] > 0.5 else np.nan)))


def test_values_that_turn_nan_on_the_way_end_the_run():
    reference = make().reference
    h = Odd(value=lambda x: np.nan if 0 < x @ x < 0.1 else 0.5 * float(x @ x))
    problem = pc.Problem(h, L=2.0, x0=[1.0, 2.0], certify=lambda x0: reference)
    trace = pc.solve(problem, "pgd", 50)
    assert trace.outcome is pc.Outcome.NON_FINITE
    assert np.isfinite(trace.gap[:-1]).all()
