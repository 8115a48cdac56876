"""f_star="dual": bounds from below, the best so far, and what they are worth."""

from itertools import count, islice

import numpy as np
import pytest
from cases import PROBLEMS, B

import polyak_core as pc
from polyak_core.methods.f_star import DualGap, dual_gap
from polyak_core.methods.keywords import parameters
from polyak_core.methods.paper import Iterate
from polyak_core.problems.lasso import lasso
from polyak_core.problems.svm import svm_dual

SONAR = pc.load_dataset("sonar", scaling="center")
RNG = np.random.default_rng(12)
C, INSIDE = 0.7, 0.7 * RNG.random(B.size)
BOUNDED = {
    "lasso, A": PROBLEMS["lasso"](lam=3.0, representation="A"),
    "lasso, G": PROBLEMS["lasso"](lam=3.0, representation="G"),
    "lasso, x* = 0": PROBLEMS["lasso"](lam=100.0),
    "logistic": PROBLEMS["logistic"](),
    "hinge, A": PROBLEMS["hinge"](C=C, x0=INSIDE, representation="A"),
    "hinge, G": PROBLEMS["hinge"](C=C, x0=INSIDE, representation="G"),
    "squared hinge": PROBLEMS["squared hinge"](C=C, x0=INSIDE),
    "kernel": PROBLEMS["hinge, rbf"](C=3.0, x0=INSIDE),
}
METHODS = ["adapt_apg", "adapt_apg_v2", "adapt_apg_free", "restart"]
every_bounded = pytest.mark.parametrize("problem", BOUNDED.values(), ids=BOUNDED)
every_method_with_f_star = pytest.mark.parametrize("method", METHODS)


def naive_bound(problem, x):
    """The dual value as the contract of numbers prints it, at a plain point."""
    grad = problem.loss.grad(x)
    if problem.name == "LASSO":
        lam, r = problem.penalty.lam, problem.loss.b - problem.loss.A @ x
        reach = lam / np.abs(problem.loss.A.T @ r).max()
        s = np.clip(problem.loss.b @ r / (r @ r), -reach, reach)
        return s * problem.loss.b @ r - s * s * (r @ r) / 2
    if problem.name == "logistic":
        return problem.f(x) - grad @ grad / (4 * problem.loss.lam)
    if "squared" not in problem.name:
        return -(np.maximum(0, -grad).sum() + x @ (grad + 1) / 2)
    m = grad + 1 - 2 / C * x
    return -(x @ m / 2 + C / 4 * (np.maximum(0, 1 - m) ** 2).sum())


def points(problem, method, steps):
    """Where the method has the gradient at hand: y_k for the estimates made there, else x_k."""
    run = islice(pc.iterates(problem, method, f_star="dual"), steps)
    return [it.y if method in {"adapt_apg", "adapt_apg_v2"} or it.k == 0 else it.x for it in run]


@every_bounded
@every_method_with_f_star
def test_weak_duality_at_every_iterate(problem, method):
    steps = 120
    trace = pc.solve(problem, method, steps - 1, f_star="dual")
    bounds = np.array([naive_bound(problem, x) for x in points(problem, method, steps)])
    scale = np.abs(bounds).max() + abs(problem.f_star)
    assert np.all(bounds <= problem.f_star + 1e-13 * scale)
    best = np.maximum.accumulate(bounds)[: len(trace)]
    below = trace.gap_seen - trace.gap
    np.testing.assert_allclose(below, problem.f_star - best, rtol=1e-6, atol=1e-12 * scale)
    assert np.all(below >= 0)
    assert np.all(np.diff(below) <= 1e-15 * scale)
    assert best[-1] > bounds[0] or len(trace) < 5


@every_method_with_f_star
def test_on_logistic_regression_the_bound_is_below_by_a_multiple_of_the_gap(method):
    """f* - D <= ||grad f||^2/(4 lam) <= L/(2 lam) (f - f*); with a penalty it is of the order of a root."""
    problem = BOUNDED["logistic"]
    trace = pc.solve(problem, method, 300, f_star="dual", target=1e-12)
    assert np.all(trace.gap_seen - trace.gap <= (1 + 1e-9) * problem.L / (2 * problem.loss.lam) * trace.gap)
    penalised = BOUNDED["lasso, A"]
    trace = pc.solve(penalised, method, 300, f_star="dual", target=1e-12)
    below = trace.gap_seen - trace.gap
    assert below[-1] > 100 * trace.gap[-1]


