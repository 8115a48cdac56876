"""Solvers from outside on the exact gap: SciPy's, scikit-learn's and copt's, and callbacks that go wrong."""

import json
import warnings

import numpy as np
import pytest
import scipy.optimize
from cases import PROBLEMS, A, B

import polyak_core as pc


def least_squares():
    return PROBLEMS["least squares, A"](x0=np.ones(A.shape[1]))


@pytest.mark.parametrize("method", ["L-BFGS-B", "CG"])
@pytest.mark.parametrize("kind", ["least squares, A", "logistic", "quadratic"])
def test_scipy_on_the_exact_gap(kind, method):
    problem = PROBLEMS[kind]()
    handed = []
    with pc.record(problem, name=method) as recording:
        scipy.optimize.minimize(
            recording.value,
            problem.x0,
            jac=recording.gradient,
            method=method,
            callback=lambda x: (recording(x), handed.append(x.copy())),
            tol=1e-9,
        )
    trace = recording.trace
    assert len(trace) == len(handed) + 1
    for point, gap in zip([problem.x0, *handed], trace.gap, strict=True):
        assert gap == pytest.approx(problem.gap(point), rel=1e-12, abs=1e-300)
    assert trace.gap[-1] < 1e-6 * trace.gap[0]
    assert np.all(np.diff(trace.gradients[1:]) >= 1)
    assert np.all(np.diff(trace.seconds) >= 0)
    assert method in trace.message or trace.outcome is pc.Outcome.FLOOR


def test_cg_of_scipy_comes_no_lower_than_ours():
    """Its line search is exact to 1e-4 or so, and it asks for more than one gradient a step."""
    problem = least_squares()
    with pc.record(problem) as recording:
        scipy.optimize.minimize(
            recording.value, problem.x0, jac=recording.gradient, method="CG", callback=recording
        )
    ours = pc.solve(problem, "cg", len(recording.trace) - 1)
    assert np.all(recording.trace.gap >= ours.gap * (1 - 1e-9))


def test_points_are_recorded_as_they_are():
    problem = least_squares()
    steps = [step.y for step, _ in zip(pc.iterates(problem, "fista"), range(30), strict=False)]
    trace, ours = pc.record(problem, steps, name="FISTA"), pc.solve(problem, "fista", 29)
    np.testing.assert_allclose(trace.gap, ours.gap, rtol=1e-6)
    assert np.isnan(trace.gradients).all()
    assert "unknown gradients" in trace.describe()
    assert pc.Trace.from_dict(json.loads(json.dumps(trace.to_dict()))).settings["method"] == "FISTA"
    assert pc.to_pandas(trace)["gap"].iloc[-1] == trace.gap[-1]


def test_a_dictionary_and_an_object_with_x_are_points_too():
    problem = least_squares()
    recording = pc.record(problem)
    recording({"x": np.zeros(A.shape[1]), "others": 1})
    recording(scipy.optimize.OptimizeResult(x=np.full(A.shape[1], 2.0)), "and more")
    assert recording.trace.gap[1] == problem.gap(np.zeros(A.shape[1]))
    assert len(recording.trace) == 3


@pytest.mark.parametrize(
    ("point", "words"),
    [
        (np.full(A.shape[1], np.nan), "point 1 .*finite"),
        (np.zeros(3), "point 1 has 3 entries in shape"),
        (np.zeros((A.shape[1], 1)), "point 1"),
        (None, "point 1"),
        ("x", "point 1"),
    ],
)
def test_a_point_that_is_none_is_told_at_once(point, words):
    with pytest.raises(ValueError, match=words), pc.record(least_squares()) as recording:
        recording(point)


def test_one_array_again_and_again_is_told():
    x = np.zeros(A.shape[1])
    with pytest.raises(ValueError, match=r"all 4 points of odd are the same, .*as a copy"):
        pc.record(least_squares(), [x, x, x, x], name="odd")
    with pytest.raises(ValueError, match="has a penalty"):
        pc.record(PROBLEMS["lasso"]()).gradient(x)


def test_scikit_learn_by_warm_start():
    from sklearn.linear_model import Lasso

    problem = pc.lasso(A, B, lam=2.0)
    with pc.record(problem, name="scikit-learn") as recording:
        model = Lasso(alpha=2.0 / len(B), fit_intercept=False, warm_start=True, max_iter=1, tol=0.0)
        for _ in range(60):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # each call ends before the tolerance is met, as it is meant
                recording(model.fit(A, B).coef_)
    trace = recording.trace
    assert trace.gap[-1] < 1e-6 * trace.gap[0]
    assert np.all(np.diff(trace.gap) <= 1e-12 * trace.gap[0])


@pytest.mark.filterwarnings("ignore")  # copt has some of its own when it is imported
def test_copt_by_its_callback():
    import copt

    problem = least_squares()
    with pc.record(problem, name="copt") as recording:
        copt.minimize_proximal_gradient(
            lambda x, return_gradient=True: (
                (problem.f(x), recording.gradient(x)) if return_gradient else problem.f(x)
            ),
            problem.x0,
            step=lambda _: 1 / problem.L,
            max_iter=100,
            callback=recording,
        )
    assert recording.trace.gap[-1] < recording.trace.gap[0]


def test_lbfgs_is_a_baseline_on_every_smooth_problem():
    for kind in ("quadratic", "least squares, G", "logistic", "own"):
        trace = pc.lbfgs(PROBLEMS[kind](), 200)
        assert trace.settings["method"] == "L-BFGS"
        assert trace.gap.min() < 1e-7 * trace.gap[0]
        assert trace.gradients[-1] >= len(trace) - 1
    with pytest.raises(ValueError, match="LASSO has a penalty"):
        pc.lbfgs(PROBLEMS["lasso"]())
    with pytest.raises(ValueError, match="iterations"):
        pc.lbfgs(PROBLEMS["quadratic"](), 0)
