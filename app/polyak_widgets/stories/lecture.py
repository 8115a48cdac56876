"""The lecture: what is on the screen for how many minutes, what is asked there, and the lecturer's key to it.

A scene is a story, or a picture with a question for which the page has no card. Its answer and the usual
wrong one are made of the same runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

import polyak_core as pc
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.numbers import count_text, list_text, number_text, power_text
from polyak_widgets.settings.settings import Settings
from polyak_widgets.stories import slips
from polyak_widgets.stories.answers import DEEP, MIDDLE, Answer, Traces, steps
from polyak_widgets.stories.paper_views import PAPER_VIEWS
from polyak_widgets.stories.slips import Slip
from polyak_widgets.stories.stories import STORIES, Story

LENGTHS = (45, 90)
"""Minutes of the two lectures."""
SLOW, MANY = 100, 1000
"""Two condition numbers, for the question of the first picture."""


@dataclass(frozen=True)
class Scene:
    """What is on the screen for some minutes.

    Attributes:
        story: the picture, the question and its answer; with a card on the page where it is one of `STORIES`.
        aim: what the class is to take home.
        minutes: how long it takes in the lectures of `LENGTHS`, 0 where it is left out.
        slip: the usual wrong answer, from the same runs.
    """

    story: Story
    aim: str
    minutes: tuple[int, int]
    slip: Callable[[Traces], Slip]


class Lesson(NamedTuple):
    """A scene with its numbers: the right answer and the usual wrong one."""

    scene: Scene
    answer: Answer
    slip: Slip


def _alone(method: str, **values: object) -> Settings:
    return Settings.from_values({"methods": [method], **values})


def _each(settings: Settings) -> dict[str, Settings]:
    """The runs of a picture one by one."""
    return {method: replace(settings, methods=(method,)) for method in settings.methods}


def _a_factor_e(trace: pc.Trace) -> float:
    """Iterations in which the gap falls by a factor e, late in the run."""
    return (steps(trace, DEEP) - steps(trace, MIDDLE)) / float(np.log(MIDDLE / DEEP))


def _first_picture(traces: Traces) -> Answer:
    took = {key: _a_factor_e(trace) for key, trace in traces.items()}
    pgd, apg = (took[f"{method} {MANY}"] / took[f"{method} {SLOW}"] for method in ("pgd", "apg"))
    each = {key: number_text(number) for key, number in took.items()}
    return Answer(
        pgd,
        f"{number_text(pgd)} times for the proximal gradient method, {number_text(apg)} times for APG. For a "
        f"factor e the gradient method takes {each[f'pgd {SLOW}']} and {each[f'pgd {MANY}']} iterations, "
        f"APG {each[f'apg {SLOW}']} and {each[f'apg {MANY}']}.",
        "The numbers are about κ/2 and √κ/2. The theorems say κ and √κ; on a quadratic the gap falls like "
        "the square of the errors, so half as many are enough.",
    )


def _fista_or_apg(traces: Traces) -> Answer:
    apg, fista = traces["apg"], traces["fista"]
    ahead = [power for power in range(1, 11) if steps(fista, 10.0**-power) < steps(apg, 10.0**-power)]
    early = [count_text(int(steps(trace, 1e-2))) for trace in (fista, apg)]
    late = [count_text(int(steps(trace, DEEP))) for trace in (fista, apg)]
    return Answer(
        "no",
        f"No: FISTA is ahead down to {power_text(-max(ahead))}. It reaches 10⁻² after {early[0]} iterations, "
        f"APG after {early[1]}. Then it falls behind: to 10⁻¹⁰ it takes {late[0]}, APG {late[1]}.",
        "The best momentum for the slowest direction is not the best one for the others, and these make up "
        "most of the gap at first.",
    )


def _estimate(traces: Traces) -> Answer:
    mu = traces["v2"].mu
    here, times = ([number_text(float(mu[k] * k**n)) for k in (10, 100)] for n in (0, 2))
    kappa = Settings().condition_number
    low = float(mu.min() * kappa)
    return Answer(
        "no",
        f"μₖ is {here[0]} L at k = 10 and {here[1]} L at k = 100. It ends at "
        f"{number_text(float(mu[-1] * kappa), 4)} μ and is {'never' if low >= 1 else 'also'} below μ.",
        "After k accelerated steps the errors along eigenvalues far above L/k² are gone, and so the mean is "
        f"of that order until it meets μ: μₖ k²/L is {times[0]} and {times[1]} at these two. It is so where "
        "the eigenvalues are dense on a logarithmic axis, as here; see docs/estimate.md.",
    )


def _figure_4(traces: Traces) -> Answer:
    took = {method: steps(trace, DEEP) for method, trace in traces.items()}
    order = sorted((m for m in took if m != "apg" and np.isfinite(took[m])), key=took.__getitem__)
    late = [pc.METHODS[method].label for method in took if not np.isfinite(took[method])]
    others = ", ".join(f"{pc.METHODS[m].label} after {count_text(int(took[m]))}" for m in order[1:])
    last = count_text(len(traces["apg"]) - 1)
    return Answer(
        order[0],
        f"{pc.METHODS[order[0]].label}, after {count_text(int(took[order[0]]))} iterations; {others}. APG, "
        f"which is given μ, takes {count_text(int(took['apg']))}. {list_text(late)} have not got there after "
        f"{last}.",
        "On data nobody knows μ or the best γ. What the paper claims of such runs and what comes out is in "
        "docs/findings.md.",
    )


def _picture(
    title: str,
    question: str,
    settings: Settings,
    measured: dict[str, Settings],
    answer: Callable[[Traces], Answer],
) -> Story:
    """A picture with a question that the lecturer asks."""
    return Story(title, question, settings, settings, measured=measured, answer=answer)


FIRST = _picture(
    "The first picture",
    f"κ grows from {SLOW} to {count_text(MANY)}. By what factor do the iterations of the proximal gradient "
    "method grow, and by what factor those of APG?",
    Settings(),
    {
        f"{method} {kappa}": _alone(method, condition_number=kappa, iterations=10_000)
        for method in ("pgd", "apg")
        for kappa in (SLOW, MANY)
    },
    _first_picture,
)
TWO = Settings(methods=("apg", "fista"))
FISTA_OR_APG = _picture(
    "With μ and without",
    "APG is given μ, FISTA is not. Is APG ahead of FISTA from the first iteration on?",
    TWO,
    _each(replace(TWO, iterations=10_000)),
    _fista_or_apg,
)
ESTIMATE = _picture(
    "An estimate of μ",
    "The adaptive methods bound μ from above by μₖ. How large is it after 10 and after 100 iterations, and "
    "can it fall below μ?",
    Settings(methods=("adapt_apg", "adapt_apg_v2")),
    {"v2": _alone("adapt_apg_v2", iterations=2000)},
    _estimate,
)
FIGURE_4 = replace(
    STORIES["figure_4"],
    question="Least squares on Sonar. Which of the methods that are not given μ reaches 10⁻¹⁰ first?",
    measured=_each(PAPER_VIEWS["figure_4"].settings),
    answer=_figure_4,
)

SCENES: dict[str, Scene] = {
    "first_picture": Scene(
        FIRST,
        "The gap on a logarithmic axis: a straight line is a linear rate. Momentum needs √κ where gradient "
        "descent needs κ. Move κ with Controls and let the class see it.",
        (5, 8),
        slips.slip_on_first_picture,
    ),
    "fista_or_apg": Scene(
        FISTA_OR_APG,
        "Momentum must fit μ. FISTA does without μ: it is ahead at first, and then it ripples.",
        (4, 6),
        slips.slip_on_fista_or_apg,
    ),
    "misprint": Scene(
        STORIES["misprint"],
        "One lost digit can cost the acceleration, and a plot that stops early hides it.",
        (5, 8),
        slips.slip_on_misprint,
    ),
    "estimate": Scene(
        ESTIMATE,
        "Every gradient gives an upper bound on μ. Look at the right panel, which has two logarithmic axes.",
        (5, 10),
        slips.slip_on_estimate,
    ),
    "v2_or_theorem": Scene(
        STORIES["v2_or_theorem"],
        "A proven rate is no promise of speed, and a method without one may be the faster.",
        (5, 8),
        slips.slip_on_v2_or_theorem,
    ),
    "gamma": Scene(
        STORIES["gamma"],
        "The restarted method is as good as its γ: a method that needs a good guess has moved the problem.",
        (5, 8),
        slips.slip_on_gamma,
    ),
    "mu0": Scene(
        STORIES["mu0"],
        "A running minimum forgets a value that was too high, but never one that was too low.",
        (0, 6),
        slips.slip_on_mu0,
    ),
    "f_star_too_low": Scene(
        STORIES["f_star_too_low"],
        "A small error of f* costs the right momentum; the method still converges.",
        (0, 7),
        slips.slip_on_f_star_too_low,
    ),
    "f_star_too_high": Scene(
        STORIES["f_star_too_high"],
        "All these methods need f*, and a wrong value harms them in different ways.",
        (5, 8),
        slips.slip_on_f_star_too_high,
    ),
    "below_rounding": Scene(
        STORIES["below_rounding"],
        "What a computer can know of a gap depends on how the gap is computed.",
        (0, 7),
        slips.slip_on_below_rounding,
    ),
    "wrong_L": Scene(
        STORIES["wrong_L"],
        "L must be right, too: how long a step may be depends on the momentum.",
        (5, 7),
        slips.slip_on_wrong_L,
    ),
    "six_estimates": Scene(
        STORIES["six_estimates"],
        "The least of several bounds is a bound; the least of several measurements is not.",
        (0, 0),
        slips.slip_on_six_estimates,
    ),
    "silver": Scene(
        STORIES["silver"],
        "Momentum is one way to be fast, and the order of the steps is another.",
        (0, 0),
        slips.slip_on_silver,
    ),
    "cg": Scene(
        STORIES["cg"],
        "What no method that uses gradients can beat, and why it is only for quadratics.",
        (0, 0),
        slips.slip_on_cg,
    ),
    "figure_4": Scene(
        FIGURE_4,
        "Real data, and the conclusion: what each method needs, and what it is worth.",
        (6, 7),
        slips.slip_on_figure_4,
    ),
}  # fmt: skip
ASKING_SCENES = tuple(name for name, scene in SCENES.items() if scene.story.prediction)
"""The scenes that ask for a prediction, as the answer sheet numbers them."""
HANDED_OUT = tuple(name for name in ASKING_SCENES if any(SCENES[name].minutes))
"""Those of the lectures, with the same numbers: two sheets of paper."""


def timetable(length: int) -> Iterator[tuple[int, int, str]]:
    """From which minute to which each scene of a lecture is on the screen, and its name."""
    place = LENGTHS.index(length)
    on_wall = [(name, scene.minutes[place]) for name, scene in SCENES.items() if scene.minutes[place]]
    ends = accumulate((minutes for _, minutes in on_wall), initial=0)
    for (name, _), (start, end) in zip(on_wall, pairwise(ends), strict=True):
        yield start, end, name


@cache
def lessons() -> Mapping[str, Lesson]:
    """The scenes with their numbers, which takes some seconds the first time: all runs are made here."""
    return {name: _lesson(scene) for name, scene in SCENES.items()}


def _lesson(scene: Scene) -> Lesson:
    assert scene.story.answer is not None
    traces = scene_traces(scene)
    return Lesson(scene, scene.story.answer(traces), scene.slip(traces))


def scene_traces(scene: Scene) -> Traces:
    """The runs that the numbers of a scene come from, each to its end."""
    return {key: _trace(settings) for key, settings in scene.story.measured.items()}


def _trace(settings: Settings) -> pc.Trace:
    (run,) = run_experiment(settings).runs
    assert run.trace is not None, run.refusal
    return run.trace
