"""The lecture: its minutes, its one order, and a lecturer's key whose sentences the runs bear out."""

import re
from itertools import pairwise

import numpy as np
import pytest
from polyak_widgets.laboratory.problems import build_problem
from polyak_widgets.stories.lecture import LENGTHS, SCENES, lessons, scene_traces, timetable
from polyak_widgets.stories.notation import NOTATION
from polyak_widgets.stories.stories import STORIES, Choice

import polyak_core as pc
from polyak_core.theory import envelope_constant, largest_schedule_constant

ASKING = [name for name, story in STORIES.items() if story.prediction is not None]
LONG = [name for name in ASKING if name not in ("six_estimates", "silver", "cg")]
"""Those are in the key alone."""
SHORT = ["misprint", "v2_or_theorem", "gamma", "f_star_too_high", "wrong_L"]


def spectral_radius(factor, beta):
    """Of d+ = factor ((1 + beta) d - beta d-)."""
    return max(abs(np.roots([1, -factor * (1 + beta), factor * beta])))


@pytest.mark.parametrize(("length", "stories"), [(45, SHORT), (90, LONG)])
def test_a_lecture_takes_its_minutes(length, stories):
    rows = list(timetable(length))
    assert (rows[0][0], rows[-1][1]) == (0, length)
    assert all(before[1] == after[0] for before, after in pairwise(rows))
    assert [name for _, _, name in rows if name in ASKING] == stories
    assert LENGTHS == (45, 90)


def test_there_are_five_minutes_for_a_story_and_fourteen_for_what_comes_first():
    minutes = {name: end - start for start, end, name in timetable(45)}
    assert [minutes[name] for name in SHORT] == [5] * 5
    assert minutes["first_picture"] + minutes["fista_or_apg"] + minutes["estimate"] == 14
    assert minutes["figure_4"] == 6


def test_menu_next_and_lecture_have_one_order():
    assert [name for name in SCENES if name in ASKING] == ASKING
    assert list(STORIES)[: len(ASKING)] == ASKING


def test_the_key_covers_every_scene():
    """Question, answer with its number and reason, the usual wrong answer and why, lines for the board."""
    key = lessons()
    assert set(ASKING) < set(key) == set(SCENES)
    for name, (scene, answer, slip) in key.items():
        assert scene.story.question.strip().endswith(("?", "first?")), name
        assert re.search(r"\d", answer.happened), name
        assert all(len(text) > 20 for text in (scene.aim, answer.why, slip.because)), name
        assert slip.wrong.endswith("."), name
        assert len(slip.board) >= 2, name
        texts = (scene.aim, answer.happened, answer.why, slip.wrong, slip.because, *slip.board)
        assert not re.search(r"\b(nan|inf|None)\b|∞|more than its budget", " ".join(texts)), name
        if isinstance(scene.story.prediction, Choice):
            right = next(text for each, text, _ in scene.story.prediction.options if each == answer.right)
            assert right.lower() not in slip.wrong.lower(), name


def test_what_the_key_says_of_runs_holds():
    key = {name: lesson.slip.because for name, lesson in lessons().items()}
    assert "13\u202f323 is 0.75 times the 17\u202f764" in key["misprint"]
    assert "passes that of APG at k = 147" in key["fista_or_apg"]
    assert "231 times with γ = 0.1 and twice with γ = 20" in key["gamma"]
    assert "is never below μ" in lessons()["estimate"].answer.happened
    assert "ahead down to 10⁻⁵" in lessons()["fista_or_apg"].answer.happened
    mu = scene_traces(SCENES["estimate"])["v2"].mu
    assert mu.min() >= 1 / SCENES["estimate"].story.before.condition_number
    story = SCENES["v2_or_theorem"].story
    problem, trace = build_problem(story.after), scene_traces(SCENES["v2_or_theorem"])["adapt_apg"]
    assert envelope_constant(problem, trace) > largest_schedule_constant(problem, problem.L / 2)


def test_what_is_written_on_the_board_holds():
    t, beta = 1.0, 0.0
    for _ in range(200):
        t_next = (1 + np.sqrt(1 + t * t)) / 2
        t, beta = t_next, (t - 1) / t_next
    assert (t, beta) == (pytest.approx(4 / 3), pytest.approx(1 / 4))
    gammas = np.geomspace(0.1, 20, 1001)
    assert gammas[np.argmin(np.exp(gammas / 2) / gammas)] == pytest.approx(2, rel=0.01)
    assert np.log(1e10) == pytest.approx(23, abs=0.1)
    for beta in (0.0, 0.5, 0.9, 1.0):
        limit = (2 + 2 * beta) / (1 + 2 * beta)
        assert min(abs(np.roots([1, (limit - 1) * (1 + beta), (1 - limit) * beta]) + 1)) < 1e-12
        assert spectral_radius(1 - 0.999 * limit, beta) < 1 < spectral_radius(1 - 1.001 * limit, beta)


def test_the_exponent_of_silver_steps_is_that_of_their_theorem_and_no_run_has_a_larger_one():
    written = re.search(r"to the power ([\d.]+),", lessons()["silver"].answer.why)
    proven = np.log(2) / np.log(1 + np.sqrt(2))
    assert written is not None
    assert float(written[1]) == pytest.approx(proven, abs=0.005)
    few, many = (
        pc.solve(pc.quadratic([1.0, 1 / kappa]), "silver_mu", 20_000, target=1e-10).k[-1]
        for kappa in (100, 10_000)
    )
    assert 0.5 < np.log(many / few) / np.log(100) < proven


def test_the_card_of_notation_has_every_sign_of_the_lecture():
    signs = [sign for sign, _ in NOTATION]
    expected = (
        "L",
        "μ",
        "κ = L/μ",
        "T_L(x)",
        "g_L(x)",
        "initial gap",
        "relative gap",
        "βₖ",
        "μ̂(y)",
        "log Aₖ",
        "γ",
    )
    assert [sign for sign in expected if sign not in signs] == []
    assert "ψ" in signs[0]
