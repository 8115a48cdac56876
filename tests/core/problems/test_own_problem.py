"""People's own h and psi: checked in words, and as good as subtraction lets them be."""

import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from itertools import islice
from multiprocessing import get_context

import numpy as np
import pytest
from cases import every_method, every_method_with_backtracking

import polyak_core as pc
from polyak_core.methods.keywords import parameters
from polyak_core.penalties import L1
from polyak_core.problems.lasso import lasso

EPS = np.finfo(float).eps
RNG = np.random.default_rng(21)
A, B = RNG.standard_normal((30, 7)) * np.logspace(0, -0.7, 7), RNG.standard_normal(30)
LABELS = np.where(B > 0, 1.0, -1.0)
START = np.ones(7)


class Squares:
    def value(self, x):
        r = A @ x - B
        return 0.5 * (r @ r)

    def grad(self, x):
        return A.T @ (A @ x - B)


class Logit:
    def value(self, x):
        return np.logaddexp(0, -LABELS * (A @ x)).sum() + 0.05 * (x @ x)

    def grad(self, x):
        return -A.T @ (LABELS / (1 + np.exp(LABELS * (A @ x)))) + 0.1 * x


class Absolute:
    def value(self, x):
        return 0.8 * np.abs(x).sum()

    def prox(self, x, step):
        return np.sign(x) * np.maximum(np.abs(x) - 0.8 * step, 0)


TRUE = {
    "logistic": (pc.logistic(A, LABELS, 0.05, x0=START), Logit(), None),
    "lasso": (lasso(A, B, 0.8, x0=START), Squares(), Absolute()),
    "least squares": (pc.least_squares(A, B, x0=START), Squares(), None),
}
every = pytest.mark.parametrize("name", TRUE)


def own(name, mu=True, **keywords):
    true, h, psi = TRUE[name]
    return pc.Problem(h, psi, L=true.L, mu=true.mu if mu else None, x0=START, **keywords)


@every
@every_method
def test_it_runs_as_the_certified_problem_does(name, method):
    true, ours = TRUE[name][0], own(name)
    expected, trace = (pc.solve(problem, method, 250) for problem in (true, ours))
    length = min(len(expected), len(trace))
    clear = expected.gap[:length] > 1e-9 * expected.gap[0]
    for column, rtol in (("gap", 1e-4), ("mu", 1e-5), ("beta", 1e-6), ("t", 1e-12), ("restarted", 0)):
        both = (getattr(each, column)[:length][clear] for each in (trace, expected))
        np.testing.assert_allclose(*both, rtol=rtol, err_msg=column)
    np.testing.assert_array_equal(trace.gradients[:length], expected.gradients[:length])
    assert not trace.products.any()


@every
def test_f_star_and_its_error(name):
    true, ours = TRUE[name][0], own(name)
    assert ours.f_star == pytest.approx(true.f_star, rel=1e-14)
    assert true.gap(ours.x_star) <= ours.f_star_error < 1e-18
    assert "reference run of" in ours.f_star_source
    assert f"error estimated as {ours.f_star_error:.1g} from the given mu and L" in ours.f_star_source
    assert not ours.reference.proven
    assert "f(x*) - min f is an estimate" in ours.describe()


@every
def test_without_mu_the_error_is_an_estimate_and_says_so(name):
    true, ours = TRUE[name][0], own(name, mu=False)
    assert ours.mu == 0
    assert f"error estimated as {ours.f_star_error:.1g} without a bound: mu is not" in ours.f_star_source
    assert "f(x*) - min f is an estimate" in ours.describe()
    assert true.gap(ours.x_star) <= ours.f_star_error < 1e-9


def test_a_bound_needs_an_L_that_is_true():
    true, h, _ = TRUE["least squares"]
    ours = pc.Problem(h, L=0.8 * true.L, mu=true.mu, x0=true.loss.factors.V[:, 0])
    # steps of 1/L are short enough to get there, but not to prove it along this direction
    assert "from the given mu" in ours.f_star_source or "L is too small" in ours.f_star_source
    assert true.gap(ours.x_star) <= ours.f_star_error


