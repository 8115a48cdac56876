"""Small relatives of problems that once took minutes: what is counted is work, never time."""

import io
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import polyak_core as pc
from polyak_core.arrays import EXTENDED, EXTENDED_EPS
from polyak_core.certificates import completion as low_rank
from polyak_core.certificates.active_set import chunks
from polyak_core.certificates.active_set import method as active_set
from polyak_core.certificates.active_set.kernel_quadratic import KernelQuadratic
from polyak_core.certificates.active_set.quadratic import FactorQuadratic
from polyak_core.matrices import extended as extended_matrix
from polyak_core.matrices import rbf
from polyak_core.matrices.extended import ExtendedMatrix
from polyak_core.problems import svm

WIDE = EXTENDED_EPS < 1e-18


def steps_of(problem):
    """The reference, and how many steps each part of the search took."""
    steps = {}

    def count(work, k):
        steps[work] = steps.get(work, 0) + 1

    with pc.watched(progress=count):
        reference = problem.reference
    return reference, steps


def counted(monkeypatch, owner, name):
    """A list that grows with each call of a method."""
    calls, usual = [], getattr(owner, name)

    def method(self, *arguments):
        calls.append(arguments)
        return usual(self, *arguments)

    monkeypatch.setattr(owner, name, method)
    return calls


def planted(rows, columns, seed, share=20):
    """A wide matrix and a target that a few of its columns explain but for noise."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((rows, columns))
    x = np.where(np.arange(columns) < columns // share, rng.standard_normal(columns), 0.0)
    return A, A @ x + 0.1 * rng.standard_normal(rows)


def lasso_gap(A, b, lam, x):
    """f(x) less a dual value, in fractions: a bound from nothing but the definitions."""
    x = [Fraction(float(v)) for v in x]
    lam = Fraction(float(lam))
    rows = [[Fraction(float(v)) for v in row] for row in A]
    r = [
        Fraction(float(t)) - sum(a * v for a, v in zip(row, x, strict=True))
        for row, t in zip(rows, b, strict=True)
    ]
    pulls = [sum(row[j] * v for row, v in zip(rows, r, strict=True)) for j in range(len(x))]
    s = min(Fraction(1), lam / max(map(abs, pulls)))
    primal = sum(v * v for v in r) / 2 + lam * sum(map(abs, x))
    return primal - (
        s * sum(v * Fraction(float(t)) for v, t in zip(r, b, strict=True)) - s * s * sum(v * v for v in r) / 2
    )


@pytest.mark.parametrize("share", [1e-3, 1e-5, 1e-7])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_small_weight_takes_no_more_changes_than_a_large_one(monkeypatch, share, seed):
    """The interior point start finds the support, whose size is close to the number of rows."""
    A, b = planted(40, 200, seed)
    lam = share * np.abs(A.T @ b).max()
    problem = pc.lasso(A, b, lam)
    gradients = counted(monkeypatch, FactorQuadratic, "gradient")
    reference, steps = steps_of(problem)
    assert steps["interior point"] <= 50
    assert len(gradients) <= 40
    assert steps["active set"] <= 6
    assert reference.error <= (1e-18 if WIDE else 1e-14) * reference.f_star
    assert lasso_gap(A, b, lam, reference.x_star) <= Fraction((1e-9 if WIDE else 1e-6) * reference.f_star)


RNG = np.random.default_rng(5)
SPARSE = sparse.random_array((90, 40), density=0.2, rng=RNG, data_sampler=RNG.standard_normal, format="csr")
TARGET = SPARSE @ RNG.standard_normal(40) + RNG.standard_normal(90)
LABELS = np.where(TARGET > 0, 1.0, -1.0)
POINTS = RNG.standard_normal((60, 2))
SIDES = np.where(POINTS[:, 0] + 0.5 * RNG.standard_normal(60) > 0, 1.0, -1.0)
KINDS = {
    "lasso": lambda: pc.lasso(SPARSE, TARGET, 0.1),
    "wide lasso": lambda: pc.lasso(SPARSE.T.tocsr(), TARGET[:40], 0.05),
    "hinge": lambda: pc.svm_dual(SPARSE, LABELS, 1.0),
    "squared hinge": lambda: pc.svm_dual(SPARSE, LABELS, 1.0, "squared_hinge"),
    "rbf": lambda: pc.svm_dual(POINTS, SIDES, 1.0, "hinge", "rbf", 1.0),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def large(monkeypatch):
    """Every problem is too large for dense matrices of its size."""
    for owner in (FactorQuadratic, KernelQuadratic):
        usual = owner.__init__

        def unaffordable(self, *arguments, usual=usual, **bounds):
            usual(self, *arguments, **bounds)
            self.affordable = False

        monkeypatch.setattr(owner, "__init__", unaffordable)
    monkeypatch.setattr(active_set, "LARGEST_FACTORED", 5)


def assert_agree(problem, usual):
    """Each bound covers what the other one leaves open."""
    assert problem.reference.proven
    room = problem.f_star_error + usual.f_star_error + 1e-15 * abs(usual.f_star)
    assert abs(problem.f_star - usual.f_star) <= room
    assert usual.f(problem.x_star) - usual.f_star <= problem.f_star_error + 1e-14 * abs(usual.f_star)


@every_kind
def test_conjugate_gradients_reach_the_same_point_without_dense_blocks(monkeypatch, large, kind):
    problem = KINDS[kind]()
    calls = counted(monkeypatch, type(problem.loss.extended), "block")
    reference, steps = steps_of(problem)
    assert "optimality conditions do not all hold" not in reference.source
    assert reference.error <= (1e-11 if kind == "rbf" else 1e-13) * abs(reference.f_star)
    assert steps["active set"] <= 25
    assert all(np.count_nonzero(free) <= 60 for (free,) in calls)
    monkeypatch.undo()
    assert_agree(problem, KINDS[kind]())


@every_kind
@pytest.mark.parametrize("work", [0.0, 1e5])
def test_work_that_is_used_up_leaves_a_weaker_bound_and_says_so(monkeypatch, large, kind, work):
    monkeypatch.setattr(active_set, "SEARCH", work)
    monkeypatch.setattr("polyak_core.certificates.active_set.starts.FIRST_ORDER_STEPS", (3, 3))
    monkeypatch.setattr(chunks, "ROUNDS", 0)
    problem = KINDS[kind]()
    reference, steps = steps_of(problem)
    assert reference.proven
    assert steps["first-order start"] == 3
    if work == 0.0:
        assert "a weaker bound" in reference.source
        assert steps["active set"] == 1
    monkeypatch.undo()
    assert_agree(problem, KINDS[kind]())


def test_chunks_find_the_few_that_are_free(monkeypatch):
    """300 rows, of which 14 are free: too many for an interior point method here, but 150 are not."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((300, 2))
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(300) > 0, 1.0, -1.0)
    usual = KernelQuadratic.__init__

    def init(self, *arguments, **bounds):
        usual(self, *arguments, **bounds)
        self.affordable = self.size < 200

    def searched():
        problem = pc.svm_dual(X, y, 1.0, "hinge", "rbf", 1.0)
        return problem, *steps_of(problem)

    whole = searched()[0]
    monkeypatch.setattr(KernelQuadratic, "__init__", init)
    monkeypatch.setattr("polyak_core.certificates.active_set.starts.FIRST_ORDER_STEPS", (60, 60))
    monkeypatch.setattr(chunks, "LARGEST", 150)
    problem, reference, steps = searched()
    monkeypatch.setattr(chunks, "ROUNDS", 0)
    without = searched()[2]
    assert steps["chunk"] == 2
    assert 4 * steps["active set"] <= without["active set"]
    assert reference.error <= 1e-11 * abs(reference.f_star)
    assert_agree(problem, whole)


