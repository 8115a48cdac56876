"""SVM duals: constants, primal values, certificate, exact gap, floors, counts, odd cases, what is refused."""

import numpy as np
import pytest
from cases import every_method, every_method_with_a_rule, wide
from hypothesis import given
from hypothesis import strategies as st

import polyak_core as pc
from polyak_core.arrays import EXTENDED, EXTENDED_EPS
from polyak_core.matrices.rbf import rbf_kernel

RNG = np.random.default_rng(5)
X = RNG.standard_normal((24, 6))
Y = np.where(X[:, 0] + RNG.standard_normal(24) > 0, 1.0, -1.0)
C = 0.7
LOSSES = ["hinge", "squared_hinge"]
every_loss = pytest.mark.parametrize("loss", LOSSES)
KINDS = [
    (loss, keywords, representation)
    for loss in LOSSES
    for keywords in ({}, {"kernel": "rbf", "width": 1.5})
    for representation in (("G",) if keywords else ("A", "G"))
]
every_kind = pytest.mark.parametrize(("loss", "keywords", "representation"), KINDS)


def sonar(loss="hinge", **keywords):
    data = pc.load_dataset("sonar")
    return pc.svm_dual(data.X, data.y, 1.0, loss, **keywords)


def kernel(keywords, X=X):
    if not keywords:
        return X @ X.T
    return np.exp(-((X[:, None] - X) ** 2).sum(axis=-1) / (2 * keywords["width"] ** 2))


def hessian(loss, K, y=Y, C=C):
    Q = np.outer(y, y) * K
    return C / 2 * Q if loss == "hinge" else Q + 2 / C * np.eye(y.size)


def primal(loss, K, a, y=Y, C=C):
    """The primal value at w(a), as the contract of numbers prints it."""
    pull = K @ (a * y)
    if loss == "hinge":
        margins = y * pull * C / 2
        return np.maximum(0, 1 - margins).sum() + C / 4 * (a * y) @ pull
    margins = y * pull
    return 0.5 * (a * y) @ pull + C / 4 * (np.maximum(0, 1 - margins) ** 2).sum()


@every_kind
def test_constants_and_values(loss, keywords, representation):
    problem = pc.svm_dual(X, Y, C, loss, **keywords, representation=representation)
    H = hessian(loss, kernel(keywords))
    values = np.linalg.eigvalsh(H)
    assert problem.L == pytest.approx(values[-1], rel=1e-12)
    assert problem.mu == pytest.approx(
        max(0.0, values[0]) if keywords else 2 / C * (loss != "hinge"), rel=1e-8
    )
    assert np.isnan(problem.mu_restricted)
    a = RNG.random(24)
    assert problem.f(a) == pytest.approx(0.5 * a @ H @ a - a.sum(), rel=1e-12)
    np.testing.assert_allclose(problem.loss.grad(a), H @ a - 1, rtol=1e-11, atol=1e-12)
    assert problem.form.name == representation
    assert "C = 0.7" in problem.describe()


def test_fewer_rows_than_features_leave_curvature():
    assert pc.svm_dual(X[:4], Y[:4], C).mu == pytest.approx(
        np.linalg.eigvalsh(hessian("hinge", X[:4] @ X[:4].T, Y[:4]))[0]
    )


@every_kind
def test_minus_the_primal_optimum(loss, keywords, representation):
    """Weak duality at every feasible point, equality at the minimiser."""
    problem = pc.svm_dual(X, Y, C, loss, **keywords, representation=representation)
    K = kernel(keywords)
    assert problem.f_star == pytest.approx(-primal(loss, K, problem.x_star), rel=1e-13)
    for _ in range(20):
        a = RNG.random(24)
        assert problem.f(a) >= problem.f_star >= -primal(loss, K, a)


@wide
@every_loss
@pytest.mark.parametrize("keywords", [{}, {"kernel": "rbf", "width": 1.0}], ids=["linear", "rbf"])
def test_sonar_is_certified(loss, keywords):
    problem = sonar(loss, **keywords)
    assert problem.f_star_error <= 1e-20
    a, g = problem.x_star, problem.loss.grad(problem.x_star)
    high = 1.0 if loss == "hinge" else np.inf
    free = (a > 0) & (a < high)
    assert free.any()
    assert np.abs(g[free]).max() <= 1e-12
    assert (g[a == 0] >= 0).all()
    assert (g[a == high] <= 0).all()