@pytest.mark.parametrize("condition", [1.0, 1 + 1e-12, 1.5])
@pytest.mark.parametrize("offset", [0.0, 0.1, 1e5])
def test_one_step_is_enough_but_for_rounding(condition, offset):
    """kappa = 1: the first step ends at x*, and what the error says is how x* and the step are rounded."""
    x_star = [Fraction(1, 3) * 10**6, Fraction(-2, 7), Fraction(1, 10**9)]

    class Bowl:
        k = np.array([3.0, 3.0, 3.0 / condition])
        pull = np.array([float(3 * w) for w in x_star])

        def value(self, x):
            return float(0.5 * (self.k * x) @ x - self.pull @ x + offset)

        def grad(self, x):
            return self.k * x - self.pull

    problem = pc.Problem(Bowl(), L=3.0, mu=3.0 / condition, x0=np.array([5.0, -7.0, 1e3]))
    excess = Fraction(0)
    for k, pull, x in zip(Bowl.k, Bowl.pull, problem.x_star, strict=True):
        excess += Fraction(k) / 2 * (Fraction(x) - Fraction(pull) / Fraction(k)) ** 2
    assert excess <= Fraction(problem.f_star_error) <= Fraction(1e-12)
    assert not problem.reference.proven


def test_no_end_in_sight_is_said():
    class Flat:
        def value(self, x):
            return 0.5 * (np.logspace(0, -11, 40) @ (x * x))

        def grad(self, x):
            return np.logspace(0, -11, 40) * x

    problem = pc.Problem(Flat(), L=1.0, mu=1e-11, x0=np.ones(40))
    assert "not converged" in problem.f_star_source
    assert Flat().value(problem.x_star) <= problem.f_star_error


@every
@pytest.mark.parametrize("estimator", ["polyak", "certified", "model"])
def test_guards_below_the_noise(name, estimator):
    true, problem = TRUE[name][0], own(name)
    trace = pc.solve(problem, "adapt_apg_v2", 3000, estimator=estimator)
    floor = 1000 * EPS * abs(problem.f_star)
    assert trace.floor == pytest.approx(floor)
    assert trace.outcome is pc.Outcome.FLOOR
    assert np.all(trace.gap[-1000:] <= trace.floor)
    assert trace.frozen[trace.gap <= floor].all()
    clear = true.gap(trace.x) < floor
    assert clear
    if not (name == "lasso" and estimator == "polyak"):
        assert np.all(trace.mu >= true.mu * (1 - 1e-6))
    expected = pc.solve(true, "adapt_apg_v2", 3000, estimator=estimator)
    # an estimate is taken from a gap of 1000 roundings of f on; a value of f is off by some ten
    assert trace.mu[-1] >= expected.mu[-1] * (1 - 1e-2)


def test_mu_loc_is_that_of_the_certified_problem_or_nan():
    for name, (true, _, _) in TRUE.items():
        ours, expected = (pc.solve(p, "adapt_apg_v2", 150).mu_loc for p in (own(name), true))
        known = np.isfinite(ours)
        assert known.sum() > 20
        assert not known[-1]
        np.testing.assert_allclose(ours[known][:10], expected[: len(ours)][known][:10], rtol=1e-4)
        assert np.all(ours[known] >= true.mu * 0.99)


@every
@every_method_with_backtracking
@pytest.mark.parametrize("scale", [1e-2, 1e2])
def test_backtracking(name, method, scale):
    true, h, psi = TRUE[name]
    reference = own(name).reference
    problem = pc.Problem(h, psi, L=scale * true.L, x0=START, certify=lambda x0: reference)
    trace = pc.solve(problem, method, 1500, backtracking=True)
    assert max(trace.settings["L"][10:]) <= 2 * true.L
    assert trace.gap[-1] < 1e-5 * trace.gap[0]


@every
@pytest.mark.parametrize("method", ["restart", "adapt_apg_free", "nag_free"])
def test_stacked_runs_are_the_single_runs(name, method):
    arguments = parameters(own(name), method).arguments
    problem = own(name).oracle()
    starts = RNG.standard_normal((3, 7))
    runs = [pc.METHODS[method].generator(problem, x, **arguments) for x in (starts, *starts)]
    for all_, *one in islice(zip(*runs, strict=True), 15):
        np.testing.assert_allclose(all_.y, np.stack([it.y for it in one]), rtol=1e-9, atol=1e-12)
    for kind in ("polyak", "certified", "model"):
        stacked = problem.ask_estimate(starts, kind)
        for i, x in enumerate(starts):
            for all_, one in zip(stacked, problem.ask_estimate(x, kind), strict=True):
                assert one is None or all_[i, 0] == pytest.approx(one, rel=1e-9)
    assert problem.curvature(starts, starts + 1).shape == (3, 1)


def test_curvature_of_a_tiny_step_is_no_rounding():
    problem = own("logistic").oracle()
    x, direction = START, RNG.standard_normal(7)
    close = [float(problem.curvature(x, x + 10.0**-e * direction)) for e in range(3, 11)]
    np.testing.assert_allclose(close, close[0], rtol=1e-2)


