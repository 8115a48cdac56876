"""What the paper claims of its estimates, of mu_0 and of f*, beside what its experiments give here."""

from __future__ import annotations

import numpy as np

import polyak_core as pc
from polyak_widgets.numbers import count_text, number_text
from polyak_widgets.paper.comparisons import (
    HOLDS,
    IN_PART,
    MU0,
    MU0_PROBLEM,
    NOT,
    PRECISE,
    SPECTRA_MET,
    Finding,
    by_method,
    cases,
    how_far,
    momentum_tasks,
    mu0_tasks,
    yes_or_no,
)
from polyak_widgets.paper.paper_panels import (
    ESTIMATE_PROBLEMS,
    Runs,
    envelope_at,
    estimate_tasks,
    largest_constant,
    name_of,
)

NEAR = 0.1
ALIKE, COSTLY = 1.1, 1.2
"""What the last column of the table prints: a verdict turns at these."""


def momentum_beside_descent(runs: Runs) -> Finding | None:
    """Section 3 on momentum."""
    pairs = [tuple(runs.get(t) for t in momentum_tasks() if t.problem[0] == kind) for kind in SPECTRA_MET]
    words, ahead = [], 0
    for (apg, descent), spectrum in zip(pairs, SPECTRA_MET.values(), strict=True):
        if apg is None or descent is None:
            return None
        excess = [s.columns["mu_hat"] / s.mu - 1 for s in (apg, descent)]
        early = [number_text(float(e[10]), 2) for e in excess]
        near = [int(np.argmax(e <= NEAR)) for e in excess]
        ahead += near[0] < near[1]
        words.append(
            f"with {spectrum} {count_text(near[0])} and {count_text(near[1])} (after 10 iterations μ̂ is "
            f"{early[0]} μ too large with momentum, {early[1]} μ without)"
        )
    return Finding(
        "Section 3: “the same kind of convergence with an accelerated rate” for “an APG with a constant "
        "momentum”, on quadratics",
        how_far(ahead, len(pairs)),
        f"Iterations until μ̂ is within {100 * NEAR:g} % of μ, for APG with the largest β that is allowed "
        f"there and for gradient descent (n = 50, κ = 1 000): {'; '.join(words)}.",
        "APG takes fewer in all cases",
    )


def nothing_to_tune(runs: Runs) -> Finding | None:
    """Section 4 on parameters."""
    if not by_method(runs):
        return None
    symbols = {"mu_0": "μ₀", "gamma": "γ"}
    v2, alg3, restart = (
        [symbols[name] for name in pc.METHODS[method].needs if name not in ("L", "f*")]
        for method in ("adapt_apg_v2", "adapt_apg", "restart")
    )
    return Finding(
        "Section 4: “there is no parameter to tune”",
        NOT if v2 else HOLDS,
        f"Besides L and f*, v2 needs {', '.join(v2) or 'nothing'}, AdaptAPG needs {', '.join(alg3)} (see the "
        f"next line), and the restarted method needs {', '.join(restart)}.",
        "v2 needs L and f* alone",
    )


def first_bound(runs: Runs) -> Finding | None:
    """Section 4 on mu_0."""
    summaries = {name: runs.get(task) for name, task in zip(MU0, mu0_tasks(), strict=True)}
    steps = {name: s.reached[PRECISE] for name, s in summaries.items() if s is not None}
    if len(steps) < len(MU0):
        return None
    half = steps["L/2"] or 0
    words = ", ".join(f"{name}: {'never' if k is None else count_text(k)}" for name, k in steps.items())
    above = [k for name, k in steps.items() if name in ("L/2", "L/100", "10 μ") and k is not None]
    no_impact = max(above) <= ALIKE * min(above)
    slow = max(k or np.inf for k in steps.values())
    return Finding(
        "Section 4: “μ₀ is always chosen as L/2 and has no impact in practice”",
        IN_PART if no_impact and slow > COSTLY * half else HOLDS if no_impact else NOT,
        f"Iterations of AdaptAPG to 10⁻¹⁰ on {name_of(MU0_PROBLEM)} for several μ₀: {words}. A μ₀ well above "
        "μ is forgotten; one far below μ stays for ever and costs.",
        f"no μ₀ takes more than {COSTLY:g} times the iterations of L/2; in part, if those from 10 μ upwards "
        f"take the same to a factor of {ALIKE:g}",
    )


def rate_of_the_estimate(runs: Runs) -> Finding | None:
    """Figure 5."""
    pair = [runs.get(task) for task in estimate_tasks() if task.method == "adapt_apg"]
    if None in pair:
        return None
    squares, dual = (s for s in pair if s is not None)
    touched = [(s, *envelope_at(s, local)) for s, local in ((squares, False), (dual, True))]
    early = all(2 * k <= s.last_k for s, k, _ in touched)
    where = [f"at k = {count_text(k)} of {count_text(s.last_k)}" for s, k, _ in touched]
    parts = [number_text(C / s.L) for s, _, C in touched]
    ratio = touched[0][2] / largest_constant(squares)
    return Finding(
        "Figure 5: the estimates “appear to satisfy the sublinear convergence rate needed in our robustness "
        "result”",
        how_far(early + (ratio <= 1), 2),
        f"The rate, {yes_or_no(early)}: μₖ − μ stays below C/(k+1)² with C = {parts[0]} L on "
        f"{name_of(ESTIMATE_PROBLEMS[0])}, and μₖ − μ_loc(xₖ) with {parts[1]} L on "
        f"{name_of(ESTIMATE_PROBLEMS[1])}. Any run that ends has such a C; but a C as large as this is "
        f"needed only {where[0]} and {where[1]}. The constant, "
        f"{yes_or_no(ratio <= 1)}: the proposition asks for a C that is {number_text(ratio)} times "
        "smaller.",
        "(k+1)² times the difference is largest in the first half of a run, and the proposition admits C; in "
        "part, if only one of these holds",
    )


def source_of_f_star(runs: Runs) -> Finding | None:
    """Section 4 on f*."""
    all_runs = by_method(runs)
    errors = {problem: next(iter(each.values())).f_star_error for problem, each in all_runs.items()}
    if not errors:
        return None
    worst = max(errors, key=lambda p: errors[p])
    there, v2 = (
        sum(each[method].reached[PRECISE] is not None for each in all_runs.values())
        for method in ("fista", "adapt_apg_v2")
    )
    return Finding(
        "Section 4: f* comes from “APG for a sufficient amount of time to reach machine precision”",
        how_far(there, len(all_runs)),
        "This takes a long time: within the budget FISTA, the paper's APG, reaches 10⁻¹⁰ of the initial gap "
        f"{cases(there, len(all_runs))}, v2 {cases(v2, len(all_runs))}. Here f* is found by other "
        f"methods and certified: f(x*) exceeds the minimum by at most {number_text(errors[worst])} "
        f"({name_of(worst)}).",
        "FISTA reaches 10⁻¹⁰ in all cases",
    )
