"""What a run leaves behind: columns, and their way to a dictionary, JSON and CSV and back."""

import csv
import json
import pickle

import numpy as np
import pytest

import polyak_core as pc
from polyak_core.runs.endings import Cause
from polyak_core.runs.limits import VISIBLE
from polyak_core.runs.trace import COLUMNS, FLAGS, NUMBERS

PROBLEM = pc.quadratic(pc.spectrum("log", n=10, condition_number=100))
NAN_COLUMNS = {
    "pgd": {"mu", "log_A", "t"},
    "apg": {"t"},
    "fista": {"mu", "log_A"},
    "fista_printed": {"mu", "log_A"},
    "restart": {"mu", "log_A"},
    "adapt_apg": {"beta", "t"},
    "adapt_apg_v2": {"log_A", "t"},
    "adapt_apg_free": {"log_A", "t"},
    "restart_function": {"mu", "log_A"},
    "restart_gradient": {"mu", "log_A"},
    "nag_free": {"log_A", "t"},
    "adgd_accel": {"mu_loc", "log_A", "t"},
    "ac_fgm": {"mu_loc", "mu", "beta", "log_A", "t"},
    "auto_restart": {"log_A", "t"},
    "silver": {"mu_loc", "mu", "beta", "log_A", "t"},
    "silver_mu": {"mu_loc", "beta", "log_A", "t"},
    "item": {"beta", "log_A", "t"},
    "tmm": {"mu_loc", "log_A", "t"},
    "heavy_ball_polyak": {"mu_loc", "mu", "log_A", "t"},
    "cg": {"mu_loc", "mu", "beta", "log_A", "t"},
}
LATE = {("adapt_apg_free", "mu_hat"): 1}
"""Columns that begin with NaN, and how often."""


@pytest.mark.parametrize("method", NAN_COLUMNS)
def test_columns_are_nan_just_where_a_method_has_none(method):
    trace = pc.solve(PROBLEM, method=method, iterations=70)
    for name in NUMBERS:
        column = getattr(trace, name)
        assert column.dtype == np.float64
        assert column.shape == (71,)
        if name in NAN_COLUMNS[method]:
            assert np.isnan(column).all(), name
        else:
            start = LATE.get((method, name), 0)
            assert np.isnan(column[:start]).all()
            assert np.isfinite(column[start:]).all(), name
    for name in FLAGS:
        assert getattr(trace, name).dtype == np.bool_
    assert trace.restarted.any() == (method in ("restart", "auto_restart"))  # other rivals fire later
    assert not trace.frozen[1:].any()


def test_every_method_is_listed_here():
    assert set(NAN_COLUMNS) == set(pc.METHODS)


def test_indices():
    """x_1 = x_0, y_k = T_L(x_k), mu[k] is the running minimum that forms x_{k+1}."""
    trace = pc.solve(PROBLEM, method="adapt_apg_v2", iterations=40)
    steps = [step for step, _ in zip(pc.iterates(PROBLEM, "adapt_apg_v2"), range(41), strict=False)]
    np.testing.assert_array_equal(steps[0].x, steps[0].y)
    np.testing.assert_array_equal(steps[1].x, steps[0].y)
    np.testing.assert_allclose(trace.mu, np.minimum.accumulate(np.minimum(trace.mu_hat, PROBLEM.L)))
    root = np.sqrt(trace.mu / PROBLEM.L)
    np.testing.assert_allclose(trace.beta, (1 - root) / (1 + root))
    for before, now, after in zip(steps, steps[1:], steps[2:], strict=False):
        np.testing.assert_allclose(after.x, now.y + trace.beta[now.k] * (now.y - before.y), atol=1e-15)
    for step in steps[1:]:
        np.testing.assert_allclose(step.y, step.x - PROBLEM.loss.grad(step.x) / PROBLEM.L, atol=1e-15)