@every_loss
def test_musk_is_certified(loss):
    data = pc.load_dataset("musk")
    problem = pc.svm_dual(data.X, data.y, 1.0, loss)
    assert problem.f_star == pytest.approx(
        {"hinge": -0.166021729377326}.get(loss, -0.0825572823838789), rel=1e-13
    )
    assert problem.f_star_error <= 1e-11
    assert problem.f_star == pytest.approx(
        -primal(loss, data.X @ data.X.T, problem.x_star, data.y, 1.0), rel=1e-7
    )


@pytest.mark.madelon
@every_loss
def test_madelon_is_certified(loss):
    data = pc.load_dataset("madelon")
    problem = pc.svm_dual(data.X, data.y, 1.0, loss)
    rounding = 1e-9 if EXTENDED_EPS < 1e-18 else 1e-5 * abs(problem.f_star)  # of products in that precision
    assert problem.f_star_error <= rounding


@wide
@every_kind
def test_the_gap_is_the_difference(loss, keywords, representation):
    problem = pc.svm_dual(X, Y, C, loss, **keywords, representation=representation)
    H = hessian(loss, kernel(keywords)).astype(EXTENDED)

    def value(a):
        a = np.asarray(a).astype(EXTENDED)
        return a @ (H @ a) / 2 - a.sum()

    high = 1.0 if loss == "hinge" else np.inf
    for size in (1e-4, 1e-2, 1.0):
        a = np.clip(problem.x_star + size * RNG.standard_normal(24), 0, high)
        difference = float(value(a) - value(problem.x_star))
        assert problem.gap(a) == pytest.approx(difference, rel=1e-7, abs=1e-13)
    assert problem.gap(problem.x_star) == 0


@pytest.mark.parametrize("representation", ["A", "G"])
def test_sonar_takes_as_many_iterations_as_known(representation):
    """To a relative gap of 1e-10; f* exact."""
    trace = pc.solve(sonar(representation=representation), "adapt_apg_v2", iterations=1000, target=1e-10)
    assert trace.first_below(1e-10) == pytest.approx(379, abs=1)


@every_loss
@pytest.mark.parametrize("representation", ["A", "G"])
@every_method_with_a_rule
def test_long_runs_stay_at_the_floor(loss, representation, method):
    """Ten times longer than needed, or so."""
    problem = sonar(loss, representation=representation)
    trace = pc.solve(problem, method, 8000)
    tail = trace.gap[-2000:]
    assert np.isfinite(trace.gap).all()
    assert tail.max() <= 1e-28 * trace.gap[0]
    assert tail.max() <= trace.floor <= (1e-25 if EXTENDED_EPS < 1e-18 else 1e-21) * trace.gap[0]
    assert trace.outcome == "precision floor"


@every_kind
@every_method
def test_products_a_step(loss, keywords, representation, method):
    problem = pc.svm_dual(X, Y, C, loss, **keywords, representation=representation)
    constants = {"mu": 0.1} if problem.mu == 0 and method == "apg" else {}
    trace = pc.solve(problem, method, 40, **constants)
    np.testing.assert_array_equal(trace.products, {"A": 2, "G": 1}[representation] * (trace.k + 1))


@every_kind
@every_method_with_a_rule
@pytest.mark.parametrize(
    ("estimator", "more"), [("polyak", 0), ("model", 0), ("window", 0), ("certified", 1)]
)
def test_products_of_estimates(loss, keywords, representation, method, estimator, more):
    problem = pc.svm_dual(X, Y, C, loss, **keywords, representation=representation)
    trace = pc.solve(problem, method, 40, estimator=estimator, window=3 if estimator == "window" else None)
    each = {"A": 2, "G": 1}[representation] + more
    np.testing.assert_array_equal(trace.products, each * (trace.k + 1))


