"""What happened in a story and why, in words; every number in them is taken from the runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

import polyak_core as pc
from polyak_widgets.numbers import THIN, count_text, iterations_text, number_text, power_text
from polyak_widgets.settings.settings import Settings

Traces = Mapping[str, pc.Trace]
DEEP, MIDDLE = 1e-10, 1e-6
LOST = 10.0
"""A method is lost if it needs so many times the iterations."""


class Answer(NamedTuple):
    """The right prediction, what happened, and why."""

    right: str | float
    happened: str
    why: str


def misprint(traces: Traces) -> Answer:
    """FISTA with and without the 4."""
    right, printed, plain = (steps(traces[m], MIDDLE) for m in ("fista", "fista_printed", "pgd"))
    beta = number_text(float(traces["fista_printed"].beta[-1]))
    return Answer(
        printed,
        f"{_count(printed)} iterations: {number_text(printed / right)} times as many as with the 4.",
        f"Without the 4, t stays below 4/3, and so β stops at {beta}: hardly any momentum. The proximal "
        f"gradient method, which has none, takes {_count(plain)}. For both the number "
        "of iterations grows like κ, not like √κ.",
    )


def below_rounding(traces: Traces) -> Answer:
    """Where a curve ends."""
    trace = traces["v2"]
    end, least, floor = (float(v) / trace.gap[0] for v in (trace.gap[-1], trace.gap.min(), trace.floor))
    rises = trace.gap[-1] > 1e6 * max(trace.gap.min(), trace.floor)
    right = "rises" if rises else "digits" if end > 1e-18 else "below"
    below = f"It comes down to {number_text(max(least, floor))} of the initial gap" + (
        ", where rounding takes over." if least < floor else "."
    )
    return Answer(
        right,
        below if right == "below" else f"It ends at {number_text(end)} of the initial gap.",
        "Computed as a difference of two stored numbers, f(yₖ) − f* levels off near 10⁻¹⁶: nothing below "
        "the last digit of f* is seen. Here the gap is a sum of terms that are never negative, computed "
        f"from yₖ − x*, and f* is certified: rounding takes over only below {number_text(floor)} of the "
        "initial gap.",
    )


def f_star_too_low(traces: Traces) -> Answer:
    """v2 with an f* too low."""
    exact, low = traces["exact"], traces["low"]
    there, before = low.first_below(DEEP), steps(exact, DEEP)
    if low.outcome in (pc.Outcome.DIVERGED, pc.Outcome.NON_FINITE):
        right, happened = "diverges", "It diverges."
    elif there is None:
        right, happened = "stops", f"It has not got there after {iterations_text(len(low) - 1)}."
    else:
        right = "slow" if there > 1.5 * before else "nothing"
        happened = f"It gets there after {iterations_text(there)} instead of {_count(before)}."
    early = [_count(steps(trace, 1e-3)) for trace in (exact, low)]
    return Answer(
        right,
        happened,
        f"At first nothing happens: 10⁻³ takes {early[1]} iterations, and {early[0]} with the exact f*. Once "
        "the true gap is within ten times the error, the gap that v2 computes is noticeably too large and "
        f"its estimates too small: μₖ ends at {number_text(float(low.mu[-1]))}, with the exact f* at "
        f"{number_text(float(exact.mu[-1]))}. With hardly any μ v2 is as slow as FISTA, and ripples like it.",
    )


def f_star_too_high(traces: Traces) -> Answer:
    """Three methods with an f* too high, and what a guard, or none, makes of them."""
    methods = [name for name in traces if f"{name} high" in traces]
    after = {m: steps(traces[f"{m} high"], DEEP) for m in methods}
    slower = {m: after[m] / steps(traces[m], DEEP) for m in methods}
    worst = max(methods, key=lambda m: slower[m])
    others = ", ".join(
        f"{pc.METHODS[m].label} takes {_count(after[m])} iterations instead of "
        f"{_count(steps(traces[m], DEEP))}"
        for m in methods
        if m != worst
    )
    trace = traces[f"{worst} high"]
    last = trace.restarted[-100:]
    broken = [int((traces[f"{m} printed"].mu < 0).argmax()) for m in ("adapt_apg_v2", "adapt_apg")]
    guarded = int(steps(traces["restart guarded"], DEEP))
    return Answer(
        worst,
        f"{pc.METHODS[worst].label}: {_reached(trace)}. {others}.",
        "Once the true gap is below the error, the gap that a method computes is negative. The restart test "
        f"takes that for a small one: {count_text(int(last.sum()))} restarts in the last {len(last)} "
        "iterations, so that no momentum is left. The adaptive methods have a guard here, which refuses such "
        "a gap. As printed they have none: they take the root of a negative number and end with NaN, v2 at "
        f"k = {count_text(broken[0])} and AdaptAPG at k = {count_text(broken[1])}. With the same guard the "
        f"restarted method takes {count_text(guarded)} iterations.",
    )


def gamma(traces: Traces) -> Answer:
    """Restart with many gammas."""
    took = {key: steps(trace, DEEP) for key, trace in traces.items() if key not in ("fista", "adapt_apg_v2")}
    best, worst = min(took, key=took.__getitem__), max(took, key=took.__getitem__)
    factor = took[worst] / took[best]
    return Answer(
        factor,
        f"{number_text(factor)} times: {_count(took[worst])} iterations with γ = {worst}, "
        f"{_count(took[best])} with γ = {best}. FISTA, which never restarts, takes "
        f"{_count(steps(traces['fista'], DEEP))}.",
        "A small γ restarts before the momentum has grown, a large one lets it overshoot for a long time. "
        "The best γ depends on the problem, and you learn it only afterwards; near it the cost is jagged, "
        "since it is luck whether a restart comes just above 10⁻¹⁰. v2 has no γ and takes "
        f"{_count(steps(traces['adapt_apg_v2'], DEEP))}.",
    )


def mu0(traces: Traces) -> Answer:
    """AdaptAPG from four starts."""
    names = {"half": "L/2", "above": "100 μ", "mu": "μ", "below": "μ/100"}
    took = {key: steps(traces[key], DEEP) for key in names}
    near = [_count(steps(traces[key], DEEP)) for key in ("under", "over")]
    worst = max(took, key=took.__getitem__)
    others = ", ".join(f"{_count(took[key])} with {names[key]}" for key in took if key != worst)
    return Answer(
        worst,
        f"{names[worst]}: {_count(took[worst])} iterations. {others}.",
        "μₖ is a running minimum, so it can only decrease. A μ₀ well above μ is forgotten as soon as an "
        "estimate lies below it. A μ₀ below μ stays for ever, and the method has too much momentum. A "
        f"guess near μ would help on either side (μ/2 takes {near[0]}, 2 μ takes {near[1]}), but nobody "
        "knows μ.",
    )


def v2_or_theorem(traces: Traces) -> Answer:
    """Which method is first on two clusters."""
    took = {m: steps(trace, DEEP) for m, trace in traces.items() if m != "apg"}
    order = sorted(took, key=took.__getitem__)
    first = order[0]
    others = ", ".join(f"{pc.METHODS[m].label} {_count(took[m])}" for m in order[1:])
    late = {m: _count(took[m] - steps(traces[m], 1e-8)) for m in took}
    return Answer(
        first,
        f"{pc.METHODS[first].label} with {_count(took[first])} iterations; {others}. APG, which is given μ, "
        f"takes {_count(steps(traces['apg'], DEEP))}.",
        "AdaptAPG carries a weighted mean of all earlier μᵢ in its estimate sequence: that is what the proof "
        "needs, and the early ones, far too large, hold it back. v2 puts the newest μₖ straight into the "
        "momentum. In the end both are equally fast; AdaptAPG only comes later: from 10⁻⁸ to 10⁻¹⁰ it takes "
        f"{late['adapt_apg']} iterations, v2 {late['adapt_apg_v2']}. Nobody has proven the rate of v2 yet.",
    )


def wrong_L(traces: Traces) -> Answer:
    """Half the right L."""
    right, pgd, fista = traces["right"], traces["pgd"], traces["fista"]
    if pgd.outcome is pc.Outcome.BOUNCING:
        kind, happened = "bounces", f"It bounces at {_share(pgd)} for ever"
    elif pgd.outcome in (pc.Outcome.DIVERGED, pc.Outcome.NON_FINITE):
        kind, happened = "diverges", "It diverges"
    else:
        kind = "faster" if pgd.gap[-1] < right.gap[-1] else "slower"
        happened = f"It comes down to {_share(pgd)}, with the true L to {_share(right)}"
    end = f"FISTA {fista.outcome} after {iterations_text(len(fista) - 1)}"
    v2 = traces["v2"]
    bare = (
        " v2 is the exception: its estimates are no smaller than this L, so β is 0, and it takes the same "
        "steps as the proximal gradient method."
        if not v2.beta.any()
        else ""
    )
    return Answer(
        kind,
        f"{happened}. {end}.",
        "A step multiplies the component along an eigenvalue λ by 1 − λ/L. With half of the true L that is "
        "−1 at the largest λ: the component changes its sign and keeps its size. With momentum it grows: "
        f"after {iterations_text(len(fista) - 1)} FISTA is at {_share(fista)}.{bare}",
    )


LAST = 100
"""Iterations at the end of a run, over which an estimate may go up and down."""


def six_estimates(traces: Traces) -> Answer:
    """Four estimates of one mu, each by the method that makes it.

    What AdGD makes of it depends on rounding, so that no digit of that is told.
    """
    kappa = Settings().condition_number
    late = {method: trace.mu[-LAST:] * kappa for method, trace in traces.items()}
    off = {method: float(np.abs(np.log(values)).max()) for method, values in late.items()}
    *others, farthest = sorted(off, key=off.__getitem__)
    ends = [f"{pc.METHODS[m].label} at {number_text(float(late[m][-1]), 3)}\u00a0μ" for m in others]
    scale = number_text(10.0 ** np.floor(np.log10(np.exp(off[farthest]) / 2)))
    low_of_bounds = min(float(traces[m].mu.min() * kappa) for m in traces if m != "adgd_accel")
    never = "none of them is ever below μ" if low_of_bounds >= 1 else "they fall below it here by rounding"
    return Answer(
        farthest,
        f"{pc.METHODS[farthest].label}: in its last {LAST} iterations μₖ is now and then more than {scale} "
        f"times μ. The others end, from the nearest to the farthest, with {'; '.join(ends)}.",
        f"The first three of the question are upper bounds on μ, and {never}. Half of the curvature that "
        "was just met is not a bound: it comes near μ and leaves it again within a few iterations, and "
        "rounding alone decides when. The bound of automatic restarts holds for the worst problem that "
        "FISTA can meet; on this one it is loose.",
    )


def silver(traces: Traces) -> Answer:
    """Steps in a good order against equal ones, and against momentum."""
    silver, plain, momentum = (steps(traces[m], DEEP) for m in ("silver_mu", "pgd", "apg"))
    gap = traces["silver_mu"].gap
    share = number_text(100 * float((np.diff(gap) > 0).mean()), 2)
    most = number_text(float((gap[1:] / gap[:-1]).max()), 2)
    return Answer(
        silver,
        f"{_count(silver)}. Equal steps 1/L take {_count(plain)}, {number_text(plain / silver, 2)} times as "
        f"many; APG, with momentum, takes {_count(momentum)}.",
        "A long step shrinks the errors along small eigenvalues fast and lets those along large ones grow; "
        f"the short steps around it undo that growth. So the gap rises in {share}{THIN}% of the steps, once "
        f"to {most} times what it was. Their theorem lets the number of steps grow like κ to the power 0.79, "
        "which lies between the κ of equal steps and the √κ of momentum.",
    )


def cg(traces: Traces) -> Answer:
    """The least that gradients allow, against a method that is given mu."""
    best, known = (steps(traces[method], DEEP) for method in ("cg", "apg"))
    kappa = Settings().condition_number
    rho = (np.sqrt(kappa) - 1) / (np.sqrt(kappa) + 1)
    k = np.arange(10 * int(known))
    promised = float(np.argmax((2 * rho**k / (1 + rho ** (2 * k))) ** 2 <= DEEP))
    return Answer(
        best,
        f"{_count(best)}. APG, which is given L and μ, takes {_count(known)}.",
        "Of all points that the gradients so far can be combined to, CG takes the one with the smallest "
        "gap, so no method here has a smaller gap after as many gradients. For the worst spectrum with "
        f"this κ, Chebyshev’s bound promises {_count(promised)}. This one has few eigenvalues at its slow "
        "end, and CG removes their errors one by one. After as many steps as there are different "
        "eigenvalues, no error is left.",
    )


def steps(trace: pc.Trace, tolerance: float) -> float:
    """Iterations until the gap is first below, infinite if it never is."""
    k = trace.first_below(tolerance)
    return np.inf if k is None else float(k)


def _count(number: float) -> str:
    return count_text(int(number)) if np.isfinite(number) else "more than its budget"


def _share(trace: pc.Trace) -> str:
    """The last gap beside the initial one."""
    share = float(trace.gap[-1] / trace.gap[0])
    return f"{number_text(share)} {'times' if share > 1 else 'of'} the initial gap"


def _reached(trace: pc.Trace) -> str:
    k = trace.first_below(DEEP)
    if k is not None:
        return f"{power_text(-10)} of the initial gap after {iterations_text(k)}"
    left = number_text(float(trace.gap[-1] / trace.gap[0]))
    return f"after {iterations_text(len(trace) - 1)} still at {left} of the initial gap"
