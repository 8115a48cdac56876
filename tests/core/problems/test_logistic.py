"""Regularised logistic regression: constants, bounds at every iterate, floors, counts."""

import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from cases import STACKING, WITH_A_RULE, every_method, every_method_with_a_rule
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

import polyak_core as pc
from polyak_core import theory
from polyak_core.arrays import EXTENDED_EPS
from polyak_core.matrices.kinds import Centred
from polyak_core.methods.estimators import OnlineMu
from polyak_core.methods.keywords import parameters

ROUNDING = 1 + 1e-9
RNG = np.random.default_rng(2)
A = RNG.standard_normal((40, 6)) * np.logspace(0.5, -1, 6)
Y = np.where(A @ np.arange(1.0, 7.0) + 2 * RNG.standard_normal(40) > 0, 1, -1)


def sonar():
    data = pc.load_dataset("sonar", scaling="center")
    return pc.logistic(data.X, data.y, lam=0.004)


LOGISTIC = {
    "well posed": pc.logistic(A, Y, lam=1.0),
    "flat": pc.logistic(A, Y, lam=1e-4),
    "wide": pc.logistic(RNG.standard_normal((5, 12)), [1, -1, 1, 1, -1], lam=0.02),
    "far start": pc.logistic(A, Y, lam=0.01, x0=50 * np.ones(6)),
    "one direction without data": pc.logistic(A * [1, 1, 1, 1, 1, 0], Y, lam=0.05, x0=np.ones(6)),
    "sonar": sonar(),
}
every_logistic = pytest.mark.parametrize("problem", LOGISTIC.values(), ids=LOGISTIC)
STEPS = 1500


@every_logistic
def test_constants(problem):
    rows = problem.loss.labels[:, None] * problem.loss.A
    assert problem.mu == 2 * problem.loss.lam
    assert problem.L == pytest.approx(np.linalg.eigvalsh(rows.T @ rows)[-1] / 4 + problem.mu, rel=1e-12)
    assert np.isnan(problem.mu_restricted)
    hessian_at_0 = rows.T @ rows / 4 + problem.mu * np.eye(rows.shape[1])
    assert np.linalg.eigvalsh(hessian_at_0)[-1] == pytest.approx(problem.L, rel=1e-12)  # L is attained


@every_logistic
def test_proposition_2_3(problem):
    trace = pc.solve(problem, method="apg", iterations=STEPS)
    bound = theory.bound_known_mu(problem, trace)
    assert np.all(trace.gap <= ROUNDING * bound)
    if problem.condition_number > 100:
        assert not np.all(trace.gap <= bound[0] * theory.accelerated_rate(problem, 6 * trace.k))


@every_logistic
@pytest.mark.parametrize("estimator", ["polyak", "certified"])
def test_proposition_2_4(problem, estimator):
    trace = pc.solve(problem, method="adapt_apg", iterations=STEPS, estimator=estimator)
    assert np.all(np.diff(trace.mu) <= 0)
    assert np.all(trace.mu >= problem.mu * (1 - 1e-6))
    bound = theory.bound_estimated_mu(problem, trace)
    assert np.all(trace.gap <= ROUNDING * bound)
    if problem.condition_number > 100:
        assert not np.all(trace.gap <= bound * np.exp(-5 * trace.log_A))


@every_logistic
def test_other_guarantees(problem):
    descent = pc.solve(problem, method="pgd", iterations=STEPS)
    assert np.all(descent.gap <= ROUNDING * descent.gap[0] * theory.gradient_rate(problem, descent.k))
    assert np.all(np.diff(descent.gap) <= 1e-14 * descent.gap[:-1])
    fast = pc.solve(problem, method="fista", iterations=STEPS)
    assert np.all(fast.gap <= ROUNDING * theory.bound_fista(problem, fast))


@every_logistic
@every_method_with_a_rule
def test_mu_at_most_polyak_which_is_model_at_most_certified_at_most_L(problem, method):
    own = problem.oracle()
    generator = pc.METHODS[method].generator
    steps = generator(own, own.lift(problem.x0), **parameters(problem, method).arguments)
    for _, step in zip(range(300), steps, strict=False):
        estimates = [
            OnlineMu(own.L, name)(own, 0, step.y, None).mu_hat for name in ("polyak", "model", "certified")
        ]
        assert estimates[0] == estimates[1], step.k  # psi = 0
        assert problem.mu * (1 - 1e-9) <= estimates[1] <= estimates[2] * (1 + 1e-9), step.k
        assert estimates[2] <= problem.L * (1 + 1e-9), step.k


