"""The questions of the notebooks: measured once here, so that no sentence about them is a guess."""

import pytest
from polyak_widgets import Predict
from polyak_widgets.stories.questions import QUESTIONS

MEASURED = {
    "gradient descent": 17_349,
    "momentum": pytest.approx(7.17, abs=0.01),
    "after 100": pytest.approx(5.32, abs=0.01),
    "below": "no",
    "ten mu": 3537,
    "schedule": "10⁵ times that C",
    "small gamma": 5412,
    "best gamma": "yes",
    "too low": 5950,
    "too high": 42_814,
    "two digits": "FISTA",
    "ten digits": 394,
    "units": pytest.approx(52.1, abs=0.1),
    "labels": "yes",
    "heavy ball": "slower",
    "given": "the solver",
    "jagged": 494,
    "rows": "yes",
    "one direction": "λ = L/100 000",
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_answer_is_measured_and_one_of_those_that_are_offered(name):
    question = QUESTIONS[name]
    right = question.answer()
    if isinstance(question.options[0], str):
        assert right in question.options
    else:
        low, high = question.options
        assert low < right < high
    if name in MEASURED:
        assert right == MEASURED[name]
    if name == "overshoot":
        assert right == pytest.approx(150, rel=0.05)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_card_gives_nothing_away(name):
    card = Predict.named(name)
    assert set(card.story) <= {"name", "title", "question", "stage", "options", "guess"}


def test_an_unknown_question_is_refused():
    with pytest.raises(ValueError, match="There is no question 'gold'; there are gradient descent, "):
        Predict.named("gold")