def test_our_penalties_and_losses_mix_with_peoples_own():
    true = TRUE["lasso"][0]
    for problem in (
        pc.Problem(Squares(), L1(0.8), L=true.L, mu=true.mu, x0=START),
        pc.Problem(pc.least_squares(A, B).loss, Absolute(), L=true.L, mu=true.mu, x0=START),
    ):
        assert problem.f_star == pytest.approx(true.f_star, rel=1e-14)
        traces = [pc.solve(each, "adapt_apg_v2", 200, target=1e-9) for each in (problem, true)]
        assert traces[0].first_below(1e-9) == traces[1].first_below(1e-9)


def test_pickled_and_sent_to_other_processes():
    problem = own("lasso")
    copy = pickle.loads(pickle.dumps(problem))
    np.testing.assert_array_equal(pc.solve(copy, "fista", 50).gap, pc.solve(problem, "fista", 50).gap)
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        runs = pc.sweep(problem, executor=pool, method="restart", gamma=[1, 5], iterations=40)
    np.testing.assert_array_equal(runs[1][1].gap, pc.solve(problem, "restart", 40, gamma=5).gap)


def test_objects_that_reuse_buffers_or_write_into_x_do_no_harm():
    class Careless:
        buffer = np.empty(7)

        def value(self, x):
            x -= START
            return float(x @ x) / 2

        def grad(self, x):
            np.subtract(x, START, out=self.buffer)
            return self.buffer

    class InPlace:
        def value(self, x):
            return np.array([0.1 * np.abs(x).sum()])

        def prox(self, x, step):
            x[:] = np.sign(x) * np.maximum(np.abs(x) - 0.1 * step, 0)
            return x

    x0 = np.zeros(7)
    trace = pc.solve(pc.Problem(Careless(), InPlace(), L=2.0, mu=1.0, x0=x0), "adapt_apg", 100)
    np.testing.assert_allclose(trace.y, 0.9, rtol=1e-12)
    np.testing.assert_array_equal(x0, 0)


@pytest.mark.parametrize("x0", [[1, 2, 3, 4, 5, 6, 7], np.ones(7, dtype=np.float32), np.ones(7, dtype=int)])
def test_any_kind_of_start(x0):
    problem = pc.Problem(Squares(), L=TRUE["lasso"][0].L, x0=x0)
    assert problem.x0.dtype == np.float64
    assert pc.solve(problem, "fista", 5).gap[-1] >= 0


def test_it_is_never_called_solved_exactly_where_gaps_are_rounding():
    trace = pc.solve(own("logistic"), "adapt_apg_v2", 1000)
    assert trace.outcome is pc.Outcome.FLOOR
    assert len(trace) == 1001


# -- what goes wrong is said in words -------------------------------------------------------------


class Odd:
    """h with one thing changed."""

    def __init__(self, value=None, grad=None):
        self.value = value or (lambda x: 0.5 * float(x @ x))
        self.grad = grad or (lambda x: x)


class OddPenalty:
    def __init__(self, value=None, prox=None):
        self.value = value or (lambda x: 0.0)
        self.prox = prox or (lambda x, step: x)


def odd_problem(h=None, psi=None, **keywords):
    return pc.Problem(h or Odd(), psi, **{"L": 1.0, "x0": [1.0, 2.0], **keywords})


