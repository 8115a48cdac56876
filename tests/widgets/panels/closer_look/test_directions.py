"""Errors by eigen-direction against a decomposition made apart; contours are level sets."""

from __future__ import annotations

import numpy as np
import pytest
from polyak_widgets.panels.closer_look.directions.components import ComponentsRun
from polyak_widgets.panels.closer_look.directions.directions import NoDirectionsError, directions
from polyak_widgets.panels.closer_look.directions.path_panel import contours

import polyak_core as pc


@pytest.mark.parametrize("loss", ["least_squares", "logistic", "lasso", "svm_dual"])
def test_components_are_those_of_an_eigendecomposition_of_the_hessian(loss):
    problem = pc.paper_problem("sonar", loss)
    basis = directions(problem)
    run = ComponentsRun(problem, basis, "adapt_apg_v2", 60, {})
    while not run.advance(0.001):
        pass
    x, step = problem.x_star, 1e-4
    free = np.arange(x.size)
    if loss == "lasso":
        free = np.flatnonzero(x)
    if loss == "svm_dual":
        free = np.flatnonzero((x > 0) & (x < 1))
    units = np.eye(x.size)[free]
    grad = problem.loss.grad
    rows = np.array([(grad(x + step * u) - grad(x - step * u))[free] / (2 * step) for u in units])
    values, vectors = np.linalg.eigh((rows + rows.T) / 2)
    np.testing.assert_allclose(
        basis.eigenvalues[[0, -1]], values[values > 1e-9 * values[-1]][[0, -1]], rtol=1e-5
    )
    for it in pc.iterates(problem, "adapt_apg_v2"):
        if it.k == 60:
            error = (it.y - x)[free]
            break
    ours = run.result().components[-1]
    positive = values > 1e-9 * values[-1]
    expected = np.abs(error @ vectors)[positive]
    assert abs(np.abs(ours[0]) - expected[0]) < 1e-5 * np.linalg.norm(error)
    assert abs(np.abs(ours[-1]) - expected[-1]) < 1e-5 * np.linalg.norm(error)
    assert np.linalg.norm(ours) == pytest.approx(np.linalg.norm(expected), rel=1e-6)


def test_of_many_directions_the_two_slowest_and_the_fastest_are_kept():
    eigenvalues = np.sort(pc.spectrum("log", 500, 1e6))
    basis = directions(pc.quadratic(eigenvalues))
    assert basis.eigenvalues.size <= 64
    np.testing.assert_array_equal(basis.eigenvalues[[0, 1, -1]], eigenvalues[[0, 1, -1]])


def test_f_is_equal_along_each_contour_and_a_tenth_of_the_next():
    problem = pc.quadratic([1.0, 0.01])
    u, v = contours(np.array([0.01, 1.0]), problem.gap([1.0, 1.0]))
    pieces = np.split(np.column_stack([v, u]), np.flatnonzero(np.isnan(u)))
    levels = []
    for piece in pieces:
        gaps = [problem.gap(point) for point in piece if np.isfinite(point).all()]
        if gaps:
            assert max(gaps) == pytest.approx(min(gaps), rel=1e-12)
            levels.append(gaps[0])
    np.testing.assert_allclose(np.array(levels[1:]) / np.array(levels[:-1]), 0.1)
    assert levels[1] == pytest.approx(problem.gap([1.0, 1.0]))


def test_directions_say_why_there_are_none():
    with pytest.raises(NoDirectionsError, match="no curvature"):
        directions(pc.least_squares(np.zeros((2, 2)), np.zeros(2)))