def test_the_free_estimate_is_valid_and_learns():
    problem = LOGISTIC["flat"]
    trace = pc.solve(problem, method="adapt_apg_free", iterations=STEPS)
    assert np.isnan(trace.mu_hat[0])
    assert np.all(trace.mu_hat[1:] >= problem.mu * (1 - 1e-9))
    assert trace.mu[-1] < trace.mu[0] / 100


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("sonar", "adapt_apg_v2"),
        *((name, m) for name in ("well posed", "far start") for m in ("apg", *WITH_A_RULE, "adapt_apg_free")),
        ("well posed", "restart"),
    ],
)
def test_runs_much_longer_than_needed(name, method):
    """Past a relative gap of 1e-27 the curve neither rises again nor turns NaN, and mu_k stays a bound."""
    problem = LOGISTIC[name]
    trace = pc.solve(problem, method=method, iterations=4000)
    low = trace.first_below(1e-27)
    assert low is not None
    assert np.isfinite(trace.gap).all()
    assert trace.gap[low:].max() <= 1e-26 * trace.gap[0]
    if method != "restart":
        assert np.all(trace.mu >= problem.mu * (1 - 1e-6))
    assert trace.floor == max(problem.f_star_error, 1e-290, 1e-304 / problem.L)
    assert trace.floor < (1e-23 if EXTENDED_EPS < 1e-18 else 1e-18) * trace.gap[0]
    if trace.gap.min() <= trace.floor:
        assert trace.outcome in {pc.Outcome.FLOOR, pc.Outcome.EXACT}
        assert "iteration" in trace.message


def test_nothing_freezes_on_the_way_down():
    trace = pc.solve(LOGISTIC["well posed"], method="adapt_apg_v2", iterations=4000)
    deep = trace.gap > 1e-280
    assert not deep[-1]
    assert not trace.frozen[deep].any()


@pytest.mark.parametrize(
    ("method", "keywords", "at_start", "a_step"),
    [
        *((method, {}, 1, 2) for method in STACKING if method not in WITH_A_RULE),
        *((method, {"estimator": "known"}, 1, 2) for method in WITH_A_RULE),
        *((method, {"estimator": "schedule", "C": 0.1}, 1, 2) for method in WITH_A_RULE),
        *((method, {"estimator": "polyak"}, 2, 3) for method in WITH_A_RULE),
        *((method, {"estimator": "model"}, 2, 3) for method in WITH_A_RULE),
        *((method, {"estimator": "window", "window": 3}, 2, 3) for method in WITH_A_RULE),
        *((method, {"estimator": "certified"}, 3, 4) for method in WITH_A_RULE),
    ],
)
def test_products(method, keywords, at_start, a_step):
    """Lifting x_0 and the estimate there, then each step; recording adds none."""
    trace = pc.solve(LOGISTIC["well posed"], method=method, iterations=30, **keywords)
    np.testing.assert_array_equal(trace.products, at_start + a_step * trace.k)
    asks = a_step > 2
    np.testing.assert_array_equal(trace.gradients, trace.k * (2 if asks else 1) + asks)
    assert np.isfinite(trace.mu_loc).all()
    if not asks and method != "adapt_apg_free":
        assert np.isnan(trace.mu_hat).all()


@every_method
def test_every_method_ends_in_words(method):
    trace = pc.solve(LOGISTIC["well posed"], method=method, iterations=400, target=1e-6)
    assert trace.outcome is pc.Outcome.TARGET
    assert trace.message.endswith(".")


