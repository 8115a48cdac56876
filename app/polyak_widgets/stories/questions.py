"""The questions of the notebooks: two for each, measured when the reader has predicted."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import polyak_core as pc
from polyak_core.theory import accelerated_rate
from polyak_widgets.stories.measures import (
    beside,
    best_gamma,
    bound_holds,
    first,
    fista_passes,
    flipped,
    heavy_ball,
    iterations_to,
    kappa,
    least_estimate_is_below,
    mu_after,
    quadratic,
    rows_are_single_runs,
    rule_below_mu,
    schedule,
    slowest_direction,
    sonar,
    who_stops,
    wrong_f_star,
    yes,
)

TIMES = "times"
YES_NO = ("yes", "no")


class Question(NamedTuple):
    """What `polyak_widgets.Predict` is made with, in its order.

    Attributes:
        question: what is asked.
        options: texts, or the two ends of a slider.
        answer: measures the right answer.
        why: the reason, in a sentence or two.
        unit: of a number.
    """

    question: str
    options: tuple[str, ...] | tuple[float, float]
    answer: Callable[[], str | float]
    why: str
    unit: str = "iterations"


QUESTIONS: dict[str, Question] = {
    "gradient descent": Question(
        "Gradient descent needs 367 iterations to 10⁻⁶ of the initial gap for κ = 100. How many does it need "
        "for κ = 10⁴?",
        (100, 1e6),
        lambda: iterations_to(quadratic(1e4), "pgd", 1e-6),
        "In the tail it needs a hundred times as many; the start costs about the same for every κ.",
    ),
    "momentum": Question(
        "And APG, which is given μ? By what factor do its iterations to 10⁻⁶ grow from κ = 100 to κ = 10⁴?",
        (1, 1000),
        lambda: iterations_to(quadratic(1e4), "apg", 1e-6) / iterations_to(quadratic(1e2), "apg", 1e-6),
        "√κ grows by 10, and so do the iterations in the tail; the start costs about the same.",
        TIMES,
    ),
    "after 100": Question(
        "κ = 10⁴. μₖ begins near L, that is at 10⁴ μ. How many times μ is it after 100 iterations of v2?",
        (1, 1e4),
        lambda: mu_after(100),
        "It falls like L/k² until it meets μ.",
        TIMES,
    ),
    "below": Question(
        "Can the estimate μ̂(y) of a quadratic be smaller than μ?",
        YES_NO,
        lambda: yes(least_estimate_is_below()),
        "It is a weighted mean of the eigenvalues, and no weight is negative.",
    ),
    "ten mu": Question(
        "APG takes 824 iterations to 10⁻¹⁰ with the true μ. How many does it take with 10 μ?",
        (500, 1e5),
        lambda: iterations_to(quadratic(), "apg", mu=10 * quadratic().mu),
        "With 10 μ there is too little momentum. With μ/10 there is too much, and that costs less.",
    ),
    "schedule": Question(
        "Algorithm 3 with μ₀ = L/2 is given a schedule for μₖ. With which of these is it the fastest?",
        ("the exact μ at once", "the largest C that is admitted", "10⁵ times that C"),
        lambda: first(
            {
                "the exact μ at once": schedule(0.0),
                "the largest C that is admitted": schedule(1.0),
                "10⁵ times that C": schedule(1e5),
            }
        ),
        "A larger C gives later points more weight against the beginning, which μ₀ = L/2 weighs too much.",
    ),
    "small gamma": Question(
        "v2 takes 759 iterations to 10⁻⁸. How many does the restarted method take with γ = 0.1?",
        (100, 1e5),
        lambda: iterations_to(quadratic(), "restart", 1e-8, gamma=0.1),
        "It restarts before its momentum has built up.",
    ),
    "best gamma": Question(
        "On evenly spaced eigenvalues, v2 takes 490 iterations to 10⁻⁸. Is restart with the best γ faster?",
        YES_NO,
        lambda: yes(best_gamma("linear") < iterations_to(quadratic(kind="linear"), "adapt_apg_v2", 1e-8)),
        "But the best γ is known only after many runs, and it is another one for other spectra.",
    ),
    "too low": Question(
        "v2 takes 1\u202f038 iterations to 10⁻¹⁰. How many does it take if the given f* is too low by 10⁻⁶ "
        "of the initial gap?",
        (500, 1e6),
        lambda: wrong_f_star("adapt_apg_v2", -1),
        "The gap that v2 computes stays too large, so μ̂ becomes too small.",
    ),
    "too high": Question(
        "Restart with γ = 2 takes 1\u202f854 iterations to 10⁻¹⁰. How many does it take if the given f* is "
        "too high by as much?",
        (500, 1e6),
        lambda: wrong_f_star("restart", 1, gamma=2.0),
        "Once the gap is below the error, every level seems to be reached, so it restarts at every "
        "iteration.",
    ),
    "two digits": Question(
        "LASSO on Sonar: which of these reaches 10⁻² of the initial gap first?",
        ("FISTA", "v2", "AdaptAPG"),
        lambda: first(
            {
                name: iterations_to(sonar("lasso"), method, 1e-2)
                for name, method in (("FISTA", "fista"), ("v2", "adapt_apg_v2"), ("AdaptAPG", "adapt_apg"))
            }
        ),
        "For two digits FISTA is enough: it needs neither μ nor f*.",
    ),
    "ten digits": Question(
        "FISTA takes 1\u202f542 iterations to 10⁻¹⁰ on the same problem. How many does v2 take?",
        (50, 1e5),
        lambda: iterations_to(sonar("lasso"), "adapt_apg_v2"),
        "Near x* only the coordinates that are not 0 matter, and along these the curvature is far above μ.",
    ),
    "units": Question(
        "Least squares on Sonar: by what factor does κ fall when its columns are standardised, and not only "
        "centred?",
        (1, 1e4),
        lambda: kappa("center") / kappa("standardize"),
        "The columns vary by different amounts; once standardised, they all have standard deviation 1.",
        TIMES,
    ),
    "labels": Question(
        "Least squares on Sonar: is the condition number the same for labels 0 and 1 as for −1 and 1?",
        YES_NO,
        lambda: yes(sonar("least_squares").condition_number == flipped().condition_number),
        "κ is that of AᵀA, and the labels are not in it.",
    ),
    "heavy ball": Question(
        "APG takes 824 iterations to 10⁻¹⁰. The heavy ball with step 1/L shrinks each error by 1 − √(μ/L), "
        "too. Is it quicker?",
        ("quicker", "as quick", "slower"),
        lambda: beside(heavy_ball(), iterations_to(quadratic(), "apg")),
        "It shrinks all errors at the same rate; APG shrinks those along larger eigenvalues faster.",
    ),
    "given": Question(
        "A method of your own is a generator. Who decides when it stops?",
        ("the generator", "the solver"),
        who_stops,
        "It yields iterates for ever; the solver watches the target, the budget and divergence.",
    ),
    "jagged": Question(
        "On the LASSO of Sonar, γ = 6.939 takes 267 iterations to 10⁻⁸. How many does γ = 8.674 take?",
        (100, 10_000),
        lambda: iterations_to(sonar("lasso"), "restart", 1e-8, gamma=8.674),
        "The curve is jagged: whether a level lies just above the target is luck.",
    ),
    "rows": Question(
        "24 values of γ step together as the rows of one array. Are their gaps the same numbers as in 24 "
        "single runs?",
        YES_NO,
        lambda: yes(rows_are_single_runs()),
        "Each row goes through the same operations, in the same order.",
    ),
    "one direction": Question(
        "β = 0.98. Which directions need the most iterations for a factor e?",
        ("λ = L/10", "λ = L/100", "λ = L/1000", "λ = L/100\u202f000"),
        slowest_direction,
        "To the right of λ* = L/9801 the curve is nearly flat; to the left it rises.",
    ),
    "overshoot": Question(
        "κ = 10⁴. After how many iterations does FISTA’s momentum exceed that of the true μ, 0.980?",
        (10, 10_000),
        fista_passes,
        "1 − 3/k = 1 − 2√(μ/L) at k = 1.5 √κ = 150: from there on it overshoots, and ripples.",
    ),
    "A_k": Question(
        "κ = 10⁴. The bound is a constant divided by Aₖ. How large is Aₖ after 1\u202f000 iterations?",
        (10, 1e6),
        lambda: 1 / float(accelerated_rate(quadratic(), 1000)),
        "Aₖ = (1 − √(μ/L))⁻ᵏ grows by a factor e every √κ = 100 iterations.",
        TIMES,
    ),
    "4 mu": Question(
        "The method is given 4 μ, and the bound is computed with 4 μ too. Does it still hold after "
        "1\u202f500 iterations?",
        YES_NO,
        lambda: yes(bound_holds(4.0)),
        "The bound falls twice as fast as that of the true μ, and the gap does not follow.",
    ),
    "half the curvature": Question(
        "κ = 10⁴, and v2 makes 1\u202f500 iterations. Which of the six estimates falls below μ on the way?",
        ("none", "growth between restarts", "least curvature", "half the curvature just met"),
        rule_below_mu,
        "The curvature along one step is μ once only the slowest direction is left, and half of that lies "
        "below μ.",
    ),
    "growth": Question(
        "κ = 10⁴. Automatic restarts derive a bound on μ from how far f falls between two restarts. By "
        "what factor is it above μ after 1\u202f500 iterations?",
        (1, 1000),
        lambda: float(pc.solve(quadratic(), "auto_restart", 1500).mu[-1]) * 1e4,
        "It rests on the bound for FISTA, which holds for the worst problem. On others f falls faster, so "
        "the estimate is too large.",
        TIMES,
    ),
    "silver steps": Question(
        "Silver steps are gradient steps without momentum, of many lengths. For κ = 10⁴ gradient descent "
        "needs some 59\u202f000 iterations to 10⁻¹⁰ of the initial gap, and APG 824. How many do they need?",
        (100, 1e6),
        lambda: iterations_to(quadratic(1e4), "silver_mu", 1e-10),
        "They need of the order of κ to the power of 0.79: more than √κ, and far fewer than κ.",
    ),
    "five eigenvalues": Question(
        "A quadratic has 100 eigenvalues, of which five are distinct, and κ = 100. How many steps does CG "
        "need to 10⁻¹⁰ of the initial gap?",
        (1, 1000),
        lambda: iterations_to(pc.quadratic(20 * [1, 0.5, 0.2, 0.1, 0.01]), "cg", 1e-10),
        "A polynomial of degree five can be 0 at all five eigenvalues, and CG finds it.",
    ),
}
"""By name; the notebooks ask them by `polyak_widgets.Predict.named`."""
