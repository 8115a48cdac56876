"""Eleven stories and the paper's figures: a question, a prediction, what happens, and why.

A story shows the picture `before`, takes a prediction, then shows `after` and says what happened. Every
number that it says comes from the runs in `measured`; `polyak_widgets.stories.answers` makes the words.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import pairwise

import polyak_core as pc
from polyak_widgets.numbers import number_text
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import TELLING, View
from polyak_widgets.stories import answers
from polyak_widgets.stories.answers import Answer
from polyak_widgets.stories.beside import Beside, subtracted
from polyak_widgets.stories.paper_views import PAPER_VIEWS


@dataclass(frozen=True)
class Choice:
    """One of several; each option has a key, a text and, if it is a curve, the name of its method."""

    options: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Guess:
    """A number, by a slider with equal ratios, which has no value before the reader gives it one.

    Attributes:
        low, high: the ends of the slider.
        unit: what is counted.
        whole: whether it is a whole number.
        limits: between them a class is asked to raise hands.
    """

    low: float
    high: float
    unit: str
    whole: bool = True
    limits: tuple[float, ...] = ()

    @property
    def ranges(self) -> list[tuple[str, str]]:
        """Keys and texts of the ranges between the limits, for a class that raises hands."""
        texts = [number_text(limit) for limit in self.limits]
        inner = [f"{low} to {high}" for low, high in pairwise(texts)]
        return [(str(i), text) for i, text in enumerate([f"below {texts[0]}", *inner, f"above {texts[-1]}"])]

    def range_of(self, value: float) -> str:
        """The key of the range with this value."""
        return str(bisect(self.limits, value))


@dataclass(frozen=True)
class Story:
    """One story, or a figure of the paper where there is nothing to predict.

    Attributes:
        title: a few words, for the list.
        question: what is asked, or what a figure shows.
        before, after: the picture while the question is open, and when it is answered.
        prediction: what the reader is to say first.
        measured: the runs that the answer is made of, each with one method.
        answer: from the traces of `measured` to what happened and why.
        view: how the answer is shown.
        beside: more pictures that stay beside the answer, after the one before.
    """

    title: str
    question: str
    before: Settings
    after: Settings
    _: KW_ONLY
    prediction: Choice | Guess | None = None
    measured: Mapping[str, Settings] = field(default_factory=dict)
    answer: Callable[[Mapping[str, pc.Trace]], Answer] | None = None
    view: View = field(default_factory=View)
    beside: tuple[Beside, ...] = ()

    @property
    def compared(self) -> tuple[Beside, ...]:
        """What the answer is compared with: the picture before, run as long as the one after, and more."""
        before = replace(self.before, iterations=self.after.iterations)
        return (Beside("before", before), *self.beside)

    @property
    def first_view(self) -> View:
        """How the picture is shown while the question is open.

        A closer look that runs what is asked for waits for the answer; other kinds show what is drawn.
        """
        tells = self.prediction is not None and self.view.third in TELLING
        return replace(self.view, third="momentum") if tells else self.view


def _alone(method: str, **values: object) -> Settings:
    return Settings.from_values({"methods": [method], **values})


def _curves(*methods: str) -> Choice:
    return Choice(tuple((method, pc.METHODS[method].label, method) for method in methods))


SMALL = {"n": 50, "iterations": 20_000}
SHOWN = 1e-12
"""What is asked ends at 10⁻¹⁰; far below it the axis would leave no room for that."""
FAR = {"iterations": 8000, "target": SHOWN}
LOW, HIGH = ({"f_star": side, "f_star_delta": 1e-6, **FAR} for side in ("too_low", "too_high"))
PRINTED, GUARDED = ({**HIGH, "guard": guard} for guard in ("none", "all"))
GAMMAS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
HURT = ("adapt_apg_v2", "adapt_apg", "restart")
MU0S = {"half": 0.5, "above": 1e-2, "over": 2e-4, "mu": 1e-4, "under": 5e-5, "below": 1e-6}
SONAR = _alone("adapt_apg_v2", problem="lasso", data="sonar", iterations=2000)
FOUR_ESTIMATES = ("adapt_apg_v2", "nag_free", "auto_restart", "adgd_accel")
NO_MOMENTUM = {"condition_number": 1000.0, "iterations": 8000, "target": SHOWN}
CLUSTERS = {"spectrum": "clusters", "iterations": 2500, "target": SHOWN}

STORIES: dict[str, Story] = {
    "misprint": Story(
        title="What does a missing 4 cost?",
        question="FISTA sets β = (t\u00a0−\u00a01)/t₊ with t₊ = (1\u00a0+\u00a0√(1\u00a0+\u00a04t²))/2. The "
        "paper’s listing has lost the 4. How many iterations does the method take as printed to bring the "
        "gap to 10⁻⁶ of its initial value?",
        before=Settings(n=50, methods=("fista", "pgd"), iterations=2000),
        after=Settings(n=50, methods=("fista", "fista_printed", "pgd"), iterations=20_000),
        prediction=Guess(50, 100_000, "iterations", limits=(500, 1000, 5000, 20_000)),
        measured={method: _alone(method, **SMALL) for method in ("fista", "fista_printed", "pgd")},
        answer=answers.misprint,
        view=View(third="momentum", other_scales=("gap-x",)),
    ),
    "v2_or_theorem": Story(
        title="Does the theorem win the race?",
        question="The eigenvalues lie in two clusters. AdaptAPG comes with a theorem (if μₖ falls fast "
        "enough), v2 with none; the restarted method has γ = 2. Which reaches 10⁻¹⁰ first?",
        before=Settings.from_values({"methods": ["apg", "fista"], **CLUSTERS}),
        after=Settings.from_values({"methods": ["apg", *HURT], **CLUSTERS}),
        prediction=_curves(*HURT),
        measured={method: _alone(method, **CLUSTERS) for method in ("apg", *HURT)},
        answer=answers.v2_or_theorem,
        view=View(third="components"),
    ),
    "gamma": Story(
        title="What does a wrong γ cost?",
        question=f"The restarted method has a parameter γ. For γ between {GAMMAS[0]:g} and {GAMMAS[-1]:g}: "
        "by what factor does the worst choice slow it down on its way to 10⁻¹⁰, compared with the best?",
        before=Settings(methods=("restart", "adapt_apg_v2"), iterations=2500, target=SHOWN),
        after=Settings(
            methods=("restart", "fista", "adapt_apg_v2"), gamma=0.1, iterations=10_000, target=SHOWN
        ),
        prediction=Guess(1, 100, "times", whole=False, limits=(2, 5, 10, 20)),
        measured={f"{g:g}": _alone("restart", gamma=g, iterations=10_000, target=SHOWN) for g in GAMMAS}
        | {method: _alone(method, iterations=10_000, target=SHOWN) for method in ("fista", "adapt_apg_v2")},
        answer=answers.gamma,
        view=View(third="sensitivity"),
    ),
    "mu0": Story(
        title="Does μ₀ matter?",
        question="AdaptAPG starts from an upper bound μ₀ on μ; the paper says that the choice “has no impact "
        "in practice”. Which of these is the slowest on its way to 10⁻¹⁰?",
        before=Settings(methods=("adapt_apg", "apg"), iterations=1500, target=SHOWN),
        after=Settings(methods=("adapt_apg", "apg"), mu0=1e-6, iterations=8000, target=SHOWN),
        prediction=Choice(
            (("half", "L/2", ""), ("above", "100 μ", ""), ("mu", "μ", ""), ("below", "μ/100", ""))
        ),
        measured={
            key: _alone("adapt_apg", mu0=mu0, iterations=8000, target=SHOWN) for key, mu0 in MU0S.items()
        },
        answer=answers.mu0,
        view=View(third="sensitivity", swept="mu0"),
    ),
    "f_star_too_low": Story(
        title="What if f* is a little too low?",
        question="v2 is given a value of f* that is too low, by a millionth of the initial gap. What happens "
        "on the way to 10⁻¹⁰?",
        before=Settings.from_values({"methods": ["adapt_apg_v2", "apg"], **FAR, "iterations": 1500}),
        after=Settings.from_values({"methods": ["adapt_apg_v2", "apg"], **LOW}),
        prediction=Choice(
            (
                ("diverges", "it diverges", ""),
                ("stops", "it stops at the level of the error", ""),
                ("slow", "it gets there, but slowly", ""),
                ("nothing", "nothing changes", ""),
            )
        ),
        measured={
            "exact": _alone("adapt_apg_v2", **FAR),
            "low": _alone("adapt_apg_v2", **LOW),
        },
        answer=answers.f_star_too_low,
        view=View(third="momentum"),
    ),
    "f_star_too_high": Story(
        title="What if f* is a little too high?",
        question="These three methods use f*. Suppose it is too high by a millionth of the initial gap. "
        "Which one suffers most?",
        before=Settings.from_values({"methods": list(HURT), **FAR, "iterations": 2000}),
        after=Settings.from_values({"methods": list(HURT), **HIGH}),
        prediction=_curves(*HURT),
        measured={method: _alone(method, **FAR) for method in HURT}
        | {f"{method} high": _alone(method, **HIGH) for method in HURT}
        | {f"{method} printed": _alone(method, **PRINTED) for method in HURT[:2]}
        | {"restart guarded": _alone("restart", **GUARDED)},
        answer=answers.f_star_too_high,
        view=View(third="momentum"),
        beside=(
            Beside("with a guard", _alone("restart", **GUARDED)),
            Beside("as printed", Settings.from_values({"methods": list(HURT[:2]), **PRINTED})),
        ),
    ),
    "below_rounding": Story(
        title="Does the gap stop at 10⁻¹⁶?",
        question="The computer keeps 16 digits of every number. If we let this run go on, where will its gap "
        "level off?",
        before=replace(SONAR, iterations=350),
        after=SONAR,
        prediction=Choice(
            (
                ("digits", "near 10⁻¹⁶ of the initial gap", ""),
                ("below", "far below that", ""),
                ("rises", "nowhere: it turns and rises again", ""),
            )
        ),
        measured={"v2": SONAR},
        answer=answers.below_rounding,
        view=View(third="momentum"),
        beside=(Beside("as a difference", SONAR, subtracted),),
    ),
    "wrong_L": Story(
        title="What if L is off by a factor of 2?",
        question="Someone has forgotten a factor 2: the methods are given half of the true L, so every step "
        "is twice as long. What does the proximal gradient method do?",
        before=Settings(methods=("pgd", "fista"), iterations=400),
        after=Settings(methods=("pgd", "fista", "adapt_apg_v2"), iterations=400, L_factor=0.5),
        prediction=Choice(
            (
                ("diverges", "it diverges", ""),
                ("bounces", "it bounces at one level for ever", ""),
                ("slower", "it converges, but slower", ""),
                ("faster", "it converges, even faster", ""),
            )
        ),
        measured={
            "right": _alone("pgd", iterations=400),
            "pgd": _alone("pgd", iterations=400, L_factor=0.5),
            "fista": _alone("fista", iterations=400, L_factor=0.5),
            "v2": _alone("adapt_apg_v2", iterations=400, L_factor=0.5),
        },
        answer=answers.wrong_L,
        view=View(third="components"),
    ),
    "six_estimates": Story(
        title="Which estimate of μ to trust?",
        question="Four methods estimate μ as they run. v2 takes the paper’s quotient, NAG-free the least "
        "curvature met so far, automatic restarts a bound from the fall of f between two restarts, and "
        "accelerated AdGD half of the latest curvature. Whose μₖ is farthest from μ in the last "
        f"{answers.LAST} iterations?",
        before=Settings(methods=("apg", "fista"), iterations=800),
        after=Settings(methods=FOUR_ESTIMATES, iterations=800),
        prediction=_curves(*FOUR_ESTIMATES),
        measured={method: _alone(method, iterations=800) for method in FOUR_ESTIMATES},
        answer=answers.six_estimates,
        view=View(third="estimates"),
    ),
    "silver": Story(
        title="No momentum, and still faster?",
        question="Silver steps are gradient steps without any momentum, in a fixed order that depends on κ. "
        "Some are longer than 2/L, and repeating such a step alone would diverge. With κ = 1\u202f000, how "
        "many steps bring the gap to 10⁻¹⁰ of its initial value?",
        before=Settings.from_values({"methods": ["apg", "pgd"], **NO_MOMENTUM}),
        after=Settings.from_values({"methods": ["apg", "silver_mu", "pgd"], **NO_MOMENTUM}),
        prediction=Guess(100, 20_000, "iterations", limits=(300, 1000, 3000, 7000)),
        measured={method: _alone(method, **NO_MOMENTUM) for method in ("apg", "silver_mu", "pgd")},
        answer=answers.silver,
        view=View(third="components"),
    ),
    "cg": Story(
        title="What does CG know?",
        question="Conjugate gradients are given neither L nor μ nor f*; they only multiply by the matrix. "
        "This quadratic has 100 eigenvalues and κ = 10⁴. How many iterations do they need to reach 10⁻¹⁰?",
        before=Settings(methods=("apg", "adapt_apg_v2")),
        after=Settings(methods=("apg", "adapt_apg_v2", "cg")),
        prediction=Guess(10, 2000, "iterations", limits=(50, 100, 200, 500)),
        measured={method: _alone(method) for method in ("apg", "cg")},
        answer=answers.cg,
        view=View(third="components"),
    ),
} | {
    name: Story(each.title, each.text, each.settings, each.settings, view=each.view)
    for name, each in PAPER_VIEWS.items()
}