def test_steps_that_are_too_long_are_named():
    problem = pc.logistic(A, Y, lam=1.0, L=LOGISTIC["well posed"].L / 4)
    trace = pc.solve(problem, method="pgd", iterations=400)
    assert trace.outcome is pc.Outcome.BOUNCING
    assert "Give L >=" in trace.message
    ripples = pc.logistic(
        A, Y, lam=1.0, L=LOGISTIC["well posed"].L / 12
    )  # chaos: some steps meet less than L
    endings = [pc.solve(ripples, method="pgd", iterations=k) for k in range(400, 1000, 50)]
    # whether peaks have stood still for a third of a run is chance too, and differs between processors
    assert {trace.outcome for trace in endings} <= {pc.Outcome.BOUNCING, pc.Outcome.BUDGET}
    assert sum(trace.outcome is pc.Outcome.BOUNCING for trace in endings) >= 3
    assert any(f"below the true one, {ripples.true_L:.3g}" in trace.message for trace in endings)
    worse = pc.logistic(A, Y, lam=1.0, L=LOGISTIC["well posed"].L / 100)
    assert pc.solve(worse, method="pgd", iterations=400).outcome is pc.Outcome.DIVERGED


@pytest.mark.parametrize("delta", [-1e-3, -1e-8, 1e-8, 1e-3])
@every_method_with_a_rule
def test_a_wrong_f_star(method, delta):
    """Too low and mu_k sinks, named if below mu; too high and it stays; the true gap is recorded."""
    problem = LOGISTIC["well posed"]
    trace = pc.solve(problem, method=method, iterations=3000, f_star=problem.f_star + delta)
    assert np.isfinite(trace.gap).all()
    assert np.all((trace.mu > 0) & (trace.mu <= problem.L))
    np.testing.assert_allclose(trace.gap_seen, trace.gap - delta, atol=1e-14)
    if delta > 0:
        assert trace.mu[-1] >= problem.mu * (1 - 1e-6)
        assert "too high" in trace.message or trace.outcome is not pc.Outcome.BUDGET
    else:
        assert trace.mu[-1] < problem.mu
        assert trace.outcome in {pc.Outcome.STALLED, pc.Outcome.FLOOR}


@st.composite
def samples(draw):
    """Whole numbers, so that ties, zero columns and separable data are common."""
    m, n = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    row = st.lists(st.integers(-4, 4), min_size=n, max_size=n)
    matrix = np.array(draw(st.lists(row, min_size=m, max_size=m)), dtype=float)
    labels = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=m, max_size=m)))
    x0 = np.array(draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n)), dtype=float)
    return matrix, labels, draw(st.sampled_from([10.0, 1.0, 1e-2, 1e-5])), x0


@given(samples(), st.sampled_from(STACKING))
@example(([[2.0], [-3.0], [-3.0], [-4.0]], [-1] * 4, 0.01, [4.0]), "fista")  # 10^-10 from x*, as y is rounded
def test_runs_are_sound(sample, method):
    matrix, labels, lam, x0 = sample
    problem = pc.logistic(matrix, labels, lam, x0=x0)
    trace = pc.solve(problem, method=method, iterations=60)
    assert np.all(trace.gap >= 0)
    assert trace.gap[0] == pytest.approx(problem.f(x0) - problem.f_star, rel=1e-11, abs=1e-12)
    rounding = np.finfo(float).eps * np.linalg.norm(trace.y)  # of y, which the run carries more exactly
    most = rounding * np.sqrt(2 * problem.L * trace.gap[-1]) + problem.L * rounding**2
    assert problem.gap(trace.y) == pytest.approx(trace.gap[-1], rel=1e-6, abs=most + 1e-26)
    estimates = trace.mu_hat[np.isfinite(trace.mu_hat) & ~trace.frozen]
    if method in {*WITH_A_RULE, "adapt_apg_free"}:
        assert np.all(estimates >= problem.mu * (1 - 1e-6))
        assert np.all(estimates <= problem.L * (1 + 1e-6))
    known = trace.mu_loc[np.isfinite(trace.mu_loc) & (trace.gap > trace.floor)]  # below it rounding rules
    assert np.all(known >= problem.mu * (1 - 1e-6))
    assert np.all(known <= problem.L * (1 + 1e-6))


DEEP = {
    "adapt": {"method": "adapt_apg"},
    "adapt_cert": {"method": "adapt_apg", "estimator": "certified"},
    "v2": {"method": "adapt_apg_v2"},
    "v2_cert": {"method": "adapt_apg_v2", "estimator": "certified"},
    "restart2": {"method": "restart", "gamma": 2.0},
}