@pytest.mark.parametrize("shape", [(70, 33), (5, 200)])
def test_strips_change_no_bit(monkeypatch, shape):
    matrix = RNG.standard_normal(shape)
    wide = ExtendedMatrix(matrix)
    x, r = (RNG.standard_normal(n).astype(EXTENDED) for n in shape[::-1])
    whole = wide.times(x), wide.transpose_times(r)
    monkeypatch.setattr(extended_matrix, "STRIP", 64)
    cut = ExtendedMatrix(matrix)
    for (got, error), (want, same) in zip((cut.times(x), cut.transpose_times(r)), whole, strict=True):
        np.testing.assert_array_equal(got, want)
        assert error == same


@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 30.0]))
def test_eigenvalues_of_a_kernel_are_within_their_bounds(seed, width):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((12, 3)), rng.choice([-1.0, 1.0], 12)
    Q = y[:, None] * rbf.rbf_kernel(X, width) * y
    largest, below = rbf.rbf_bounds(Q, y, 3)
    values = np.linalg.eigvalsh(Q.astype(np.float64))
    assert values[-1] * (1 - 1e-13) <= largest <= 12 * (1 + 1e-12)
    assert values[0] >= -below - 1e-14
    assert below <= 1e-13


def matrices(thing, size):
    """The square matrices of this size that a thing refers to, by their identity."""
    identities = set()

    class Visitor(pickle.Pickler):
        def persistent_id(self, part):
            if isinstance(part, np.ndarray) and part.shape == (size, size):
                identities.add(id(part))

    Visitor(io.BytesIO()).dump(thing)
    return identities