WRONG_CALLS = [
    (lambda: odd_problem(L=None), ["L is missing", "a Lipschitz constant", "give a number > 0"]),
    (lambda: odd_problem(x0=None), ["x0 is missing", "shape (n,)"]),
    (lambda: odd_problem(x0=[[1.0]]), ["x0 must have 1 axes"]),
    (lambda: odd_problem(x0=[1.0, np.nan]), ["x0 has 1 entries that are NaN"]),
    (lambda: odd_problem(L=-1), ["L = -1", "a number > 0"]),
    (lambda: odd_problem(L="large"), ["L = 'large'", "a number > 0"]),
    (lambda: odd_problem(mu=-0.1), ["mu = -0.1", "give 0, or a number from 1e-150 to L = 1"]),
    (lambda: odd_problem(mu=2), ["mu = 2", "give 0, or a number from 1e-150 to L = 1"]),
    (
        lambda: odd_problem(h=object()),
        ["h = object has no method value and no method grad", "give an object"],
    ),
    (lambda: odd_problem(psi=np.abs), ["psi = ufunc has no method value", "prox"]),
    (lambda: odd_problem(representation="A"), ["representation", "leave it out"]),
    (lambda: odd_problem(Odd(value=lambda x: x)), ["h.value must return one real number", "array([1., 2.])"]),
    (lambda: odd_problem(Odd(value=lambda x: "a")), ["h.value must return one real number", "'a'"]),
    (lambda: odd_problem(Odd(value=lambda x: None)), ["h.value must return one real number", "None"]),
    (lambda: odd_problem(L=1e200), ["L = 1e+200", "to 1e+150"]),
    (lambda: odd_problem(Odd(value=lambda x: np.nan)), ["h.value(x0) is not finite", "give an x0"]),
    (
        lambda: odd_problem(Odd(grad=lambda x: x[:1])),
        ["h.grad must return", "of shape (2,)", "shape (1,)"],
    ),
    (lambda: odd_problem(Odd(grad=lambda x: x[:, None])), ["shape (2,)", "of shape (2, 1)"]),
    (lambda: odd_problem(Odd(grad=lambda x: 1j * x)), ["h.grad must return real numbers"]),
    (lambda: odd_problem(Odd(grad=lambda x: x / 0.0)), ["h.grad(x0) is not finite"]),
    (lambda: odd_problem(Odd(grad=lambda x: -x)), ["h.grad does not fit h.value", "Check grad"]),
    (lambda: odd_problem(Odd(grad=lambda x: 2 * x)), ["h.grad does not fit h.value"]),
    (lambda: odd_problem(psi=OddPenalty(value=lambda x: np.inf)), ["psi(x0) = inf", "feasible"]),
    (lambda: odd_problem(psi=OddPenalty(prox=lambda x, step: x[0])), ["psi.prox must return", "shape ()"]),
    (
        lambda: odd_problem(psi=OddPenalty(prox=lambda x, step: np.nan * x)),
        ["psi.prox(x0, 1/L) is not finite"],
    ),
    (lambda: pc.Problem(pc.quadratic([1.0]).loss, mu=0.5), ["mu = 0.5 is for an h of your own", "solve"]),
    (lambda: pc.solve(odd_problem(), f_star="dual"), ["'dual' is not available"]),
    (lambda: pc.solve(odd_problem(), "apg"), ["mu = 0", "pass mu="]),
    (lambda: odd_problem().f([1.0]), ["x has 1 entries", "n = 2"]),
]


@pytest.mark.parametrize(
    ("call", "fragments"), WRONG_CALLS, ids=[str(number) for number in range(len(WRONG_CALLS))]
)
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
    with pytest.raises(ValueError, match=r"met numbers that are not finite at step \d+, whatever L is"):
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


@every_method_with_backtracking
def test_backtracking_finds_an_L_that_the_reference_run_needs_too(method):
    h = Poisson()
    problem = pc.Problem(h, L=1.0, x0=np.zeros(5))
    assert np.linalg.norm(h.grad(problem.x_star)) < 1e-6 * np.linalg.norm(h.grad(np.zeros(5)))
    trace = pc.solve(problem, method, 400, backtracking=True)
    assert trace.first_below(1e-6) is not None
    curvature = np.linalg.eigvalsh((h.A.T * np.exp(h.A @ problem.x_star)) @ h.A)[-1]
    assert 0.1 * curvature < max(trace.settings["L"])


@every
def test_a_certificate_from_elsewhere_leaves_the_rounding_of_values_in_the_floor(name):
    true, h, psi = TRUE[name]
    certified = true.reference
    problem = pc.Problem(h, psi, L=true.L, x0=START, certify=lambda x0: certified)
    trace = pc.solve(problem, "fista", 300)
    exact = np.array([true.gap(step.y) for step in islice(pc.iterates(problem, "fista"), 301)])
    above = trace.gap > trace.floor
    assert above.sum() > 20
    np.testing.assert_allclose(trace.gap[above], exact[above], rtol=0.01)
    assert trace.floor >= 1e3 * np.finfo(float).eps * abs(true.f_star)


def test_the_reference_run_stops_where_values_are_not_finite():
    with pytest.raises(ValueError, match="f is not finite where the reference run ended"):
        pc.solve(odd_problem(psi=OddPenalty(value=lambda x: 0.0 if x[0] > 0.5 else np.nan)))


def test_values_that_turn_nan_on_the_way_end_the_run():
    reference = odd_problem().reference
    h = Odd(value=lambda x: np.nan if 0 < x @ x < 0.1 else 0.5 * float(x @ x))
    problem = pc.Problem(h, L=2.0, x0=[1.0, 2.0], certify=lambda x0: reference)
    trace = pc.solve(problem, "pgd", 50)
    assert trace.outcome is pc.Outcome.NON_FINITE
    assert np.isfinite(trace.gap[:-1]).all()
