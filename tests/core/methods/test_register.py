"""A method of one's own, ten lines, beside the others."""

from itertools import count

import numpy as np
import pytest

import polyak_core as pc
from polyak_core.methods.paper import Iterate
from polyak_core.methods.registry import DEMANDS


@pytest.fixture(autouse=True)
def _only_for_one_test():
    before = dict(pc.METHODS)
    yield
    pc.METHODS.clear()
    pc.METHODS.update(before)


def heavy_ball(problem, x0, mu, gamma):
    """Polyak's heavy ball, with gamma times the usual momentum."""
    root = np.sqrt(mu / problem.L)
    beta = gamma * ((1 - root) / (1 + root)) ** 2
    x = y = y_before = x0
    for k in count():
        yield Iterate(k, x, y, mu=mu, beta=beta)
        x = y
        y_before, y = y, problem.prox_step(y) + beta * (y - y_before)


def test_it_runs_beside_the_others():
    method = pc.register("heavy_ball", heavy_ball, label="Heavy ball", reference="Polyak 1964")
    assert pc.METHODS["heavy_ball"] is method
    assert method.summary == "Polyak's heavy ball, with gamma times the usual momentum."
    assert method.parameters == ("mu", "gamma")
    for representation, products in (("A", 2), ("G", 1), ("eigenbasis", 0)):
        problem = pc.least_squares(np.diag([1.0, 0.5, 0.1]), np.ones(3), representation=representation)
        traces = {
            name: pc.solve(problem, method=name, iterations=100) for name in ("pgd", "heavy_ball", "apg")
        }
        own = traces["heavy_ball"]
        assert own.gap[-1] < 0.1 * traces["pgd"].gap[-1]
        assert np.isfinite(own.mu_hat).all()
        assert own.products[-1] == 101 * products
        assert own.settings["gamma"] == 1.0
    assert len(list(zip(range(3), pc.iterates(problem, "heavy_ball", gamma=0.5), strict=False))) == 3


def test_its_keywords_are_checked_like_all_others():
    pc.register("heavy_ball", heavy_ball)
    with pytest.raises(ValueError, match="gamma = -1"):
        pc.solve(pc.quadratic([1.0, 0.5]), method="heavy_ball", gamma=-1)
    with pytest.raises(ValueError, match="heavy_ball does not use mu0"):
        pc.solve(pc.quadratic([1.0, 0.5]), method="heavy_ball", mu0=0.5)


def test_bad_registrations():
    def odd(problem, x0, speed):
        yield Iterate(0, x0, x0)

    with pytest.raises(ValueError, match=r"'pgd' exists; choose another name"):
        pc.register("pgd", heavy_ball)
    with pytest.raises(ValueError, match=r"takes \['speed'\]; a method may take mu, mu0"):
        pc.register("odd", odd)
    with pytest.raises(ValueError, match="problem, x0"):
        pc.register("odd", lambda x0: iter(()))
    with pytest.raises(ValueError, match="name"):
        pc.register("", heavy_ball)
    assert "odd" not in pc.METHODS


def test_a_method_that_ends_is_named():
    def short(problem, x0):
        yield Iterate(0, x0, x0)

    pc.register("short", short)
    with pytest.raises(ValueError, match="short yielded nothing after iteration 0; a method must yield"):
        pc.solve(pc.quadratic([1.0, 0.5]), method="short")


@pytest.mark.parametrize("name", pc.METHODS)
def test_every_method_says_what_it_is(name):
    method = pc.METHODS[name]
    assert method.label
    assert method.summary.endswith(".")
    assert method.demand in DEMANDS
    assert method.reference
    assert "Reference:" in (method.generator.__doc__ or "") or name == "fista_printed"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda k, z: 1.0, "yielded 1.0 at iteration 0; a method yields Iterate"),
        (lambda k, z: None, "yielded None at iteration 0"),
        (lambda k, z: (k, z, z), "a method yields Iterate"),
        (lambda k, z: pc.Iterate(k, "x", z), "with the lifted points x and y"),
        (lambda k, z: pc.Iterate(k, z, z[:1]), "with the lifted points x and y"),
        (lambda k, z: pc.Iterate(k, z, z, mu="a"), "says mu = .*give numbers"),
        (lambda k, z: pc.Iterate(k, z, z) if k < 3 else None, "yielded None at iteration 3"),
    ],
)
def test_what_is_no_iterate_is_refused_in_words(make, words):
    def odd(problem, x0):
        for k in range(9):
            yield make(k, x0)

    pc.register("odd", odd)
    try:
        with pytest.raises(ValueError, match=words):
            pc.solve(pc.quadratic([1.0, 0.5], x0=[1.0, 2.0]), "odd", 5)
    finally:
        del pc.METHODS["odd"]
