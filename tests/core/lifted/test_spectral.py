"""Decompositions are paid once: how many there are, and when what travels with a point may be believed."""

import pickle

import numpy as np
import pytest
from cases import WITHOUT_MU

import polyak_core as pc
from polyak_core import penalties as nuclear


def small(shape=(6, 4), lam=0.3, seed=1, **keywords):
    rng = np.random.default_rng(seed)
    return pc.matrix_completion(rng.standard_normal(shape), rng.random(shape) < 0.6, lam, **keywords)


@pytest.fixture
def decompositions(monkeypatch):
    """How many matrices have been decomposed."""
    count = [0]
    genuine = np.linalg.svd

    def counting(matrices, *args, **keywords):
        count[0] += int(np.prod(np.shape(matrices)[:-2]))
        return genuine(matrices, *args, **keywords)

    monkeypatch.setattr(nuclear.np.linalg, "svd", counting)
    return count


RUNS = [(method, {}) for method in WITHOUT_MU]
RUNS += [
    (method, {"estimator": kind})
    for method in ("adapt_apg", "adapt_apg_v2")
    for kind in ("certified", "model")
]
RUNS += [(method, {"estimator": "known", "mu": 0.01}) for method in ("adapt_apg", "adapt_apg_v2")]


@pytest.mark.parametrize(("method", "extra"), RUNS)
def test_decompositions_a_step_recording_included(method, extra, decompositions):
    p = small()
    _ = p.form
    asks = method in ("adapt_apg", "adapt_apg_v2") and "mu" not in extra
    before = decompositions[0]
    trace = pc.solve(p, method, iterations=150, **extra)
    assert trace.proxes[-1] == (2 * 150 + 1 if asks else 150)
    fixed = 6  # lifting x0, the tangent at x*, mu_loc at k = 0
    assert trace.proxes[-1] <= decompositions[0] - before <= trace.proxes[-1] + fixed
    assert not trace.products.any()
    if not asks and method != "adapt_apg_free":
        assert np.isnan(trace.mu_hat).all()


def test_a_combination_of_points_is_not_taken_at_its_word():
    problem = small()
    p = problem.oracle()
    z0 = p.lift(problem.x0)
    z1 = p.prox_step(z0)
    z2 = p.prox_step(z1 + 0.5 * (z1 - z0))
    for z in (
        z1 + 0.3 * (z1 - z2),
        0.5 * (z0 + z2),
        0.2 * z0 + 0.3 * z1 + 0.5 * z2,
        z2 * 1.0,
        z2,
        z0,
        0 * z1,
    ):
        assert p.gap(z) == pytest.approx(problem.gap(p.point(z)), rel=1e-9, abs=1e-25)
    assert p.gap(p.form.displacement(z2)) == pytest.approx(p.gap(z2), rel=1e-12)


def test_mu_loc_of_points_that_were_not_made_together():
    problem = small()
    p = problem.oracle()
    z = p.lift(problem.x0 + 1.0)
    y = p.prox_step(z)
    expected = p.local_strong_convexity(z, y, p.gap(y))
    afresh = p.local_strong_convexity(
        1.0 * z, p.lift(p.point(y)), p.gap(p.lift(p.point(y)))
    )  # lifted: carries nothing for mu_loc
    assert afresh == pytest.approx(expected, rel=1e-9)
    other = p.lift(problem.x0 + 2.0)
    assert p.local_strong_convexity(other, y, p.gap(y)) != pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("shape", [(6, 4), (4, 6)])
def test_stacked_runs_are_single_runs(shape):
    p = small(shape).oracle()
    starts = np.random.default_rng(0).standard_normal((3, *shape))
    z = p.lift(starts)
    y = p.prox_step(z)
    assert p.point(y).shape == (3, *shape)
    for j, start in enumerate(starts):
        z_j = p.lift(start)
        y_j = p.prox_step(z_j)
        np.testing.assert_allclose(p.point(y)[j], p.point(y_j), atol=1e-14)
        assert p.gap(y)[j, 0] == pytest.approx(p.gap(y_j), rel=1e-12)
        assert p.local_strong_convexity(z, y, p.gap(y))[j, 0] == pytest.approx(
            p.local_strong_convexity(z_j, y_j, p.gap(y_j))
        )
        for kind in ("polyak", "certified", "model"):
            stacked, single = p.ask_estimate(y, kind), p.ask_estimate(y_j, kind)
            assert stacked.squared[j, 0] == pytest.approx(single.squared)
            assert (stacked.after is None) == (single.after is None) == (kind == "polyak")
            if single.after is not None:
                assert stacked.after[j, 0] == pytest.approx(single.after)


def test_a_problem_travels_to_another_process():
    p = small()
    gap = pc.solve(p, iterations=20).gap
    np.testing.assert_array_equal(pc.solve(pickle.loads(pickle.dumps(p)), iterations=20).gap, gap)


def test_another_start_needs_no_other_certificate():
    p = small()
    assert p.starting_at(np.ones((6, 4))).reference is p.reference