@every_bounded
def test_no_digit_is_lost_near_the_minimiser(problem):
    """f* - D shrinks with the distance as it should, to 1e-12 of x*; float64 values of f and D could not."""
    own, dual = problem.oracle(), dual_gap(problem)
    direction = own.lift(problem.x0) - own.lift(problem.x_star)
    start = own.lift(problem.x_star)
    sizes = [10.0**-e for e in range(3, 13)]
    deltas = [dual.begin(own, start + s * direction).delta for s in sizes]
    assert np.all(np.array(deltas) >= 0)
    second_order = problem.name == "logistic" or "squared" in problem.name or not problem.x_star.any()
    slopes = np.array(deltas) / np.array(sizes) ** (2 if second_order else 1)
    np.testing.assert_allclose(slopes[3:], slopes[-1], rtol=1e-3)


def test_what_not_knowing_f_star_costs():
    """The counts were found by another program."""
    problems = lasso(SONAR.X, SONAR.y, 1.0), svm_dual(SONAR.X, SONAR.y, 1.0)
    for problem, known, unknown in zip(problems, (394, 379), (2291, 1381), strict=True):
        traces = [
            pc.solve(problem, "adapt_apg_v2", 2500, f_star=f_star, target=1e-10) for f_star in (None, "dual")
        ]
        assert [trace.first_below(1e-10) for trace in traces] == [known, unknown]
        assert traces[1].mu[-1] < 1e-2 * traces[0].mu[-1]


def test_restart_copes():
    for problem in (lasso(SONAR.X, SONAR.y, 1.0), svm_dual(SONAR.X, SONAR.y, 1.0)):
        known, unknown = (
            pc.solve(problem, "restart", 2500, f_star=f_star, target=1e-10).first_below(1e-10)
            for f_star in (None, "dual")
        )
        assert unknown < 1.1 * known


def test_logistic_mu_is_pinned_at_twice_lam():
    trace = pc.solve(pc.logistic(SONAR.X, SONAR.y, 0.004), "adapt_apg_v2", 300, f_star="dual")
    np.testing.assert_allclose(trace.mu, 0.008, rtol=1e-9)
    assert not trace.frozen.any()


@every_bounded
@every_method_with_f_star
def test_bounds_cost_no_product_and_no_gradient_but_the_first_of_restart(problem, method):
    known, dual = (pc.solve(problem, method, 25, f_star=f_star) for f_star in (None, "dual"))
    more = 1 if method == "restart" else 0
    np.testing.assert_array_equal(dual.gradients[:20] - known.gradients[:20], more)
    np.testing.assert_array_equal(
        dual.products[:20] - known.products[:20], more if problem.name == "logistic" else 0
    )


@every_method_with_f_star
def test_what_is_learned_stays_in_its_run(method):
    problem = BOUNDED["lasso, A"]
    arguments = parameters(problem, method, f_star="dual").arguments
    oracle = problem.oracle()
    start = oracle.lift(problem.x0)
    runs = [pc.METHODS[method].generator(oracle, start, **arguments) for _ in range(2)]
    first = list(islice(runs[0], 30))
    for one, other in zip(first, runs[1], strict=False):
        np.testing.assert_array_equal(one.y, other.y)