def test_the_cheaper_accurate_representation_is_chosen():
    assert pc.svm_dual(X, Y, C).form.name == "A"
    assert pc.svm_dual(X, Y, C, "squared_hinge").form.name == "A"
    assert pc.svm_dual(X[:5], Y[:5], C).form.name == "G"
    assert pc.svm_dual(X, Y, C, kernel="rbf", width=1.0).form.name == "G"


@every_kind
def test_representations_make_the_same_steps(loss, keywords, representation):
    usual = pc.solve(pc.svm_dual(X, Y, C, loss, **keywords, representation="G"), "adapt_apg_v2", 60)
    other = pc.solve(
        pc.svm_dual(X, Y, C, loss, **keywords, representation=representation), "adapt_apg_v2", 60
    )
    far = usual.gap > 1e-12 * usual.gap[0]
    np.testing.assert_allclose(other.gap[far], usual.gap[far], rtol=1e-6)
    np.testing.assert_allclose(other.mu[far], usual.mu[far], rtol=1e-6)


@every_kind
@given(seed=st.integers(0, 10**6))
def test_order_of_the_estimates(loss, keywords, representation, seed):
    rng = np.random.default_rng(seed)
    problem = pc.svm_dual(X, Y, C, loss, **keywords, representation=representation)
    a = np.clip(problem.x_star + 10.0 ** rng.uniform(-5, 1) * rng.standard_normal(24), *bounds(loss))
    ours = {}
    for kind in ("polyak", "model", "certified"):
        squared, gap, after = problem.form.sizes(problem.form.lift(a), problem.L, kind)
        ours[kind] = float(squared / (2 * gap if after is None else 2 * after + squared / problem.L))
    tiny = 1 + 1e-9
    assert ours["polyak"] <= ours["model"] * tiny
    assert ours["model"] <= ours["certified"] * tiny
    assert problem.mu <= ours["model"] * tiny
    assert ours["certified"] <= problem.L * tiny


def bounds(loss):
    return (0.0, 1.0) if loss == "hinge" else (0.0, np.inf)


@every_loss
@pytest.mark.parametrize("keywords", [{}, {"kernel": "rbf", "width": 1.0}, {"kernel": "rbf", "width": 1e4}])
@pytest.mark.parametrize(
    ("points", "labels", "weight"),
    [
        (np.vstack([X, X, X]), np.tile(Y, 3), 1.0),
        (np.vstack([X, X]), np.concatenate([Y, -Y]), 1.0),
        (X, np.ones(24), 1.0),
        (0 * X, Y, 1.0),
        (X, Y, 1e-12),
        (X, np.where(X[:, 0] > 0, 1, -1), 1e4),
        ([[2.0]], [1], 1.0),
        ([[i, j] for i in range(4) for j in range(4)], [1, -1] * 8, 2.0),
    ],
    ids=["thrice", "both labels", "one label", "zero", "tiny C", "large C", "1 x 1", "grid"],
)
def test_odd_cases_are_solved_and_certified(loss, keywords, points, labels, weight):
    problem = pc.svm_dual(points, labels, weight, loss, **keywords)
    H = hessian(loss, kernel(keywords, np.array(points, dtype=float)), np.array(labels, dtype=float), weight)
    size = max(1.0, abs(problem.f_star))
    assert problem.f_star_error <= 1e-11 * size or "includes" in problem.f_star_source
    assert problem.f_star == pytest.approx(
        0.5 * problem.x_star @ H @ problem.x_star - problem.x_star.sum(), rel=1e-9, abs=1e-9
    )
    trace = pc.solve(problem, "adapt_apg_v2", 300)
    assert np.isfinite(trace.gap).all()
    assert (trace.gap >= 0).all()
    assert str(trace.outcome) in {"budget", "precision floor", "solved exactly", "stalled"}
    assert problem.f(trace.y) >= problem.f_star - problem.f_star_error - 1e-12 * size


