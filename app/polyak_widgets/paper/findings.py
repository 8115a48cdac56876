"""What the paper claims beside what its experiments give here; every number comes from the runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

import polyak_core as pc
from polyak_widgets.look import in_page_order
from polyak_widgets.numbers import count_text, number_text
from polyak_widgets.paper.comparisons import (
    HOLDS,
    IN_PART,
    LOW,
    MIDDLE,
    NOT,
    PRECISE,
    Finding,
    by_method,
    cases,
    fixed_mu_tasks,
    gamma_steps,
    gradient_calls,
    how_far,
    ratios,
    span,
    yes_or_no,
)
from polyak_widgets.paper.estimate_findings import (
    first_bound,
    momentum_beside_descent,
    nothing_to_tune,
    rate_of_the_estimate,
    source_of_f_star,
)
from polyak_widgets.paper.paper_panels import VARIABILITY, Runs, name_of
from polyak_widgets.paper.paper_runs import DEEPER, WIDE_GAMMAS

STEADY = 0.3
MATTERS = 2.0
MUCH = 1.25
"""What the last column of the table prints, in the order of its lines: a verdict turns at these."""


def findings(runs: Runs) -> list[Finding]:
    """All that can be said with these runs."""
    judges: list[Callable[[Runs], Finding | None]] = [
        _outperforms, _local, momentum_beside_descent, _linear, _fast, _low_accuracy, _tuning,
        _theorem_or_speed, _gradients, nothing_to_tune, first_bound, rate_of_the_estimate, source_of_f_star,
    ]  # fmt: skip
    return [finding for judge in judges if (finding := judge(runs)) is not None]


def _outperforms(runs: Runs) -> Finding | None:
    v2, alg3 = (ratios(runs, method, "restart") for method in ("adapt_apg_v2", "adapt_apg"))
    worst = max((k for k in gamma_steps(runs) if k is not None), default=None)
    mine = by_method(runs).get(VARIABILITY, {}).get("adapt_apg_v2")
    if not v2 or not alg3 or worst is None or mine is None or mine.reached[PRECISE] is None:
        return None
    factor = worst / (mine.reached[PRECISE] or 1)
    ahead = sum(MUCH * ratio <= 1 for ratio in v2.values())
    fewer = sum(ratio <= 1 for ratio in v2.values())
    calls = ratios(runs, "adapt_apg_v2", "restart", PRECISE, gradient_calls)
    mostly, worst_case = 2 * ahead >= len(v2), factor >= MUCH
    return Finding(
        "Introduction: “our method often significantly outperforms restart schemes in practice”",
        HOLDS if mostly else IN_PART if worst_case else NOT,
        f"Against a tuned γ, {yes_or_no(mostly)}: v2 takes {span(v2.values())} times the iterations "
        f"of the restarted method with its best γ (no more than it {cases(fewer, len(v2))}) and "
        f"{span(calls.values())} times its gradient calls, AdaptAPG {span(alg3.values())} times its "
        f"iterations. Against a γ chosen badly, {yes_or_no(worst_case)}: on {name_of(VARIABILITY)} the worst "
        f"γ of figure 3 takes {number_text(factor)} times the iterations of v2.",
        f"the restarted method with its best γ takes {MUCH:g} times the iterations of v2 in half of the "
        "cases; in part, if it does so with the worst γ alone",
    )


def _local(runs: Runs) -> Finding | None:
    smooth, all_runs = ratios(runs, "adapt_apg_v2", "apg"), by_method(runs)
    sparse = {}
    for task in fixed_mu_tasks():
        fixed, v2 = runs.get(task), all_runs.get(task.problem, {}).get("adapt_apg_v2")
        if fixed and v2 and (k := v2.reached[PRECISE]) and (other := fixed.reached[PRECISE]):
            sparse[task.problem] = k / other
    if not smooth or not sparse:
        return None
    faster = sum(ratio < 1 for ratio in (smooth | sparse).values())
    words = (f"{name_of(problem)} {ratio:.2f}" for problem, ratio in sparse.items())
    return Finding(
        "Introduction: the estimate is local, “further speeding up convergence compared to methods given a "
        "fixed initial bound on μ”",
        how_far(faster, len(smooth | sparse)),
        "Iterations of v2 divided by those of APG with the exact μ of h: without a penalty "
        f"{span(smooth.values())}; with a penalty {'; '.join(words)}. There unknowns stay at 0 near x*, and "
        "along the others the curvature is larger than μ.",
        "v2 takes fewer in all cases",
    )


def _linear(runs: Runs) -> Finding | None:
    each = by_method(runs).get(("matrix_completion", None))
    if each is None:
        return None
    depths = (LOW, MIDDLE, PRECISE, DEEPER)
    words, steady = [], True
    for method in ("adapt_apg_v2", "adapt_apg"):
        steps = [k for t in depths if (k := each[method].reached[t]) is not None]
        if len(steps) < len(depths):
            return None
        decade = -np.diff(steps) / np.diff(np.log10(depths))
        steady = steady and abs(decade[2] / decade[1] - 1) < STEADY
        words.append(f"{pc.METHODS[method].label} {', '.join(count_text(round(k)) for k in decade)}")
    return Finding(
        "Figure 1: “our adaptive algorithms exhibit linear convergence” on matrix completion",
        HOLDS if steady else IN_PART,
        "Iterations per factor of ten, from 10⁻⁴ to 10⁻⁸, then to 10⁻¹⁰, then to 10⁻¹²: "
        f"{'; '.join(words)}. So the slope bends near 10⁻⁸.",
        f"from 10⁻⁸ on the numbers of a method differ by less than {100 * STEADY:g} %",
    )


def _fast(runs: Runs) -> Finding | None:
    all_runs = by_method(runs)
    there = [p for p, each in all_runs.items() if each["adapt_apg_v2"].reached[PRECISE] is not None]
    known = ratios(runs, "adapt_apg_v2", "apg")
    if not known:
        return None
    late = [name_of(p) for p in all_runs if p not in there]
    rest = f" Not there within the budget: {', '.join(late)}, and no other method gets there." if late else ""
    if late and any(s.reached[PRECISE] for p in all_runs if p not in there for s in all_runs[p].values()):
        rest = f" Not there within the budget: {', '.join(late)}."
    return Finding(
        "Figures 2 and 4: “in all cases, our algorithms perform well and display the fast converging rate”",
        how_far(len(there), len(all_runs)),
        f"v2 reaches 10⁻¹⁰ {cases(len(there), len(all_runs))}. Where μ is known, it takes "
        f"{span(known.values())} times the iterations of APG with the true μ.{rest}",
        "v2 reaches 10⁻¹⁰ in all cases",
    )


def _tuning(runs: Runs) -> Finding | None:
    steps = gamma_steps(runs)
    known = [k for k in steps if k is not None]
    if not known:
        return None
    factor = max(known) / min(known)
    never = f", and {steps.count(None)} of the {len(steps)} never" if None in steps else ""
    best = sorted(each["restart"].task.gamma or 0 for each in by_method(runs).values() if "restart" in each)
    tried = Counter(t.problem for t in runs if t.method == "restart" and t.study == "comparison")
    most, least = max(tried.values()), min(tried.values())
    few = ", ".join(f"{n} on {name_of(p)}" for p, n in tried.items() if n == least)
    fewer = f" ({few})" if least < most else ""
    return Finding(
        "Figure 3: “the γ tuning step for the restart strategy still has a significant impact on empirical "
        "performance”",
        HOLDS if factor >= MATTERS else NOT,
        f"On {name_of(VARIABILITY)} the worst γ from {WIDE_GAMMAS[0]:g} to {WIDE_GAMMAS[-1]:g} takes "
        f"{number_text(factor)} times the iterations of the best ({count_text(max(known))} against "
        f"{count_text(min(known))}){never}. Of the {most} γ tried on each problem{fewer} the best "
        f"lies between {best[0]:g} and {best[-1]:g}.",
        f"the worst γ takes {MATTERS:g} times the iterations of the best",
    )


def _theorem_or_speed(runs: Runs) -> Finding | None:
    factors = ratios(runs, "adapt_apg", "adapt_apg_v2")
    if not factors:
        return None
    slower = sum(ratio > 1 for ratio in factors.values())
    return Finding(
        "Section 4: v2, “for which we did not prove robustness”, “appears to work very well in practice”",
        how_far(slower, len(factors)),
        f"v2 needs fewer iterations than algorithm 3, which has the theorem, {cases(slower, len(factors))}: "
        f"algorithm 3 takes {span(factors.values())} times as many.",
        "v2 takes fewer in all cases",
    )


def _gradients(runs: Runs) -> Finding | None:
    all_runs = by_method(runs)
    pairs = {p: (e["adapt_apg_v2"], e["restart"]) for p, e in all_runs.items() if "restart" in e}
    done = [pair for pair in pairs.values() if all(s.reached[PRECISE] for s in pair)]
    if not done:
        return None
    v2, restart = (
        np.array([(s.gradients[PRECISE] or 0) / (s.reached[PRECISE] or 1) for s in each])
        for each in zip(*done, strict=True)
    )
    one_more = bool((np.round(v2 - restart) == 1).all())
    pairs.pop(("matrix_completion", None), None)
    free = sum(v2.products <= 1.01 * r.products + 0.01 for v2, r in pairs.values())
    return Finding(
        "Section 4: “our algorithms require one more call to the gradient oracle per iteration than the "
        "restarted algorithm”",
        NOT if not one_more else IN_PART if free else HOLDS,
        f"As calls, yes: per iteration the restarted method makes {restart.mean():.2f}, v2 "
        f"{v2.mean():.2f}. "
        f"As work, mostly not: on the data sets v2 needs no more matrix products per iteration "
        f"{cases(free, len(pairs))}, because where the loss is quadratic the gradient at yₖ follows from "
        "what has been computed already. (On matrix completion it is one more singular value decomposition.)",
        "v2 makes one call more, and needs more matrix products in all cases",
    )


def _low_accuracy(runs: Runs) -> Finding | None:
    first = {}
    for problem, each in by_method(runs).items():
        steps = {m: s.reached[LOW] for m, s in each.items() if m != "apg" and s.reached[LOW] is not None}
        if steps:
            first[problem] = min(steps, key=lambda m: steps[m] or 0)
    if not first:
        return None
    counts = {m: list(first.values()).count(m) for m in in_page_order(set(first.values()))}
    words = ", ".join(f"{pc.METHODS[m].label} {n}" for m, n in counts.items())
    ahead = counts.get("adapt_apg_v2", 0)
    slower = ratios(runs, "adapt_apg", "fista", LOW).values()
    late = f" There AdaptAPG takes {span(slower)} times FISTA's iterations." if slower else ""
    return Finding(
        "The same sentence, read for low accuracy",
        how_far(ahead, len(first)),
        f"How often each method that is not given μ reaches 10⁻⁴ of the initial gap first: {words}.{late}",
        "v2 is first in all cases",
    )
