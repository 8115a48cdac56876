"""The stories: each answer is what the runs say, predictions are locked, wrong ones refused in words."""

import dataclasses
import threading

import numpy as np
import pytest
from polyak_widgets.laboratory.experiment import Laboratory, run_experiment
from polyak_widgets.numbers import number_text
from polyak_widgets.stories import answers as story_answers
from polyak_widgets.stories.paper_views import PAPER_VIEWS
from polyak_widgets.stories.stories import STORIES, Choice, Guess
from polyak_widgets.stories.storyteller import Storyteller, measured, verdict

import polyak_core as pc

ASKING = [name for name, story in STORIES.items() if story.prediction is not None]
LABORATORY = Laboratory()


def result(steps):
    """What work in slices gives at its end."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def cards(name, value):
    """All that the page is shown, the answer last."""
    shown = []
    teller = Storyteller(shown.append)
    teller.open(name)
    teller.predict(value)
    result(teller.answer(LABORATORY, lambda: False))
    return shown


def first_guess(name):
    prediction = STORIES[name].prediction
    return prediction.options[0][0] if isinstance(prediction, Choice) else prediction.low


def test_there_are_eleven_stories_and_five_figures():
    assert len(ASKING) == 11
    assert set(STORIES) - set(ASKING) == set(PAPER_VIEWS)
    assert len(PAPER_VIEWS) == 5


@pytest.mark.parametrize("name", ASKING)
def test_every_answer_is_one_of_those_that_could_be_given(name):
    before, measuring, revealed = cards(name, first_guess(name))
    assert [before["stage"], measuring["stage"], revealed["stage"]] == ["asked", "measuring", "revealed"]
    assert "happened" not in before
    prediction = STORIES[name].prediction
    if isinstance(prediction, Choice):
        assert revealed["right"] in [key for key, _, _ in prediction.options]
    else:
        assert prediction.low < revealed["right"] < prediction.high
    assert "more than its budget" not in revealed["happened"] + revealed["why"]


def test_the_answers_are_the_known_truths():
    assert cards("misprint", 1000)[-1]["right"] == 13_323
    assert cards("f_star_too_high", "restart")[-1]["verdict"].endswith("Right.")
    assert cards("wrong_L", "bounces")[-1]["verdict"].endswith("Right.")
    assert cards("mu0", "below")[-1]["verdict"].endswith("Right.")
    assert cards("below_rounding", "below")[-1]["verdict"].endswith("Right.")
    assert "1\u202f038" in cards("f_star_too_low", "slow")[-1]["happened"]
    assert cards("v2_or_theorem", "adapt_apg")[-1]["verdict"].endswith("Not this time.")
    assert cards("six_estimates", "auto_restart")[-1]["right"] == "adgd_accel"
    assert cards("silver", 1000)[-1]["right"] == 1103
    assert cards("cg", 100)[-1]["right"] == 79
    assert "promises 611." in cards("cg", 100)[-1]["why"]
    assert 7 < cards("gamma", 7)[-1]["right"] < 7.3


def test_the_words_follow_the_runs():
    """With other runs the answer is another one: nothing is typed in."""
    fast = pc.solve(pc.quadratic([1.0, 0.5]), "fista", iterations=200)
    answer = story_answers.misprint(dict.fromkeys(("fista", "fista_printed", "pgd"), fast))
    assert answer.right == fast.first_below(1e-6)
    right = pc.solve(pc.quadratic([1.0, 0.1]), "pgd", iterations=50)
    longer = pc.solve(pc.quadratic([1.0, 0.1], L=2.0), "pgd", iterations=50)
    other = story_answers.wrong_L({"right": right, "pgd": longer, "fista": right, "v2": fast})
    assert other.right == "slower"
    assert "exception" not in other.why
    assert "v2 is the exception" in cards("wrong_L", "bounces")[-1]["why"]
    assert story_answers.f_star_too_low({"exact": fast, "low": fast}).right == "nothing"
    cut = dataclasses.replace(fast, gap=np.full_like(fast.gap, 1.0))
    assert story_answers.f_star_too_low({"exact": fast, "low": cut}).right == "stops"
    assert story_answers.below_rounding({"v2": cut}).right == "digits"


def test_a_guess_near_mu_helps_on_either_side():
    mu0s = {each: settings.mu0 for each, settings in STORIES["mu0"].measured.items()}
    problem = pc.quadratic(pc.spectrum("log", 100, 1e4))
    took = {
        name: pc.solve(problem, "adapt_apg", iterations=8000, mu0=mu0).first_below(1e-10)
        for name, mu0 in mu0s.items()
    }
    assert took["mu"] < min(took["under"], took["over"])
    assert max(took["under"], took["over"]) < min(took["half"], took["above"])
    why = cards("mu0", "below")[-1]["why"]
    near = [number_text(took[each], 4) for each in ("under", "over")]
    assert f"(μ/2 takes {near[0]}, 2 μ takes {near[1]})" in why


def test_what_is_said_of_the_guard_holds():
    """A plain listing of algorithm 6 on the quadratic, with f* too high: without the guard and with it."""
    eigenvalues = pc.spectrum("log", 100, 1e4)

    def listing(guard, most):
        y = before = np.ones(100)
        first = eigenvalues @ y**2 / 2
        level = first - 1e-6 * first
        t = 1.0
        for k in range(1, most):
            following = (1 + np.sqrt(1 + 4 * t * t)) / 2
            x = y + (t - 1) / following * (y - before)
            before, y, t = y, x - eigenvalues * x, following
            gap = eigenvalues @ y**2 / 2
            if gap <= 1e-10 * first:
                return k
            computed = gap - 1e-6 * first
            if computed <= level and not (guard and computed < 0):
                before, t, level = y, 1.0, np.exp(-2.0) * level
        return None

    assert listing(guard=False, most=8000) is None
    why = cards("f_star_too_high", "restart")[-1]["why"]
    assert f"takes {number_text(listing(guard=True, most=4000), 4)} iterations." in why
    assert "v2 at k = 486 and AdaptAPG at k = 642" in why


def test_no_answer_tells_a_number_below_rounding():
    (settings,) = STORIES["below_rounding"].measured.values()
    (run,) = run_experiment(settings).runs
    floor = number_text(run.trace.floor / run.trace.gap[0])
    answer = story_answers.below_rounding({"v2": run.trace})
    assert answer.happened == f"It comes down to {floor} of the initial gap, where rounding takes over."
    assert floor in answer.why


def test_the_picture_of_an_answer_shows_what_is_measured():
    """The runs that an answer is made of and the curves of its picture agree."""
    for name in ("misprint", "v2_or_theorem", "wrong_L"):
        story = STORIES[name]
        drawn = {run.method: run.trace for run in run_experiment(story.after).runs}
        for key, settings in story.measured.items():
            if key in drawn:
                expected = result(measured(LABORATORY, settings, lambda: False))
                np.testing.assert_array_equal(drawn[key].gap, expected.gap)


def test_a_prediction_is_locked():
    teller = Storyteller(lambda shown: None)
    with pytest.raises(ValueError, match="No question is open"):
        teller.predict("slow")
    teller.open("f_star_too_low")
    teller.predict("slow")
    with pytest.raises(ValueError, match="locked"):
        teller.predict("nothing")
    teller.open("f_star_too_low")
    teller.predict("nothing")
    teller.leave()
    with pytest.raises(ValueError, match="No question is open"):
        teller.predict("slow")
    teller.open("figure_1")
    with pytest.raises(ValueError, match="No question is open"):
        teller.predict("slow")


@pytest.mark.parametrize("value", ["explodes", "", 3, None, float("nan"), [], {}, "x" * 10**5])
def test_a_wrong_prediction_is_refused_in_words(value):
    for name in ("f_star_too_low", "misprint"):
        teller = Storyteller(lambda shown: None)
        teller.open(name)
        if name == "misprint" and value == 3:
            value = 3e9
        with pytest.raises(
            ValueError, match=r"choose one of|is not .* number from 50|give a number from 50|must be"
        ):
            teller.predict(value)


@pytest.mark.parametrize("name", ["", "nosuch", None, 7, ["misprint"]])
def test_an_unknown_story_is_refused_in_words(name):
    with pytest.raises(ValueError, match="There is no story"):
        Storyteller(lambda shown: None).open(name)


def test_a_stale_answer_is_left_and_taken_up_again():
    shown = []
    teller = Storyteller(shown.append)
    teller.open("v2_or_theorem")
    teller.predict("restart")
    with pytest.raises(pc.Cancelled):
        result(teller.answer(Laboratory(), lambda: True))
    assert shown[-1]["stage"] == "measuring"
    result(teller.answer(LABORATORY, lambda: False))
    assert shown[-1]["stage"] == "revealed"
    before = len(shown)
    result(teller.answer(LABORATORY, lambda: False))
    assert len(shown) == before, "an answer is given once"


def while_another_works(work, stage):
    """What a page has been shown, and a storyteller; once it shows such a card, `work` goes on beside it."""
    shown, others = [], []

    def show(card):
        if card.get("stage") == stage and not others:
            others.append(threading.Thread(target=work, args=(teller,)))
            others[0].start()
            others[0].join(0.2)
        shown.append(card)

    teller = Storyteller(show)
    return shown, others, teller


def test_an_answer_that_comes_while_a_prediction_is_locked_is_shown_last():
    """On a server a card said for ever that the answer is measured."""
    shown, others, teller = while_another_works(
        lambda teller: result(teller.answer(LABORATORY, lambda: False)), "measuring"
    )
    teller.open("f_star_too_low")
    teller.predict("slow")
    others[0].join()
    assert [card["stage"] for card in shown] == ["asked", "measuring", "revealed"]


def test_no_answer_comes_to_a_story_that_is_left_meanwhile():
    shown, others, teller = while_another_works(lambda teller: teller.leave(), "revealed")
    teller.open("f_star_too_low")
    teller.predict("slow")
    drawn = run_experiment(STORIES["f_star_too_low"].after)
    for _ in teller.tell(LABORATORY, drawn, lambda: False, lambda: False):
        pass
    others[0].join()
    assert shown[-1] == {}


def test_a_guess_is_judged_by_its_factor():
    guess = STORIES["misprint"].prediction
    assert isinstance(guess, Guess)
    assert verdict(guess, 1000.0, 1100.0).endswith("close.")
    assert "too low by a factor of 10" in verdict(guess, 100.0, 1000.0)
    assert "too high by a factor of 10" in verdict(guess, 1000.0, 100.0)


def test_a_class_raises_hands_for_ranges_of_a_number():
    """They cover the slider, do not overlap, and none is so narrow that it gives the answer away."""
    for name in ("misprint", "gamma"):
        guess = STORIES[name].prediction
        assert [key for key, _ in guess.ranges] == [str(i) for i in range(len(guess.limits) + 1)]
        ends = (guess.low, *guess.limits, guess.high)
        assert list(ends) == sorted(set(ends))
        assert [guess.range_of(value) for value in ends] == ["0", "1", "2", "3", "4", "4"]
        card = cards(name, guess.low)
        assert "right" not in card[0]["guess"]
        assert card[-1]["guess"]["right"] == guess.range_of(card[-1]["right"])
    assert STORIES["gamma"].prediction.ranges[:2] == [("0", "below 2"), ("1", "2 to 5")]