def test_the_free_estimate_is_made_at_x():
    trace = pc.solve(PROBLEM, method="adapt_apg_free", iterations=40)
    assert trace.mu[0] == PROBLEM.L
    for step, _ in zip(pc.iterates(PROBLEM, "adapt_apg_free"), range(41), strict=False):
        if step.k:
            g = PROBLEM.loss.grad(step.x)
            certified = g @ g / (2 * PROBLEM.f(step.y) + g @ g / PROBLEM.L)
            assert trace.mu_hat[step.k] == pytest.approx(certified, rel=1e-12)


def assert_same(one, other):
    for name in (*COLUMNS, "x", "y"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert getattr(one, name).dtype == getattr(other, name).dtype
    for name in ("floor", "outcome", "message", "settings", "ending"):
        assert getattr(one, name) == getattr(other, name)


@pytest.mark.parametrize(
    "keywords",
    [
        {"method": "restart", "gamma": np.float64(2), "target": 1e-3},
        {
            "method": "adapt_apg",
            "f_star": np.float32(-1e-3),
            "mu0": np.float64(0.3),
            "seconds": np.float32(9),
        },
        {"method": "adapt_apg", "estimator": "window", "window": np.int64(3)},
        {"method": "adapt_apg_free", "iterations": np.int32(7)},
    ],
    ids=lambda keywords: keywords["method"],
)
def test_there_and_back(keywords):
    trace = pc.solve(PROBLEM, **{"iterations": 30, **keywords})
    assert_same(pc.Trace.from_dict(trace.to_dict()), trace)
    assert_same(pc.Trace.from_dict(json.loads(json.dumps(trace.to_dict()))), trace)


def test_the_ending_is_the_message_as_a_value():
    low = pc.solve(PROBLEM, "restart", iterations=300, f_star=-1e-6)
    ending = low.ending
    assert (ending.outcome, ending.cause) == (low.outcome, Cause.ITERATIONS)
    assert low.message == ending.message
    assert [note.cause for note in ending.notes] == [Cause.F_STAR_LOW]
    first = ending.notes[0].k
    assert low.gap[first] < VISIBLE * 1e-6 <= low.gap[first - 1]
    assert f"from iteration {first} on" in ending.notes[0].words()
    assert "iteration" not in ending.notes[0].words(place="")
    assert "give more" in ending.remedy
    assert pickle.loads(pickle.dumps(ending)) == ending


def test_a_dictionary_from_before_there_were_endings_is_read():
    trace = pc.solve(PROBLEM, iterations=3)
    old = {key: value for key, value in trace.to_dict().items() if key != "ending"}
    read = pc.Trace.from_dict(old)
    assert read.ending is None
    assert (read.outcome, read.message) == (trace.outcome, trace.message)
    assert pc.Trace.from_dict(json.loads(json.dumps(read.to_dict()))).ending is None


@pytest.mark.parametrize(
    "wrong",
    [
        "budget",
        {},
        {"outcome": "lost"},
        {"cause": "bad luck"},
        {"k": 1.5},
        {"remedy": 3},
        {"numbers": {}},
        {"numbers": {"gap": "small"}},
        {"notes": [{"cause": "budget"}]},
        {"more": 1},
    ],
    ids=str,
)
def test_a_broken_ending_is_named(wrong):
    plain = pc.solve(PROBLEM, iterations=3).to_dict()
    ending = {**plain["ending"], **wrong} if isinstance(wrong, dict) and wrong else wrong
    with pytest.raises(ValueError, match="not a trace: ending = "):
        pc.Trace.from_dict(plain | {"ending": ending})


def test_nobody_changes_a_trace():
    trace = pc.solve(PROBLEM, iterations=3)
    for column in (trace.gap, trace.frozen, trace.x):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1
    mine = np.array(trace.gap)
    pc.Trace.from_dict(trace.to_dict() | {"gap": mine})
    mine[0] = 1


def test_a_broken_dictionary_is_named():
    plain = pc.solve(PROBLEM, iterations=3).to_dict()
    with pytest.raises(ValueError, match="'gap'"):
        pc.Trace.from_dict({key: value for key, value in plain.items() if key != "gap"})
    with pytest.raises(ValueError, match="'gep'"):
        pc.Trace.from_dict(plain | {"gep": 1})
    with pytest.raises(ValueError, match="mu has 2 records"):
        pc.Trace.from_dict(plain | {"mu": [1.0, 2.0]})


def test_csv(tmp_path):
    trace = pc.solve(PROBLEM, method="restart", iterations=30)
    trace.to_csv(tmp_path / "trace.csv")
    with (tmp_path / "trace.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 31
    assert tuple(rows[0]) == COLUMNS
    for name in NUMBERS:
        np.testing.assert_array_equal([float(row[name]) for row in rows], getattr(trace, name))
    assert [row["restarted"] == "True" for row in rows] == trace.restarted.tolist()


def test_first_below_and_last_above():
    trace = pc.solve(PROBLEM, method="fista", iterations=100)
    first, last = trace.first_below(1e-4), trace.last_above(1e-4)
    assert trace.gap[first] <= 1e-4 * trace.gap[0] < trace.gap[first - 1]
    assert last >= first - 1
    assert trace.first_below(1e-200) is None
    assert trace.last_above(2.0) is None


def test_relative_gaps_are_parts_of_the_initial_gap():
    trace = pc.solve(PROBLEM, method="fista", iterations=100)
    np.testing.assert_allclose(trace.relative_gap * trace.gap[0], trace.gap, rtol=1e-15)
    assert trace.relative_gap[0] == 1
    at_the_end = pc.solve(PROBLEM, method="fista", iterations=3, x0=PROBLEM.x_star)
    np.testing.assert_array_equal(at_the_end.relative_gap, 0)


def test_a_run_can_be_looked_at_at_any_time():
    run = pc.Run(PROBLEM, "adapt_apg", 500)
    assert (run.k, run.finished) == (-1, False)
    assert np.isnan(run.last_gap)
    assert len(run.trace()) == 0
    assert "0 records" in repr(run.trace())
    run.advance(0.0)
    early = run.trace()
    assert len(early) == run.k + 1
    while not run.advance(1e-4):
        assert run.last_gap == run.trace().gap[-1]
    late = run.trace()
    np.testing.assert_array_equal(late.gap[: len(early)], early.gap)
    whole = pc.solve(PROBLEM, method="adapt_apg", iterations=500)
    for name in COLUMNS:
        if name != "seconds":
            np.testing.assert_array_equal(getattr(late, name), getattr(whole, name))


@pytest.mark.parametrize("representation", ["A", "G", "eigenbasis"])
def test_problems_and_traces_travel_to_other_processes(representation):
    problem = pc.least_squares(np.diag([1.0, 0.5]), [1.0, 2.0], representation=representation)
    pc.solve(problem, iterations=1)
    twin = pickle.loads(pickle.dumps(problem))
    for method in ("adapt_apg", "restart"):
        here, there = (pc.solve(p, method=method, iterations=20) for p in (problem, twin))
        np.testing.assert_array_equal(here.gap, pickle.loads(pickle.dumps(there)).gap)


def test_settings_say_what_was_run():
    trace = pc.solve(PROBLEM, method="adapt_apg", iterations=5, target=0.5)
    assert trace.settings == {
        "problem": "quadratic",
        "method": "adapt_apg",
        "iterations": 5,
        "target": 0.5,
        "seconds": None,
        "mu0": 0.5,
        "f_star": None,
        "estimator": "polyak",
    }


def test_without_strong_convexity_mu_loc_ends_at_the_floor():
    """Below it mu_loc would be rounding divided by rounding."""
    wide = np.random.default_rng(0).standard_normal((12, 30))
    trace = pc.solve(pc.lasso(wide, wide[:, 0] + wide[:, 1], 0.5), "restart", 2000)
    below = trace.gap <= trace.floor
    assert below.any()
    np.testing.assert_array_equal(np.isnan(trace.mu_loc[2:]), below[2:])
