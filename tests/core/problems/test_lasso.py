"""LASSO: certificate, exact gap, floors, counts, estimates, odd cases, what is refused."""

import numpy as np
import pytest
from cases import every_method, every_method_with_a_rule, wide
from hypothesis import given
from hypothesis import strategies as st

import polyak_core as pc
from polyak_core.arrays import EXTENDED

RNG = np.random.default_rng(4)
A, B = RNG.standard_normal((30, 8)), RNG.standard_normal(30)
LAM = 2.0
BOTH = pytest.mark.parametrize("representation", ["A", "G"])
LARGEST = float(np.abs(A.T @ B).max())


def sonar(lam=1.0, **keywords):
    data = pc.load_dataset("sonar")
    return pc.lasso(data.X, data.y, lam, **keywords)


def extended_value(problem, x):
    x = np.asarray(x).astype(EXTENDED)
    r = problem.loss.A.astype(EXTENDED) @ x - problem.loss.b
    return (r @ r) / 2 + problem.loss.lam * np.abs(x).sum()


def coordinate_descent(A, b, lam, sweeps=4000):
    """A naive twin."""
    x, norms = np.zeros(A.shape[1]), (A * A).sum(axis=0)
    r = b - A @ x
    for _ in range(sweeps):
        for j in range(x.size):
            if norms[j] == 0:
                continue
            pull = A[:, j] @ r + norms[j] * x[j]
            new = np.sign(pull) * max(abs(pull) - lam, 0.0) / norms[j]
            r -= A[:, j] * (new - x[j])
            x[j] = new
    return x


def test_constants():
    problem = pc.lasso(A, B, LAM)
    sigma = np.linalg.svd(A, compute_uv=False)
    assert problem.L == pytest.approx(sigma[0] ** 2, rel=1e-14)
    assert problem.mu == pytest.approx(sigma[-1] ** 2, rel=1e-12)
    assert np.isnan(problem.mu_restricted)
    x = RNG.standard_normal(8)
    assert problem.f(x) == pytest.approx(0.5 * ((A @ x - B) ** 2).sum() + LAM * np.abs(x).sum(), rel=1e-14)
    assert "1/2 ||Ax - b||^2 + 2 ||x||_1" in problem.describe()
    assert (pc.lasso(A, B, LAM, L=99.0).L, pc.lasso(A.T, B[:8], 1.0).mu) == (99.0, 0.0)


@pytest.mark.parametrize("lam", [0.01, 0.5, 2.0, 8.0])
def test_the_minimiser_is_that_of_coordinate_descent(lam):
    problem = pc.lasso(A, B, lam)
    np.testing.assert_allclose(problem.x_star, coordinate_descent(A, B, lam), atol=1e-13)


@wide
@pytest.mark.parametrize("lam", [1e-3, 0.1, 1.0, 10.0])
def test_sonar_is_certified(lam):
    problem = sonar(lam)
    g = problem.loss.A.astype(EXTENDED).T @ (
        problem.loss.A.astype(EXTENDED) @ problem.x_star.astype(EXTENDED) - problem.loss.b
    )
    on = problem.x_star != 0
    assert 0 < on.sum() <= 60
    np.testing.assert_allclose(np.float64(g[on]), -lam * np.sign(problem.x_star[on]), atol=1e-11)
    assert (np.abs(g[~on]) <= lam).all()
    assert problem.f_star_error <= 1e-20
    assert problem.f_star == pytest.approx(float(extended_value(problem, problem.x_star)), rel=2e-16)


def test_musk_is_certified():
    data = pc.load_dataset("musk")
    problem = pc.lasso(data.X, data.y, 100.0)
    assert problem.f_star == pytest.approx(106.515268791997, rel=1e-13)
    assert problem.f_star_error <= 1e-11


@pytest.mark.madelon
@pytest.mark.parametrize("lam", [1.0, 100.0, 800.0])
def test_madelon_is_certified(lam):
    data = pc.load_dataset("madelon")
    assert pc.lasso(data.X, data.y, lam).f_star_error <= 1e-9


@wide
@given(st.integers(0, 10**6))
def test_the_gap_is_the_difference(seed):
    rng = np.random.default_rng(seed)
    problem = sonar() if seed % 4 == 0 else pc.lasso(A, B, LAM)
    n = problem.x0.size
    for size in (1e-5, 1e-2, 1.0, 100.0):
        x = problem.x_star + size * rng.standard_normal(n) * (rng.random(n) < 0.5)
        difference = float(extended_value(problem, x) - extended_value(problem, problem.x_star))
        assert problem.gap(x) == pytest.approx(difference, rel=1e-6, abs=1e-15)
    assert problem.gap(problem.x_star) == 0


@BOTH
def test_sonar_takes_as_many_iterations_as_known(representation):
    """To a relative gap of 1e-10; the paper's f* exact."""
    problem = sonar(representation=representation)
    trace = pc.solve(problem, "adapt_apg_v2", iterations=1000, target=1e-10)
    assert trace.first_below(1e-10) == pytest.approx(394, abs=1)