@pytest.mark.parametrize("name", DEEP)
def test_golden_gaps_at_every_depth(name):
    """The gap is a sum of small terms, so that it agrees with 200 digits far below where f - f* ends."""
    case = json.loads((Path(__file__).parents[1] / "methods" / "golden.json").read_text())["cases"][
        "logistic"
    ]
    data = case["problem"]
    problem = pc.logistic(data["A"], data["y"], data["lam"], L=data["L"])
    trace = pc.solve(problem, iterations=100, **DEEP[name])
    for row in case["methods"][name]:
        assert trace.gap[row["k"]] == pytest.approx(float(row["gap"]), rel=1e-9)


@pytest.mark.parametrize(
    "samples_and_labels",
    [
        (np.rint(A * 4).astype(int), Y.astype(int)),
        (np.rint(A * 4).astype(np.float32), Y.astype(np.int8)),
        (np.asfortranarray(np.rint(A * 4)), Y.tolist()),
        (np.rint(A * 4)[::-1][::-1], Y.astype(float)),
    ],
    ids=["int", "float32", "Fortran", "strides"],
)
def test_kinds_of_input(samples_and_labels):
    matrix, labels = samples_and_labels
    before = np.array(matrix)
    matrix.flags.writeable = False
    plain = pc.logistic(np.rint(A * 4), Y, lam=0.5)
    problem = pc.logistic(matrix, labels, lam=0.5)
    assert (problem.L, problem.f_star) == (plain.L, plain.f_star)
    assert pc.solve(problem, iterations=20).gap[-1] == pc.solve(plain, iterations=20).gap[-1]
    np.testing.assert_array_equal(matrix, before)


def test_flipping_a_sample_with_its_label_changes_nothing():
    flips = np.where(RNG.random(40) < 0.5, 1, -1)
    flipped = pc.logistic(flips[:, None] * A, flips * Y, lam=0.1)
    plain = pc.logistic(A, Y, lam=0.1)
    np.testing.assert_allclose(flipped.x_star, plain.x_star, rtol=1e-14)
    traces = [pc.solve(p, method="adapt_apg_v2", iterations=50) for p in (flipped, plain)]
    np.testing.assert_allclose(traces[0].gap, traces[1].gap, rtol=1e-8)


def test_huge_margins():
    """X = (1000, -1000)', y = (1, -1), x0 = -1: both samples are wrong by 1000."""
    problem = pc.logistic([[1000.0], [-1000.0]], [1, -1], lam=0.05, x0=[-1.0])
    assert problem.f([-1.0]) == 2000.05
    assert problem.gap([-1.0]) == pytest.approx(2000.05 - problem.f_star, rel=1e-14)
    for method in STACKING:
        trace = pc.solve(problem, method=method, iterations=300)
        assert np.isfinite(trace.gap).all()
        assert trace.gap[-1] < trace.gap[0]
    torn = pc.logistic([[1e4], [1e4]], [1, -1], lam=0.05, x0=[1.0])  # margins 1e4 and -1e4
    assert torn.f([1.0]) == pytest.approx(1e4 + 0.05, rel=1e-15)
    assert torn.x_star[0] == pytest.approx(0, abs=1e-20)
    trace = pc.solve(torn, method="adapt_apg_v2", iterations=100)
    assert np.all(trace.gap[1:] < trace.gap[0])


def test_small_problems():
    one = pc.logistic([[3.0]], [1], lam=0.1)  # m = n = 1
    x = one.x_star[0]
    assert 0.2 * x == pytest.approx(3 / (1 + np.exp(3 * x)), rel=1e-14)
    nothing = pc.logistic(np.zeros((3, 2)), [1, -1, 1], lam=0.5, x0=[1, 2])
    assert (nothing.L, nothing.mu, nothing.condition_number) == (1, 1, 1)
    assert nothing.f_star == pytest.approx(3 * np.log(2))
    assert pc.solve(nothing, method="pgd", iterations=5).outcome is pc.Outcome.EXACT
    assert "2 zero columns" in nothing.describe()
    constant = pc.logistic(np.zeros((2, 2)), [1, 1], lam=0, x0=[1, 2])
    np.testing.assert_array_equal(constant.x_star, [1, 2])
    assert pc.solve(constant, iterations=5).outcome is pc.Outcome.EXACT