@pytest.mark.parametrize("name", ["lasso, A", "hinge, G", "squared hinge", "logistic"])
@every_method_with_f_star
def test_stacked_runs_are_the_single_runs(method, name):
    problem = BOUNDED[name]
    arguments = parameters(problem, method, f_star="dual").arguments
    plain = np.stack([problem.x0, 0.5 * problem.x0, 0.1 * problem.x0])
    oracle = problem.oracle()
    starts = np.stack([oracle.lift(x) for x in plain])
    runs = [pc.METHODS[method].generator(oracle, x, **arguments) for x in (starts, *starts)]
    for all_, *one in islice(zip(*runs, strict=True), 20):
        for i, it in enumerate(one):
            np.testing.assert_allclose(all_.y[i], it.y, rtol=1e-7, atol=1e-9)
            if it.seen is not None:
                expected = pytest.approx(it.seen.delta, rel=1e-6)
                assert np.broadcast_to(all_.seen.delta, (3, 1))[i, 0] == expected


@pytest.mark.parametrize("estimator", ["certified", "model", "window"])
def test_all_estimates_can_be_made_with_it(estimator):
    extra = {"window": 5} if estimator == "window" else {}
    for problem in BOUNDED.values():
        trace = pc.solve(problem, "adapt_apg_v2", 60, estimator=estimator, f_star="dual", **extra)
        assert np.all((trace.mu > 0) & (trace.mu <= problem.L))
        assert trace.settings["f_star"] == "dual"


def test_how_it_ends_in_words():
    trace = pc.solve(lasso(SONAR.X, SONAR.y, 1.0), "adapt_apg_v2", 1500, f_star="dual")
    assert trace.outcome is pc.Outcome.STALLED
    for words in ("mu_k fell below half", "the best dual bound lies", "Give f* if you know it."):
        assert words in trace.message
    assert pc.Trace.from_dict(trace.to_dict()).settings == trace.settings


def test_a_residual_of_zero_is_no_trouble():
    A = np.eye(3)
    solved = lasso(A, [1.0, 2.0, 3.0], 0.5, x0=[1.0, 2.0, 3.0])  # r = 0, so D = 0
    oracle = solved.oracle()
    shift = dual_gap(solved).begin(oracle, oracle.lift(solved.x0))
    assert shift.delta == pytest.approx(solved.f_star)


@pytest.mark.parametrize(
    ("name", "changes"),
    [("quadratic", {}), ("least squares, A", {}), ("lasso, lam = 0", {}), ("logistic", {"lam": 0.0})],
)
def test_elsewhere_there_is_none(name, changes):
    problem = PROBLEMS[name](**changes)
    with pytest.raises(ValueError, match="f_star='dual' is not available for this problem"):
        pc.solve(problem, "adapt_apg_v2", f_star="dual")
    with pytest.raises(ValueError, match="pgd does not use f_star = 'dual'"):
        pc.solve(problem, "pgd", f_star="dual")


def test_a_value_that_learns():
    problem = BOUNDED["hinge, A"]
    blank, oracle = dual_gap(problem), problem.oracle()
    first = blank.begin(oracle, oracle.lift(problem.x0))
    assert isinstance(first, DualGap)
    assert (blank.delta, first.delta < np.inf) == (np.inf, True)
    far = oracle.lift(np.full(B.size, 1e3))
    assert first.sharpened(oracle, far, oracle.ask_estimate(far, "polyak")).delta == first.delta


def test_a_method_of_ones_own_that_does_not_learn_is_told_how():
    def deaf(problem, x0, seen):
        y = x0
        for k in count():
            seen(problem.gap(y))
            yield Iterate(k, y, y)
            y = problem.prox_step(y)

    def learns(problem, x0, seen):
        x = y = x0
        seen = seen.begin(problem, y)
        for k in count():
            yield Iterate(k, x, y, seen=seen)
            x, y = y, problem.prox_step(y)
            seen = seen.learn(problem, x, y)

    pc.register("deaf", deaf)
    pc.register("learns", learns)
    try:
        with pytest.raises(ValueError, match=r"seen = seen\.begin"):
            pc.solve(BOUNDED["hinge, A"], "deaf", 5, f_star="dual")
        trace = pc.solve(BOUNDED["hinge, A"], "learns", 50, f_star="dual")
        assert np.all(np.diff(trace.gap_seen - trace.gap) <= 1e-12)
        assert len(pc.solve(BOUNDED["hinge, A"], "deaf", 5)) == 6
    finally:
        for name in ("deaf", "learns"):
            pc.METHODS.pop(name)