@pytest.mark.parametrize("weight", [1e8, 1e12])
@every_loss
def test_separable_data_with_a_huge_weight(loss, weight):
    """f* is minus 1/C (hinge) or 1/2 (squared) times the squared norm of the hard-margin w, but for C."""
    problem = pc.svm_dual(X, np.where(X[:, 0] > 0, 1, -1), weight, loss)
    hard = pc.svm_dual(X, np.where(X[:, 0] > 0, 1, -1), 1e6, loss)
    scale = 1 if loss == "squared_hinge" else 1e6 / weight
    assert problem.f_star == pytest.approx(hard.f_star * scale, rel=1e-2)
    assert problem.f_star_error <= 1e-11 * abs(problem.f_star)


def test_words():
    assert "all labels are equal" in pc.svm_dual(X, np.ones(24), C).describe()
    assert "1 zero rows" in pc.svm_dual(np.vstack([X, np.zeros(6)]), np.append(Y, 1), C).describe()
    flat = pc.svm_dual(X, Y, C, kernel="rbf", width=1e9)
    assert flat.mu == 0
    assert "singular up to rounding" in flat.describe()


def test_kernel():
    K = rbf_kernel(X, 1.3)
    np.testing.assert_allclose(K, kernel({"width": 1.3}), rtol=1e-13)
    np.testing.assert_array_equal(K, K.T)
    assert (np.diag(K) == 1).all()
    assert rbf_kernel(np.array([[1e200], [-1e200]]), 1e-200)[0, 1] == 0


def test_rounding_of_steps_asks_for_scaled_data_and_not_for_another_L():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 3)) * [1e8, 1, 1e-8]
    trace = pc.solve(pc.svm_dual(X, np.where(rng.random(60) > 0.4, 1.0, -1.0), 1.0), "restart", 500)
    weak = "certificate is weak" in trace.message  # in double precision nothing more is known of f*
    assert weak or (trace.outcome is pc.Outcome.STALLED and "scale the columns" in trace.message)
    assert "Give L" not in trace.message


def test_inputs_of_any_kind_are_never_modified():
    whole = RNG.integers(-5, 6, (9, 4))
    labels = RNG.choice([-1, 1], 9)
    usual = pc.svm_dual(whole.astype(float), labels.astype(float), 1.0)
    locked = np.asfortranarray(whole, dtype=np.float32)
    locked.flags.writeable = False
    for matrix in (whole, locked, whole.astype(np.int8)):
        before = matrix.copy()
        again = pc.svm_dual(matrix, labels.astype(np.int8), 1)
        np.testing.assert_array_equal(again.x_star, usual.x_star)
        np.testing.assert_array_equal(matrix, before)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y": np.where(Y > 0, 1, 0)}, "labels that are not"),
        ({"y": Y[:3]}, "3 entries but X has 24 rows"),
        ({"C": 0}, "C = 0"),
        ({"C": -1.0}, "C = -1"),
        ({"C": np.inf}, "C = inf"),
        ({"loss": "huber"}, "loss 'huber'"),
        ({"kernel": "poly"}, "kernel 'poly'"),
        ({"width": 1.0}, "for kernel='rbf' only"),
        ({"kernel": "rbf"}, "needs width"),
        ({"kernel": "rbf", "width": 0}, "width = 0"),
        ({"kernel": "rbf", "width": 1.0, "representation": "A"}, "linear kernel"),
        ({"representation": "eigenbasis"}, "choose 'A' or 'G'"),
        ({"x0": np.full(24, 1.5)}, "24 entries outside"),
        ({"x0": np.full(24, -0.5), "loss": "squared_hinge"}, "24 entries outside"),
        ({"x0": np.zeros(3)}, "x0 has 3 entries"),
        ({"X": np.full((24, 6), np.nan)}, "NaN or infinite"),
        ({"X": X[0]}, "X must have 2 axes"),
        ({"X": np.zeros((10_001, 1)), "y": np.ones(10_001), "kernel": "rbf", "width": 1.0}, "too large"),
        ({"L": -1}, "L = -1"),
    ],
)
def test_what_is_refused(change, words):
    with pytest.raises(ValueError, match=words):
        pc.svm_dual(**{"X": X, "y": Y, "C": C, **change})