def test_a_large_kernel_has_bounds_and_runs_without_a_copy(monkeypatch):
    usual = KINDS["rbf"]()
    monkeypatch.setattr(svm, "LARGEST_FACTORED", 10)
    problem = KINDS["rbf"]()
    assert usual.L * (1 - 1e-12) <= problem.L <= 60
    assert problem.mu == 0
    assert "proven upper bound by Collatz and Wielandt" in problem.describe()
    assert_agree(problem, usual)
    assert len(matrices(problem.form, 60)) == 1
    assert matrices(problem.form, 60) <= matrices(problem.loss, 60)
    trace = pc.solve(problem, "fista", iterations=300)
    assert trace.gap[-1] <= 1e-3 * trace.gap[0]
    assert usual.gap(trace.y) == pytest.approx(trace.gap[-1], rel=1e-6, abs=1e-9)


def low_rank_problem(seed, lam=0.05, noise=0.0):
    rng = np.random.default_rng(seed)
    Y = rng.standard_normal((24, 2)) @ rng.standard_normal((2, 18)) + noise * rng.standard_normal((24, 18))
    return pc.matrix_completion(Y, rng.random((24, 18)) < 0.5, lam)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("largest", [0, 10_000])
def test_the_rank_grows_from_below(monkeypatch, seed, largest):
    """With Newton by conjugate gradients or by factors; no long run of decompositions."""
    usual = low_rank_problem(seed)
    assert usual.f_star_error <= 1e-11 * usual.f_star
    monkeypatch.setattr(low_rank, "ENOUGH_STEPS", np.inf)
    monkeypatch.setattr("polyak_core.certificates.factored.LARGEST_NEWTON", largest)
    problem = low_rank_problem(seed)
    reference, steps = steps_of(problem)
    assert not WIDE or "accelerated run" not in steps  # else rounding may hide that the goal is reached
    assert steps["growing rank"] <= 20
    assert reference.error <= 1e-11 * reference.f_star
    assert_agree(problem, usual)


def test_a_rank_that_does_not_settle_is_bounded_all_the_same(monkeypatch):
    usual = low_rank_problem(1, noise=0.5)
    monkeypatch.setattr(low_rank, "ENOUGH_STEPS", np.inf)
    monkeypatch.setattr("polyak_core.certificates.growing.DECOMPOSITIONS", 2)
    monkeypatch.setattr(low_rank, "ITERATIONS", (4, 4))
    problem = low_rank_problem(1, noise=0.5)
    assert "weaker bound" in problem.f_star_source
    assert_agree(problem, usual)


@given(st.integers(0, 10**6))
def test_the_norm_of_a_large_matrix_is_bounded_in_float64(seed):
    Z = np.random.default_rng(seed).standard_normal((9, 5)).astype(EXTENDED)
    tight = low_rank.spectral_norm_bound(Z)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(low_rank, "LARGEST_EXTENDED", 0)
        loose = low_rank.spectral_norm_bound(Z)
    assert tight * (1 - 1e3 * EXTENDED_EPS) <= loose <= tight * (1 + 1e-13)


def one_by_one(monkeypatch):
    """A kernel made a row at a time."""
    monkeypatch.setattr(rbf, "STRIP", 1)
    monkeypatch.setattr(svm, "LARGEST_FACTORED", 10)


@pytest.mark.parametrize("after", [1, 17, 60, 70])
def test_a_constructor_is_left_at_its_next_step(monkeypatch, after):
    one_by_one(monkeypatch)
    steps = []
    with (
        pytest.raises(pc.Cancelled),
        pc.watched(progress=lambda work, k: steps.append((work, k)), cancel=lambda: len(steps) >= after),
    ):
        KINDS["rbf"]()
    assert len(steps) == after
    assert steps[0] == ("kernel matrix", 0)


@pytest.mark.parametrize("kind", [*KINDS, "completion"])
def test_a_search_is_left_at_its_next_step(monkeypatch, large, kind):
    """Wherever it is: every part of a search moves on in steps, and none passes after the word to stop."""
    monkeypatch.setattr(low_rank, "ENOUGH_STEPS", np.inf)
    make = {**KINDS, "completion": lambda: low_rank_problem(2)}[kind]
    _, steps = steps_of(make())
    total = sum(steps.values())
    for after in {1, total // 3, total // 2, total - 1}:
        problem, reports = make(), []
        with (
            pytest.raises(pc.Cancelled),
            pc.watched(progress=lambda work, k: reports.append(k), cancel=lambda: len(reports) >= after),  # noqa: B023
        ):
            _ = problem.reference
        assert len(reports) == after