def test_describe():
    text = pc.logistic([[1.0, 2.0], [1.0, -1.0]], [1, 1], lam=0.25).describe()
    for words in (
        "sum log(1 + exp(-y_i a_i'x)) + 0.25 ||x||^2",
        "mu = 0.5",
        "1 constant column",
        "labels are +1",
    ):
        assert words in text
    assert "Newton's method" in text
    assert "nan" not in text


def test_a_problem_can_be_sent_to_another_process():
    problem = pc.logistic(A, Y, lam=0.1)
    before = pc.solve(problem, iterations=20)
    np.testing.assert_array_equal(
        pc.solve(pickle.loads(pickle.dumps(problem)), iterations=20).gap, before.gap
    )


CALLS = [
    (lambda: pc.logistic(A, np.ones(3), 1), ["y has 3 entries", "40 rows", "one label per row"]),
    (lambda: pc.logistic(A, (Y + 1) / 2, 1), ["not +1 or -1", "the first is 0", "2 * y - 1"]),
    (lambda: pc.logistic(A, Y > 0, 1), ["not +1 or -1"]),
    (lambda: pc.logistic(A, np.where(Y > 0, np.nan, -1), 1), ["y has", "NaN"]),
    (lambda: pc.logistic(A, ["a"] * 40, 1), ["y must be an array of real numbers"]),
    (lambda: pc.logistic(A, Y[:, None], 1), ["y must have 1 axes"]),
    (lambda: pc.logistic(A, Y, -0.1), ["lam = -0.1", ">= 0"]),
    (lambda: pc.logistic(A, Y, np.nan), ["lam = nan", ">= 0"]),
    (lambda: pc.logistic(A, Y, "1"), ["lam = '1'", ">= 0"]),
    (lambda: pc.logistic(A * np.inf, Y, 1), ["A has", "NaN or infinite"]),
    (lambda: pc.logistic(A[0], Y, 1), ["A must have 2 axes"]),
    (lambda: pc.logistic(A, Y, 1, x0=[1]), ["x0 has 1 entries", "n = 6"]),
    (lambda: pc.logistic(A, Y, 1, L=0), ["L = 0", "leave it out"]),
    (lambda: pc.logistic(A * 1e100, Y, 1), ["1e+150", "scale the data"]),
    (lambda: pc.logistic(A, Y, 1, representation="G"), ["'G'", "choose one of 'A'"]),
    (lambda: pc.logistic(A, Y, 1, representation="eigenbasis"), ["'eigenbasis'", "'A'"]),
    (lambda: pc.solve(pc.logistic(A, Y, 0), method="apg"), ["mu = 0", "pass mu="]),
]


@pytest.mark.parametrize(("call", "fragments"), CALLS, ids=[str(number) for number in range(len(CALLS))])
def test_bad_input(call, fragments):
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=re.escape(fragments[0])) as caught:
        call()
    for fragment in fragments:
        assert fragment in str(caught.value)


@pytest.mark.parametrize("kind", ["csr", "coo", "csc matrix", "centred"])
def test_sparse_data_is_dense_data(kind):
    X = sparse.random_array((80, 15), density=0.2, rng=np.random.default_rng(3), format="csr")
    labels = np.where(np.random.default_rng(4).random(80) < 0.5, 1, -1)
    if kind == "centred":
        mean = np.asarray(X.mean(axis=0))
        data, dense = Centred(X, mean), X.toarray() - mean
    else:
        data = {"csr": X, "coo": X.tocoo(), "csc matrix": sparse.csc_matrix(X)}[kind]
        dense = X.toarray()
    thin, full = (pc.logistic(each, labels, lam=0.03) for each in (data, dense))
    assert thin.L == pytest.approx(full.L, rel=1e-12)
    assert thin.f_star == pytest.approx(full.f_star, rel=1e-15)
    np.testing.assert_allclose(thin.x_star, full.x_star, rtol=1e-13, atol=1e-16)
    assert thin.f_star_error < 1e-20
    runs = [pc.solve(p, method="adapt_apg_v2", iterations=100) for p in (thin, full)]
    np.testing.assert_allclose(runs[0].gap, runs[1].gap, rtol=1e-7)
    np.testing.assert_array_equal(runs[0].products, runs[1].products)