@BOTH
@pytest.mark.parametrize(
    ("method", "steps"), [("adapt_apg", 9000), ("adapt_apg_v2", 9000), ("restart", 18000), ("apg", 40000)]
)
def test_long_runs_stay_at_the_floor(representation, method, steps):
    """Ten times longer than needed, or so."""
    problem = sonar(representation=representation)
    trace = pc.solve(problem, method, steps)
    tail = trace.gap[-steps // 4 :]
    assert np.isfinite(trace.gap).all()
    assert tail.max() <= 1e-27 * trace.gap[0]
    assert tail.max() <= trace.floor <= 1e-24 * trace.gap[0]
    assert trace.outcome == "precision floor"


@BOTH
@every_method
def test_products_a_step(method, representation):
    trace = pc.solve(pc.lasso(A, B, LAM, representation=representation), method, 40)
    np.testing.assert_array_equal(trace.products, {"A": 2, "G": 1}[representation] * (trace.k + 1))


@BOTH
@every_method_with_a_rule
@pytest.mark.parametrize(("estimator", "more"), [("polyak", 0), ("model", 0), ("known", 0), ("certified", 1)])
def test_products_of_estimates(representation, method, estimator, more):
    problem = pc.lasso(A, B, LAM, representation=representation)
    trace = pc.solve(problem, method, 40, estimator=estimator)
    each = {"A": 2, "G": 1}[representation] + more
    np.testing.assert_array_equal(trace.products, each * (trace.k + 1))


def test_the_cheaper_accurate_representation_is_chosen():
    assert pc.lasso(A, B, LAM).form.name == "G"
    assert pc.lasso(A[:3], B[:3], 0.1).form.name == "A"
    assert pc.lasso(A * 10.0 ** -np.arange(8), B, 1e-9).form.name == "A"


def estimates(problem, z):
    traces = {}
    for kind in ("polyak", "model", "certified"):
        squared, gap, after = problem.form.sizes(z, problem.L, kind)
        traces[kind] = float(squared / (2 * gap if after is None else 2 * after + squared / problem.L))
    return traces


@BOTH
@given(seed=st.integers(0, 10**6))
def test_order_of_the_estimates(representation, seed):
    rng = np.random.default_rng(seed)
    problem = pc.lasso(A, B, LAM, representation=representation)
    x = problem.x_star + 10.0 ** rng.uniform(-6, 2) * rng.standard_normal(8)
    ours = estimates(problem, problem.form.lift(x))
    tiny = 1 + 1e-9
    assert ours["polyak"] <= ours["model"] * tiny
    assert ours["model"] <= ours["certified"] * tiny
    assert problem.mu <= ours["model"] * tiny
    assert ours["certified"] <= problem.L * tiny


def test_the_polyak_estimate_may_be_below_mu():
    """h = x^2/2, psi = |x|: mu = 1, but at y = 1e-2 g_L(y) = y and f(y) - f* = y + y^2/2."""
    problem = pc.lasso([[1.0]], [0.0], 1.0, x0=[1e-2])
    ours = estimates(problem, problem.form.lift(problem.x0))
    assert ours["polyak"] == pytest.approx(1e-2 / (2 + 1e-2), rel=1e-12)
    assert ours["model"] == pytest.approx(1.0, rel=1e-12)
    assert ours["certified"] == pytest.approx(1.0, rel=1e-12)
    trace = pc.solve(problem, "adapt_apg_v2", 5, estimator="certified")
    assert trace.mu_hat[0] == pytest.approx(1.0)


@BOTH
@pytest.mark.parametrize("estimator", ["model", "certified"])
def test_valid_estimates_stay_above_mu_along_runs(representation, estimator):
    problem = sonar(representation=representation)
    trace = pc.solve(problem, "adapt_apg", 3000, estimator=estimator)
    assert (trace.mu >= problem.mu * (1 - 1e-9)).all()


@pytest.mark.parametrize(
    ("matrix", "b", "lam"),
    [
        (np.hstack([A, A]), B, LAM),
        (np.hstack([A, -2 * A]), B, LAM),
        (np.where(np.arange(8) == 3, 0.0, A), B, LAM),
        (np.zeros((30, 2)), B, LAM),
        (A, 0 * B, LAM),
        (A, B, LARGEST),
        (A, B, LARGEST * (1 - 1e-15)),
        (A, B, 1e100),
        (A, B, 1e-300),
        (A, B, 0),
        (np.ones((3, 4)), np.ones(3), 1.0),
        (np.eye(4), [1.0, -1.0, 1.0, 2.0], 1.0),
        (A[:4], B[:4], 1e-6),
        (A * 10.0 ** np.arange(8), B, 1.0),
        (1e60 * A, B, 1e60),
        (1e-60 * A, B, 1e-60),
        ([[2.0]], [1.0], 0.5),
    ],
    ids=["twice", "-2", "zero column", "zero", "b=0", "lam_max", "below lam_max", "huge lam", "tiny lam",
         "lam=0", "ones", "ties", "wide", "badly scaled", "large", "small", "1 x 1"],
)  # fmt: skip
def test_odd_cases_are_solved_and_certified(matrix, b, lam):
    problem = pc.lasso(matrix, b, lam, x0=np.full(np.shape(matrix)[1], 0.5))
    assert problem.f_star_error <= 1e-11 * max(1.0, problem.f_star)
    trace = pc.solve(problem, "adapt_apg_v2", 400)
    assert np.isfinite(trace.gap).all()
    assert (trace.gap >= 0).all()
    assert str(trace.outcome) in {"budget", "precision floor", "solved exactly", "stalled"}
    assert problem.f(trace.y) >= problem.f_star - problem.f_star_error - 1e-13 * max(1.0, problem.f_star)


@every_method
def test_started_at_a_minimiser_on_the_edge(method):
    """lam = lam_max: x* = 0, where rounding alone moves x."""
    problem = pc.lasso(A, B, LARGEST, representation="A")
    trace = pc.solve(problem, method, 50, **({"mu": 0.1} if method == "apg" else {}))
    assert str(trace.outcome) in {"solved exactly", "precision floor", "stalled"}
    assert trace.gap.max() <= trace.floor


def test_a_bound_that_is_weak_says_so():
    """Columns that depend on each other up to rounding leave f* open."""
    hilbert = 1 / (np.arange(12)[:, None] + np.arange(10) + 1.0)
    problem = pc.lasso(hilbert, np.arange(12) % 3 + 1.0, 1e-12)
    assert problem.f_star_error > 1e-11
    assert "a weak bound" in problem.f_star_source
    best = min(problem.f(coordinate_descent(hilbert, np.arange(12) % 3 + 1.0, 1e-12, 50)), problem.f_star)
    assert problem.f(problem.x_star) - best <= problem.f_star_error


def test_words_about_lam():
    assert "lam = 0: this is least squares" in pc.lasso(A, B, 0).describe()
    assert "so x* = 0" in pc.lasso(A, B, 2 * LARGEST).describe()
    assert "may not be unique" in pc.lasso(np.ones((3, 2)), np.ones(3), 1.0).f_star_source
    assert "may not be unique" not in pc.lasso(A, B, LAM).f_star_source


def test_without_curvature_every_l_is_right():
    for problem in (pc.lasso(np.zeros((2, 2)), [1, 2], 1.0), pc.svm_dual(np.zeros((2, 2)), [1, -1], 1.0)):
        assert "h has no curvature, so every L is right" in problem.describe()
        assert problem.L == 1


def test_lam_0_is_least_squares():
    plain, problem = pc.least_squares(A, B), pc.lasso(A, B, 0)
    np.testing.assert_array_equal(problem.x_star, plain.x_star)
    assert (problem.f_star, problem.f_star_error) == (plain.f_star, plain.f_star_error)
    np.testing.assert_allclose(
        pc.solve(problem, "adapt_apg_v2", 30).gap,
        pc.solve(pc.least_squares(A, B, representation="G"), "adapt_apg_v2", 30).gap,
        rtol=1e-6,
        atol=1e-25,
    )


@BOTH
def test_stacked_runs_are_single_runs(representation):
    form = pc.lasso(A, B, LAM, representation=representation).form
    points = RNG.standard_normal((3, 8))
    step, stacked = form.stepper(50.0), form.lift(points)
    for kind in ("polyak", "model", "certified"):
        for row, point in enumerate(points):
            one = form.sizes(form.lift(point), 50.0, kind)
            for mine, all_ in zip(one, form.sizes(stacked, 50.0, kind), strict=True):
                if mine is not None:
                    assert all_[row, 0] == pytest.approx(mine, rel=1e-12)
    for row, point in enumerate(points):
        np.testing.assert_allclose(step(stacked)[row], step(form.lift(point)), rtol=1e-11, atol=1e-13)


def test_inputs_of_any_kind_are_never_modified():
    whole = RNG.integers(-5, 6, (9, 4))
    usual = pc.lasso(whole.astype(float), np.arange(9.0), 1.0)
    locked = np.asfortranarray(whole, dtype=np.float32)
    locked.flags.writeable = False
    for matrix in (whole, locked, whole.astype(np.int8)):
        before = matrix.copy()
        again = pc.lasso(matrix, np.arange(9), 1)
        np.testing.assert_array_equal(again.x_star, usual.x_star)
        np.testing.assert_array_equal(matrix, before)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"lam": -1.0}, "negative"),
        ({"lam": np.nan}, "lam = nan"),
        ({"lam": "1"}, "lam = '1'"),
        ({"b": B[:3]}, "b has 3 entries but A has 30 rows"),
        ({"A": np.where(A > 2, np.nan, A)}, "NaN or infinite"),
        ({"A": A[0]}, "A must have 2 axes"),
        ({"b": np.full(30, np.inf)}, "NaN or infinite"),
        ({"x0": np.ones(3)}, "x0 has 3 entries"),
        ({"L": 0}, "L = 0"),
        ({"representation": "eigenbasis"}, "choose 'A' or 'G'"),
        ({"representation": "B"}, "unknown"),
    ],
)
def test_what_is_refused(change, words):
    with pytest.raises(ValueError, match=words):
        pc.lasso(**{"A": A, "b": B, "lam": 1.0, **change})
