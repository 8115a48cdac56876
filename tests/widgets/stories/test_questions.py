"""The questions of the notebooks: measured once here, so that no sentence about them is a guess."""

import math
import re

import pytest
from polyak_widgets import Predict
from polyak_widgets.stories.measures import iterations_to
from polyak_widgets.stories.questions import QUESTIONS

import polyak_core as pc

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
    "silver steps": 5919,
    "five eigenvalues": 5,
    "rows": "yes",
    "one direction": "λ = L/100\u202f000",
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
    with pytest.raises(ValueError, match="There is no question 'gold'; the questions are gradient descent, "):
        Predict.named("gold")


def test_what_the_questions_take_for_granted_is_measured():
    """Every number of a question or its reason that is no round one."""
    plain, linear, sonar = (
        pc.quadratic(pc.spectrum("log", 100, 1e4)),
        "linear",
        pc.paper_problem("sonar", "lasso"),
    )
    beta = float(pc.solve(plain, "apg", 1).beta[0])
    measured = {
        "gradient descent": [iterations_to(pc.quadratic(pc.spectrum("log", 100, 1e2)), "pgd", 1e-6)],
        "ten mu": [iterations_to(plain, "apg")],
        "small gamma": [iterations_to(plain, "adapt_apg_v2", 1e-8), 0.1],
        "best gamma": [iterations_to(pc.quadratic(pc.spectrum(linear, 100, 1e4)), "adapt_apg_v2", 1e-8)],
        "too low": [iterations_to(plain, "adapt_apg_v2")],
        "too high": [iterations_to(plain, "restart", gamma=2.0)],
        "ten digits": [iterations_to(sonar, "fista")],
        "heavy ball": [iterations_to(plain, "apg")],
        "jagged": [iterations_to(sonar, "restart", 1e-8, gamma=6.939), 6.939, 8.674],
        "silver steps": [
            round(iterations_to(plain, "pgd", 1e-10), -3),
            iterations_to(plain, "apg", 1e-10),
            round(math.log2(1 + math.sqrt(2)) ** -1, 2),  # the exponent of the theorem
        ],
        "one direction": [0.98, round(((1 + 0.98) / (1 - 0.98)) ** 2)],
        "overshoot": [round(beta, 2), 150, 1.5],
        "4 mu": [1500],
        "A_k": [1000],
        "half the curvature": [1500],
        "growth": [1500],
    }
    for name, question in QUESTIONS.items():
        text = re.sub(r"10⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+", "", f"{question.question} {question.why}").replace("\u202f", "")
        numbers = {float(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)", text)}
        assert {number for number in numbers if number > 101 or number % 1} <= set(
            map(float, measured.get(name, []))
        ), name
