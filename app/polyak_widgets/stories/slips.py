"""The usual wrong answer in each scene of the lecture, why it is given, and what goes on the board."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import polyak_core as pc
from polyak_widgets.numbers import count_text, number_text
from polyak_widgets.stories.answers import DEEP, MIDDLE, Traces, steps


class Slip(NamedTuple):
    """A usual wrong answer.

    Attributes:
        wrong: what people say.
        because: why they say it, and what they overlook.
        board: lines that a lecturer writes while explaining.
    """

    wrong: str
    because: str
    board: tuple[str, ...]


def slip_on_first_picture(traces: Traces) -> Slip:
    """How much κ costs."""
    return Slip(
        "Ten times for both.",
        "κ is taken for the difficulty of the problem as such. It measures how far apart the curvatures are, "
        "and with momentum only its root counts.",
        (
            "κ = L/μ",
            "gradient: gap ≤ (1 − μ/L)ᵏ × initial gap",
            "APG: gap ≤ (1 − √(μ/L))ᵏ × (initial gap + μ/2 ‖x₀ − x*‖²)",
            "on a quadratic with errors dᵢ: gap = ½ Σ λᵢ dᵢ², and a gradient step multiplies dᵢ by 1 − λᵢ/L",
        ),
    )


def slip_on_fista_or_apg(traces: Traces) -> Slip:
    """FISTA against the method that is given μ."""
    fixed = float(traces["apg"].beta[-1])
    later = int(np.argmax(traces["fista"].beta > fixed))
    return Slip(
        "APG is ahead from the first iteration on, because it knows more.",
        f"APG has its whole momentum β = {number_text(fixed, 3)} at once, which suits the slowest direction. "
        f"The momentum of FISTA begins at 0 and passes that of APG at k = {count_text(later)}: with little "
        "momentum the other directions lose their errors sooner, with too much momentum the slow ones "
        "overshoot.",
        (
            "APG: β = (1 − √(μ/L))/(1 + √(μ/L))",
            "FISTA: βₖ = (tₖ − 1)/tₖ₊₁, about 1 − 3/k",
            "ripples: β is larger than the best one for μ",
        ),
    )


def slip_on_misprint(traces: Traces) -> Slip:
    """The 4 that the listing has lost."""
    right, printed, plain = (steps(traces[m], MIDDLE) for m in ("fista", "fista_printed", "pgd"))
    return Slip(
        f"About {count_text(int(right))}, as many as with the 4.",
        "The 4 is taken for a constant in front of a rate. But it decides whether t grows: with it t grows "
        "by ½ or more in every iteration, without it t stops at 4/3 and the momentum at 1/4. A constant "
        "momentum β makes one gradient step worth 1/(1 − β) = 4/3 of them, no more: "
        f"{count_text(int(printed))} is {number_text(printed / plain)} times the {count_text(int(plain))} of "
        "the proximal gradient method.",
        (
            "without the 4: t = (1 + √(1 + t²))/2 ⟺ (2t − 1)² = 1 + t² ⟺ t = 4/3",
            "β = (t − 1)/t = 1/4",
            "with the 4: t₊ ≥ t + ½, so β tends to 1",
        ),
    )


def slip_on_estimate(traces: Traces) -> Slip:
    """Where the estimate of μ stays."""
    return Slip(
        "It falls below μ as soon as the gradient happens to be small.",
        "Where the gradient is small the gap is small too. Their quotient is a mean of the eigenvalues, and "
        "no mean lies below the smallest of them.",
        (
            "ψ = 0: μ̂(y) = ‖∇f(y)‖² / (2 (f(y) − f*))",
            "on a quadratic with errors dᵢ: μ̂ = Σ λᵢ² dᵢ² / Σ λᵢ dᵢ², so μ ≤ μ̂ ≤ L",
            "μₖ = min(μ̂(y₀), …, μ̂(yₖ)); v2 puts it into β in place of μ",
        ),
    )


def slip_on_v2_or_theorem(traces: Traces) -> Slip:
    """A proof is taken for speed."""
    behind = steps(traces["adapt_apg"], DEEP) / steps(traces["adapt_apg_v2"], DEEP)
    return Slip(
        "AdaptAPG, because it comes with a theorem.",
        "A theorem bounds the worst problem and measures nothing on this one. Besides, it asks that μₖ falls "
        "faster than it does in this run. AdaptAPG needs "
        f"{number_text(behind)} times the iterations of v2.",
        (
            "both: μₖ = the smallest estimate so far",
            "v2: βₖ = (1 − √(μₖ/L))/(1 + √(μₖ/L)), the newest μₖ alone",
            "AdaptAPG: sₖ₊₁ = (1 − τₖ) sₖ + τₖ μₖ with τₖ = √(μₖ/L), a mean of all μᵢ so far",
            "the theorem needs μₖ − μ ≤ C/(k + 1)² with a small C",
        ),
    )


def slip_on_gamma(traces: Traces) -> Slip:
    """A parameter is taken for a fine adjustment."""
    restarts = {key: int(traces[key].restarted[: _there(traces[key])].sum()) for key in ("0.1", "20")}
    middle = count_text(int(steps(traces["2"], DEEP)))
    return Slip(
        "Two or three times at most.",
        "γ is taken for a fine adjustment. It says how far the gap must fall before the momentum is thrown "
        f"away: on the way to 10⁻¹⁰ that happens {count_text(restarts['0.1'])} times with γ = 0.1 and "
        f"{_times(restarts['20'])} with γ = 20.",
        (
            "restart when gap ≤ level, then level becomes exp(−γ) × level",
            "by FISTA’s bound that takes about 2 √κ exp(γ/2) iterations",
            "to 10⁻¹⁰: ln(10¹⁰)/γ = 23/γ restarts, so exp(γ/2)/γ decides: least at γ = 2",
            f"measured: γ = 2 takes {middle} iterations; the bound does not know the best γ of this problem",
        ),
    )


def slip_on_mu0(traces: Traces) -> Slip:
    """The distance is taken for what counts."""
    half, above = (count_text(int(steps(traces[key], DEEP))) for key in ("half", "above"))
    return Slip(
        "L/2, because it is the farthest from μ.",
        "What counts is the side and not the distance. The running minimum replaces a μ₀ that is too high by "
        f"the first estimate below it, so L/2 and 100 μ take nearly the same number, {half} and {above}. A "
        "μ₀ that is too low is never replaced.",
        (
            "μₖ = min(μ₀, μ̂(y₀), …, μ̂(yₖ)) and μ̂ ≥ μ",
            "μ₀ > μ: replaced. μ₀ < μ: stays for ever",
            "μₖ too small: β too near 1, the gap ripples",
        ),
    )


def slip_on_f_star_too_low(traces: Traces) -> Slip:
    """An error of f* is taken for an error of the limit."""
    return Slip(
        "It stops at the level of the error, at 10⁻⁶ of the initial gap.",
        "The value of f* enters the estimate of μ and nothing else. Each step is a gradient step as before, "
        "so the method goes on; what it loses is the right momentum.",
        (
            "f* − δ in place of f*: μ̂ = ‖∇f‖² / (2 (f − f* + δ))",
            "f − f* far below δ: μ̂ tends to 0, and β to 1",
        ),
    )


def slip_on_f_star_too_high(traces: Traces) -> Slip:
    """How often f* is used is taken for what counts."""
    exact, high = (count_text(int(steps(traces[key], DEEP))) for key in ("adapt_apg_v2", "adapt_apg_v2 high"))
    return Slip(
        "Adaptive v2, because it uses f* in every iteration.",
        "What counts is what a negative gap does to the method. Here v2 refuses an estimate that comes from "
        f"one and keeps the μₖ it has: {high} iterations instead of {exact}. To the test of the restarted "
        "method a negative gap is a small one, and so it restarts in every iteration.",
        (
            "f* + δ in place of f*: the computed gap f − f* − δ is negative once f − f* < δ",
            "restart when gap ≤ level: a negative gap always is, so t = 1 and β = 0 in every iteration",
            "algorithms 3 and 4 as printed: √ of a negative number",
        ),
    )


def slip_on_below_rounding(traces: Traces) -> Slip:
    """The digits of a number are taken for its size."""
    return Slip(
        "Near 10⁻¹⁶, because a number has 16 digits.",
        "A small number has 16 digits as well. Digits are lost where two nearly equal numbers are "
        "subtracted, and here that is not done: the method carries d = y − x* itself.",
        (
            "f(y) − f* from two stored values: an error of 10⁻¹⁶ f*",
            "with d = y − x*: f(y) − f* = ½ ‖A d‖² + (ψ above its tangent at x*)",
            "no term is negative, so none cancels another",
        ),
    )


def slip_on_wrong_L(traces: Traces) -> Slip:
    """The step of the proof is taken for the limit."""
    last = len(traces["fista"]) - 1
    return Slip(
        "It diverges, because the step is longer than 1/L.",
        "1/L is the step that the proof takes. The gradient method converges with every step below 2/L; at "
        "2/L the fastest direction keeps its size. Only with momentum is the limit nearer, 4/3 of 1/L for β "
        f"near 1, and FISTA has diverged after {count_text(last)} iterations.",
        (
            "step 1/M: dᵢ becomes (1 − λᵢ/M) dᵢ, and |1 − λ/M| < 1 ⟺ λ < 2 M",
            "M = L/2 and λ = L: the factor is −1",
            "with momentum: d₊ = (1 − λ/M) ((1 + β) d − β d₋) has the root −1 at λ/M = (2 + 2β)/(1 + 2β)",
            "that is 2 for β = 0 and 4/3 for β = 1",
        ),
    )


def slip_on_six_estimates(traces: Traces) -> Slip:
    """What is proven for the worst problem is taken for inexact."""
    loose = traces["auto_restart"].mu[-1] / traces["adapt_apg_v2"].mu[-1]
    return Slip(
        "Automatic restarts, because they never ask for f*.",
        "How far f falls is known without f*, which drops out of the difference; but the bound that follows "
        f"from it is loose: it ends at {number_text(float(loose))} times the estimate of v2, and keeps what "
        "it has. Half of the curvature that was just met comes nearer to μ at times, but leaves it again, "
        "and nobody can tell when it is near.",
        (
            "bounds, where ψ = 0: ‖g‖²/(2 (f − f*)) ≥ μ, and ‖g − g₋‖/‖y − y₋‖ ≥ μ",
            "a bound may be kept: the least of several bounds is one",
            "½ ‖g − g₋‖/‖y − y₋‖ ≥ μ/2, no more",
        ),
    )


def slip_on_silver(traces: Traces) -> Slip:
    """What diverges when it is repeated is taken for useless."""
    trace = traces["silver_mu"]
    share = number_text(100 * float((np.diff(trace.gap) > 0).mean()), 2)
    return Slip(
        "Never: a step longer than 2/L diverges.",
        "That is true of a step that is repeated. Between short steps a long one does no lasting harm: "
        f"the gap rises in {share} % of the steps, and the next ones bring it down again.",
        (
            "step h/L: dᵢ becomes (1 − h λᵢ/L) dᵢ",
            "after n steps: the product of all n factors",
            "h > 2 alone: |1 − h| > 1 at λ = L; with h near 1 beside it the product is small",
        ),
    )


def slip_on_cg(traces: Traces) -> Slip:
    """κ is taken for all that counts."""
    return Slip(
        f"About {count_text(int(steps(traces['apg'], DEEP)))}, because κ decides.",
        "κ gives a bound for the worst spectrum. CG is not a fixed rule: it adapts to the spectrum at hand, "
        "and needs no more steps than there are different eigenvalues.",
        (
            "yₖ is the best point of x₀ + span of all gradients so far",
            "gap ≤ min over polynomials p, p(0) = 1, of max p(λᵢ)² × initial gap",
            "m different eigenvalues: p of degree m that is 0 at each of them",
        ),
    )


def slip_on_figure_4(traces: Traces) -> Slip:
    """The classical rival is taken for the best."""
    restart = traces["restart"]
    left = number_text(float(restart.gap[-1] / restart.gap[0]))
    return Slip(
        "The restarted method, because it has a proven rate too.",
        "Its rate hides a factor that depends on γ, and nobody has tuned γ = 2 for this problem: after "
        f"{count_text(len(restart) - 1)} iterations it is at {left} of the initial gap.",
        (
            "what each method needs:",
            *(f"{pc.METHODS[name].label}: {needs(name)}" for name in traces),
        ),
    )


def needs(method: str) -> str:
    """What a method must be given, in the signs of the board."""
    signs = {"mu": "μ", "mu_0": "μ₀", "f_star": "f*", "gamma": "γ"}
    return ", ".join(signs.get(each, each) for each in pc.METHODS[method].needs)


def _there(trace: pc.Trace) -> int | None:
    k = trace.first_below(DEEP)
    return None if k is None else k + 1


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{count_text(number)} times")
