"""What people may get wrong: each call is answered by a sentence with what was given, allowed, to do."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from cases import every_method

import polyak_core as pc
from polyak_core import theory

NAN, INF = np.nan, np.inf
GOOD = pc.quadratic([1.0, 0.25])
FLAT = pc.quadratic([1.0, 0.0, 0.5])
EYE = np.eye(2)


def run(**keywords):
    return pc.solve(keywords.pop("problem", GOOD), **{"iterations": 5, **keywords})


CALLS = [
    (lambda: pc.spectrum("log", condition_number=0.5), ["0.5", "at least 1", "give a number >= 1"]),
    (lambda: pc.spectrum("log", condition_number=NAN), ["nan", ">= 1"]),
    (lambda: pc.spectrum("log", condition_number=INF), ["inf", ">= 1"]),
    (lambda: pc.spectrum("log", n=0), ["n = 0", "from 1"]),
    (lambda: pc.spectrum("log", n=2.5), ["n = 2.5", "whole number"]),
    (lambda: pc.spectrum("wavy"), ["'wavy'", "'clusters'"]),
    (lambda: pc.quadratic([]), ["eigenvalues is empty", "at least one"]),
    (lambda: pc.quadratic([1, -0.5]), ["negative entry (-0.5)", "give numbers >= 0"]),
    (lambda: pc.quadratic([1, NAN]), ["1 entries that are NaN", "remove"]),
    (lambda: pc.quadratic([[1, 2]]), ["1 axes", "(1, 2)"]),
    (lambda: pc.quadratic("abc"), ["array of real numbers", "'abc'"]),
    (lambda: pc.quadratic([1j, 1]), ["real numbers"]),
    (lambda: pc.quadratic([1, 2], x0=[1]), ["x0 has 1 entries", "n = 2"]),
    (lambda: pc.quadratic([1, 2], x0=[1, INF]), ["x0 has 1 entries that are NaN or infinite"]),
    (lambda: pc.quadratic([1, 2], x_star=[1, 2, 3]), ["x_star has 3", "2 eigenvalues"]),
    (lambda: pc.quadratic([1, 2], f_star=NAN), ["f_star = nan", "finite number"]),
    (lambda: pc.quadratic([1, 2], L=0), ["L = 0", "from 1e-150 to 1e+150"]),
    (lambda: pc.quadratic([1, 2], L=-1), ["L = -1", "leave it out"]),
    (lambda: pc.quadratic([1, 2], L=NAN), ["L = nan", "> 0"]),
    (lambda: pc.quadratic([1e200, 1]), ["L = 1e+200", "1e+150", "scale the data"]),
    (lambda: pc.quadratic([1e-200]), ["L = 1e-200", "scale the data"]),
    (lambda: pc.quadratic([1, 2], representation="B"), ["'B'", "'eigenbasis'"]),
    (
        lambda: run(problem=pc.quadratic(np.ones(20_000), representation="G")),
        ["'G'", "20000 x 20000", "Leave it out"],
    ),
    (lambda: pc.least_squares(EYE, [1, 2, 3]), ["b has 3", "2 rows"]),
    (lambda: pc.least_squares([1, 2], [1, 2]), ["A must have 2 axes", "(2,)"]),
    (lambda: pc.least_squares(EYE, [1, NAN]), ["b has 1 entries that are NaN"]),
    (lambda: pc.least_squares([[INF, 1], [1, 1]], [1, 1]), ["A has", "NaN or infinite"]),
    (lambda: pc.least_squares(np.zeros((0, 3)), []), ["A is empty", "(0, 3)"]),
    (lambda: pc.least_squares([[1, 2], [3]], [1, 1]), ["A must be an array of real numbers"]),
    (lambda: pc.least_squares(EYE * 1e150, [1, 1]), ["L = 1e+300", "scale the data"]),
    (lambda: pc.least_squares(EYE * 1e-150, [1, 1]), ["L = 1e-300", "scale the data"]),
    (lambda: pc.least_squares(EYE * 1e300, [1, 1]), ["L = inf", "scale the data"]),
    (lambda: pc.least_squares(EYE * 1e-300, [1, 1]), ["L = 0", "scale the data"]),
    (lambda: run(problem=pc.quadratic([1.0], x0=[1e200])), ["x0 is so far", "closer"]),
    (lambda: pc.paper_problem("iris", "least_squares"), ["'iris'", "'sonar'"]),
    (lambda: pc.paper_problem("sonar", "huber"), ["'huber'", "'least_squares'"]),
    (lambda: GOOD.f([1]), ["x has 1 entries", "n = 2"]),
    (lambda: GOOD.gap([1, NAN]), ["x has 1 entries that are NaN"]),
    (lambda: run(method="newton"), ["'newton'", "'adapt_apg_v2'"]),
    (lambda: run(method=None), ["None", "'adapt_apg_v2'"]),
    (lambda: run(method=["pgd"]), ["['pgd']", "choose one of"]),
    (lambda: run(iterations=0), ["iterations = 0", "from 1 to 10000000"]),
    (lambda: run(iterations=10**9), ["iterations = 1000000000", "from 1 to 10000000"]),
    (lambda: run(iterations=NAN), ["iterations = nan", "whole number"]),
    (lambda: run(iterations=2.5), ["iterations = 2.5", "whole number"]),
    (lambda: run(iterations=True), ["iterations = True", "whole number"]),
    (lambda: run(iterations=10**400), ["iterations = 1000", "whole number"]),
    (lambda: run(mu0=0), ["mu0 = 0", "(0, L]", "L = 1"]),
    (lambda: run(mu0=1.01), ["mu0 = 1.01", "(0, L]"]),
    (lambda: run(mu0=NAN), ["mu0 = nan", "(0, L]"]),
    (lambda: run(mu0="0.5"), ["mu0 = '0.5'", "(0, L]"]),
    (lambda: run(mu0=[0.1, 0.2]), ["mu0 = [0.1, 0.2]", "(0, L]"]),
    (lambda: run(method="apg", mu=-1), ["mu = -1", "(0, L]"]),
    (lambda: run(method="apg", mu=2), ["mu = 2", "(0, L]"]),
    (lambda: run(problem=FLAT, method="apg"), ["mu = 0", "mu_restricted = 0.5", "pass mu="]),
    (lambda: run(problem=FLAT, estimator="known"), ["mu = 0", "mu_restricted"]),
    (lambda: run(problem=pc.quadratic([1, 0.5], L=0.1), method="apg"), ["mu = 0.5", "L = 0.1"]),
    (lambda: run(method="restart", gamma=0), ["gamma = 0", "> 0"]),
    (lambda: run(method="restart", gamma=-2), ["gamma = -2", "> 0"]),
    (lambda: run(method="restart", gamma=INF), ["gamma = inf", "> 0"]),
    (lambda: run(method="restart", gamma=[1, 2]), ["gamma = [1, 2]", "> 0"]),
    (lambda: run(estimator="best"), ["estimator 'best'", "'certified'"]),
    (lambda: run(estimator="schedule"), ["needs C="]),
    (lambda: run(estimator="schedule", C=-1), ["C = -1", ">= 0"]),
    (lambda: run(estimator="window"), ["needs window="]),
    (lambda: run(estimator="window", window=0), ["window = 0", "from 1"]),
    (lambda: run(f_star=NAN), ["f_star = nan", "finite number"]),
    (lambda: run(f_star="dual"), ["'dual'", "give a number"]),
    (lambda: run(f_star="duality"), ["f_star = 'duality'", "finite number"]),
    (lambda: run(target=0), ["target = 0", "(0, 1]"]),
    (lambda: run(target=2), ["target = 2", "(0, 1]"]),
    (lambda: run(seconds=0), ["seconds = 0", "> 0"]),
    (lambda: run(seconds=NAN), ["seconds = nan", "> 0"]),
    (lambda: run(x0=[1, 2, 3]), ["x0 has 3 entries", "n = 2"]),
    (lambda: run(method="pgd", mu0=0.1), ["pgd does not use mu0 = 0.1", "It uses backtracking."]),
    (lambda: run(method="pgd", f_star=0.0), ["pgd does not use f_star"]),
    (lambda: run(method="apg", gamma=2), ["apg does not use gamma = 2", "It uses mu"]),
    (lambda: run(method="apg", gamma=np.ones(2)), ["apg does not use gamma"]),
    (lambda: run(method="fista", estimator="certified"), ["fista does not use estimator"]),
    (lambda: run(mu=0.1), ["adapt_apg does not use mu = 0.1", "estimator, f_star, guard, mu0"]),
    (lambda: run(C=1.0), ["does not use C"]),
    (lambda: run(backtracking=True), ["does not use backtracking"]),
    (lambda: run(method="fista", backtracking="yes"), ["backtracking = 'yes'", "True or False"]),
    (lambda: run(method="restart_function", gamma=2), ["does not use gamma", "none of these keywords"]),
    (lambda: run(method="adapt_apg_v2", mu0=0.1), ["adapt_apg_v2 does not use mu0"]),
    (lambda: next(pc.iterates(GOOD, "pgd", steps=3)), ["steps", "gamma"]),
    (lambda: next(pc.iterates(GOOD, "newton")), ["'newton'"]),
    (lambda: pc.Run(GOOD, "pgd", gama=3), ["gama", "gamma"]),
    (lambda: pc.load_dataset("iris"), ["'iris'", "'sonar'"]),
    (lambda: pc.load_dataset("x" * 5000), ["name is 'xxx", "'sonar'"]),
    (lambda: pc.dataset(EYE, [1, -1], name=None), ["name = None", "give text"]),
    (lambda: pc.least_squares(np.ma.array(EYE, mask=[[0, 0], [1, 0]]), [1, 2]), ["hides 1 entry", "mask"]),
    (lambda: pc.least_squares(EYE, sp.csr_array(np.eye(2))), ["b is sparse", "toarray()"]),
    (lambda: pc.least_squares(EYE, [1e160, 1]), ["1.0e+160", "overflows", "scale the data"]),
    (lambda: pc.lasso(EYE, [1, 1e155], 1.0), ["1.0e+155", "scale the data"]),
    (lambda: pc.lasso(EYE, [1, 2], np.complex128(1)), ["lam = ", "a number >= 0"]),
    (lambda: pc.lasso(EYE, [1, 2], [[1, 2], [3]]), ["lam = [[1, 2], [3]]", "a number >= 0"]),
    (lambda: pc.lasso(EYE, [1, 2], 1.0, representation=EYE), ["representation array", "choose one of"]),
    (lambda: pc.svm_dual(1e200 * EYE, [1, -1], 1.0), ["L = inf", "scale the data"]),
    (lambda: pc.matrix_completion([[1], [1, 2]], EYE, 0.1), ["Y must be an array", "[[1], [1, 2]]"]),
    (lambda: pc.matrix_completion(EYE, [[1], [0, 1]], 0.1), ["mask", "[[1], [0, 1]]"]),
    (lambda: pc.matrix_completion(sp.csr_array(EYE), EYE, 0.1), ["Y is sparse", "toarray()"]),
    (lambda: pc.matrix_completion(1e150 * EYE, EYE, 0.1), ["1.0e+150", "scale Y"]),
    (lambda: pc.quadratic([1, 2], x0=[1e200, 1]), ["x0 is so far from 0", "1.0e+200", "closer"]),
    (lambda: pc.iterates(None, "pgd"), ["problem is of type NoneType", "give a Problem"]),
    (lambda: pc.Run("sonar", "pgd"), ["problem is of type str", "give a Problem"]),
    (lambda: theory.gradient_rate(None, 3), ["problem is of type NoneType"]),
    (lambda: theory.bound_fista(GOOD, None), ["trace is of type NoneType"]),
    (lambda: theory.bound_estimated_mu(GOOD, run(method="pgd")), ["'pgd' has no mu_0"]),
    (lambda: theory.largest_schedule_constant(GOOD, 2), ["mu0 = 2", "(0, L]"]),
    (lambda: run(progress=5), ["progress = 5", "called with (k, gap)"]),
    (lambda: run(cancel="no"), ["cancel = 'no'", "whether to stop"]),
    (lambda: pc.sweep(GOOD, gamma=[1, 2], executor=4), ["executor.submit", "4"]),
    (lambda: pc.sweep(GOOD, gamma=[1, 2], done=[3]), ["done holds 3", "what a sweep returned"]),
    (lambda: pc.register(None, iter), ["name = None", "give text"]),
    (lambda: pc.register("m", 5), ["generator = 5", "a function (problem, x0, ...)"]),
    (lambda: pc.register("m", lambda problem, x0: None, label=5), ["label = 5", "give text"]),
    (lambda: pc.Trace.from_dict({"k": 1}), ["not a trace", "keys", "Trace.to_dict"]),
    (lambda: pc.Trace.from_dict({**run().to_dict(), "outcome": "well"}), ["outcome 'well'", "choose one of"]),
    (lambda: pc.Trace.from_dict({**run().to_dict(), "gap": ["a"]}), ["gap must be an array of real numbers"]),
    (
        lambda: run(problem=pc.lasso([[1, 1]], [1], 0.1), method="apg"),
        ["mu = 0", "pass mu=, a number in (0, L]"],
    ),
    (lambda: pc.watched(seconds=-1).__enter__(), ["seconds = -1", ">= 0"]),
]


@pytest.mark.parametrize(("call", "fragments"), CALLS, ids=[str(number) for number in range(len(CALLS))])
def test_the_message_says_what_was_given_and_what_to_do(call, fragments):
    with pytest.raises(ValueError, match=re.escape(fragments[0])) as caught:
        call()
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_defaults_are_ignored_by_methods_that_do_not_use_them():
    spelled_out = run(method="pgd", gamma=1, mu=None, f_star=None, estimator="polyak", backtracking=False)
    np.testing.assert_array_equal(spelled_out.gap, run(method="pgd").gap)


READ_ONLY = np.arange(12.0).reshape(4, 3) ** 2
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    "A",
    [
        READ_ONLY,
        np.asfortranarray(READ_ONLY),
        READ_ONLY.astype(np.int32),
        READ_ONLY.astype(np.float32),
        READ_ONLY.astype(np.uint8),
        READ_ONLY[::-1],
        READ_ONLY.tolist(),
    ],
    ids=["read-only", "Fortran", "int32", "float32", "uint8", "view", "list"],
)
@pytest.mark.parametrize("representation", ["A", "G", "eigenbasis"])
def test_every_kind_of_array_gives_the_same_and_stays_as_it_was(A, representation):
    before = np.array(A, copy=True)
    b, x0 = [1, 0, 2, 1], np.ones(3)
    order = slice(None, None, -1) if np.array_equal(before, READ_ONLY[::-1]) else slice(None)
    problem = pc.least_squares(A, b[order], x0=x0, representation=representation)
    trace = pc.solve(problem, iterations=40)
    np.testing.assert_array_equal(A, before)
    np.testing.assert_array_equal(x0, 1)
    expected = pc.solve(pc.least_squares(READ_ONLY, b, x0=x0), iterations=40)
    np.testing.assert_allclose(trace.gap, expected.gap, rtol=1e-9)


def test_what_is_changed_later_changes_no_problem():
    A, b, x0, eigenvalues = np.eye(2), np.ones(2), np.zeros(2), np.array([1.0, 0.5])
    problems = [pc.least_squares(A, b, x0=x0), pc.quadratic(eigenvalues, x0=x0, x_star=b)]
    before = [problem.gap([3.0, 4.0]) for problem in problems]
    for array in (A, b, x0, eigenvalues):
        array[:] = 7
    assert [problem.gap([3.0, 4.0]) for problem in problems] == before
    assert [problem.x0.tolist() for problem in problems] == [[0, 0], [0, 0]]
    problems[0].x_star[:] = 9
    np.testing.assert_allclose(problems[0].x_star, [1, 1])


def test_zero_and_constant_columns_are_noted():
    A = np.array([[1.0, 2.0, 0.0], [3.0, 2.0, 0.0], [4.0, 2.0, 0.0]])
    words = pc.least_squares(A, [1, 2, 3]).describe()
    assert "1 zero column" in words
    assert "1 constant column" in words
    assert "mu = 0" in words
    assert "f is constant" in pc.least_squares(np.zeros((2, 2)), [1, 2]).describe()
    assert "given; true L = 1" in pc.quadratic([1.0], L=3).describe()


@pytest.mark.parametrize("scale", [1e60, 1e-60])
@every_method
def test_scales_that_are_allowed_change_nothing_but_the_scale(method, scale):
    rng = np.random.default_rng(2)
    A, b = rng.standard_normal((9, 4)), rng.standard_normal(9)
    for representation in ("A", "G", "eigenbasis"):
        plain, scaled = (
            pc.solve(pc.least_squares(s * A, b, representation=representation), method=method, iterations=150)
            for s in (1.0, scale)
        )
        early = plain.gap > 1e-10
        np.testing.assert_allclose(scaled.gap[early], plain.gap[early], rtol=1e-5)
        np.testing.assert_allclose(scaled.mu[early], scale**2 * plain.mu[early], rtol=1e-5)
        assert np.isfinite(scaled.mu_hat[scaled.gap > 1e-200][1:]).all()
