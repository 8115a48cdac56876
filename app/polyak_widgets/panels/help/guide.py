"""What the page is for and how it is used; what each method does, beside what each symbol means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polyak_core as pc
from polyak_widgets.look import in_page_order
from polyak_widgets.panels.charts.formulas import (
    MU,
    MU_K,
    STAR_F,
    STAR_X,
    X_K,
    Y_K,
    gap,
    i,
    n,
    norm,
    o,
    over,
    row,
    sub,
    sup,
)
from polyak_widgets.panels.help.symbols import (
    BEFORE,
    BETA,
    BETA_K,
    BIG_L,
    FIRST_GAP,
    FISTA_BETA,
    G_L,
    GAMMA,
    MU_NEXT,
    SYMBOLS,
    T_L,
    TAU_K,
    X_NEXT,
    Y_NEXT,
    Elsewhere,
    Entry,
    X,
    at,
    growing,
    momentum,
    of,
    root,
    step,
)
from polyak_widgets.panels.texts import in_the_paper

INTRO = "How fast do accelerated gradient methods converge when nobody gives them μ?"
PAPER = "https://arxiv.org/abs/1906.03056"
HELP = (
    "Each curve is a method. It shows how the gap f(yₖ) − f* falls, as a part of the initial gap; on the "
    "logarithmic axis a straight line is a linear rate. The second chart shows how methods estimate μ.",
    "Choose a problem under Start from, then drag a slider: the curves follow.",
    "Stories ask you to predict a result first, then measure it.",
    "Press the name of a control, the title of a chart, or the name of a method in the table to read what it "
    "means. Escape closes the explanation.",
    "Pin keeps curves while you change settings, all of them or those of one method. Share copies a link to "
    "what you see; Export saves it.",
)

METHOD_ENTRIES: dict[str, Entry] = {
    "pgd": Entry(
        "Proximal gradient",
        "Takes proximal gradient steps without momentum; needs at most about κ iterations for each factor "
        "e of the gap.",
        "section 1, equation (2)", (row(Y_NEXT, o("="), of(T_L, Y_K)),),
    ),
    "apg": Entry(
        "Accelerated proximal gradient",
        "Adds constant momentum computed from μ before each step; needs at most about √κ iterations for each "
        "factor e, but must be given μ.",
        "algorithm 1", (*step(BETA), row(BETA, o("="), momentum(MU))),
    ),
    "fista": Entry(
        "FISTA",
        "Lets the momentum grow towards 1. It needs no μ and is fast at first, then slows down and ripples. "
        "Its proven rate is 1/k².",
        "algorithm 5 (appendix C; APG for smooth functions)", (growing("4"), FISTA_BETA),
    ),
    "restart": Entry(
        "Restarted APG",
        "FISTA that sets its momentum to 0 when the gap first falls to each of the levels e^(−γj) of the "
        "initial gap; needs f* and a good γ.",
        "algorithm 6 (appendix C)", (row(gap(), o("≤"), sup(i("e"), row(o("−"), GAMMA, i("j"))), o("("),
         FIRST_GAP, o(")")),),
    ),
    "adapt_apg": Entry(
        "AdaptAPG",
        "APG as an estimate sequence in which μₖ replaces μ; it comes with a theorem, if μₖ falls fast "
        "enough.",
        "algorithm 3, proposition 2.8", (row(X_NEXT, o("="), over(row(TAU_K, sub(i("v"), i("k")), o("+"),
         Y_K), row(n("1"), o("+"), TAU_K)), o(",")), row(TAU_K, o("="), root(row(MU_NEXT, o("/"),
         BIG_L)))),
    ),
    "adapt_apg_v2": Entry(
        "Adaptive APG, version 2",
        "Algorithm 1 with the newest μₖ in place of μ; simpler than AdaptAPG and mostly faster, without a "
        "theorem.",
        "algorithm 4", (*step(BETA_K), row(BETA_K, o("="), momentum(MU_K))),
    ),
    "adapt_apg_free": Entry(
        "One-gradient v2",
        "Version 2 with a certified estimate, made from what a step computes anyway, so it needs one "
        "gradient per iteration and not two.",
        Elsewhere("not in the paper"), (*step(BETA_K), row(BETA_K, o("="), momentum(MU_K))),
    ),
    "fista_printed": Entry(
        "FISTA as printed",
        "FISTA with the formula that the paper prints, without the 4: the momentum stays near ¼, and the "
        "acceleration is lost.",
        "algorithm 5 (appendix C)", (growing(""), FISTA_BETA),
    ),
    "restart_function": Entry(
        "Restart on f",
        "FISTA that sets its momentum to 0 whenever f rises; needs neither μ nor f*.",
        Elsewhere("not in the paper; O'Donoghue and Candès 2015"),
        (row(at("f", Y_NEXT), o(">"), at("f", Y_K)),),
    ),
    "restart_gradient": Entry(
        "Restart on gradient",
        "FISTA that sets its momentum to 0 whenever a step points against the last movement; needs neither "
        "μ nor f*.",
        Elsewhere("not in the paper; O'Donoghue and Candès 2015"),
        (row(sup(row(o("("), X_NEXT, o("−"), Y_NEXT,
         o(")")), i("T")), o("("), Y_NEXT, o("−"), Y_K, o(")"), o(">"), n("0")),),
    ),
    "nag_free": Entry(
        "NAG-free",
        "Algorithm 1 with the least curvature met between two iterates in place of μ; needs neither μ nor "
        "f*.",
        Elsewhere("not in the paper; Cavalcanti, Lessard and Wilson 2025"),
        (row(MU_K, o("="), i("min"), o("("),
         sub(MU, BEFORE), o(","), over(norm(of(G_L, X_K), o("−"), of(G_L, sub(X, BEFORE)), power=False),
         norm(X_K, o("−"), sub(X, BEFORE), power=False)), o(")")),),
    ),
    "cg": Entry(
        "Conjugate gradients",
        "Combines all gradients so far in the best way: on quadratics no method reaches a smaller "
        "gap with as many gradients. It needs products with the matrix.",
        Elsewhere("not in the paper; Hestenes and Stiefel 1952"),
        (row(at("f", X_K), o("="), i("min"), o(" "), i("f"),
         o("("), sub(X, n("0")), o("+"), sub(i("c"), n("0")), sub(i("g"), n("0")), o("+"), o("…"), o("+"),
         sub(i("c"), BEFORE), sub(i("g"), BEFORE), o(")")),),
    ),
    "item": Entry(
        "ITEM",
        "The first-order method with the smallest distance ‖zₖ − x*‖ that can be proven, given L and μ; "
        "only where ψ = 0. The distance in its record is that of zₖ.",
        Elsewhere("not in the paper; Taylor and Drori 2021"),
        (row(norm(sub(i("z"), i("k")), o("−"), STAR_X), o("≤"),
         over(norm(sub(X, n("0")), o("−"), STAR_X), row(n("1"), o("+"), sub(i("A"), i("k")), MU, o("/"),
         BIG_L))),),
    ),
    "tmm": Entry(
        "Triple momentum",
        "Three combinations of two points, with coefficients that depend on L and μ. Its proven rate is "
        "twice that of APG. Only where ψ = 0.",
        Elsewhere("not in the paper; Van Scoy, Freeman and Lynch 2018"),
        (row(gap(), o("≤"), sup(row(o("("), n("1"),
         o("−"), root(row(MU, o("/"), BIG_L)), o(")")), row(n("2"), i("k"))), over(sup(BIG_L, n("2")),
         row(n("2"), MU)), norm(sub(X, n("0")), o("−"), STAR_X)),),
    ),
    "silver": Entry(
        "Silver steps",
        "Gradient descent in steps of many lengths, short ones between long ones; no momentum, and still "
        "faster than steps of one length. Only where ψ = 0.",
        Elsewhere("not in the paper; Altschuler and Parrilo 2023"),
        (row(sub(i("h"), i("k")), o("="), n("1"), o("+"),
         sup(row(o("("), n("1"), o("+"), root(n("2")), o(")")), row(i("ν"), o("−"), n("1"))), o(","), o(" "),
         sup(n("2"), i("ν")), o("|"), i("k")),),
    ),
    "silver_mu": Entry(
        "Silver steps, strongly convex",
        "Silver steps that depend on μ, too: none is longer than (1/μ + 1/L)/2, while the steps of the plain "
        "version grow without bound. Only where ψ = 0.",
        Elsewhere("not in the paper; Altschuler and Parrilo 2023"),
        (row(sub(i("h"), i("k")), o("="), over(row(n("1"),
         o("+"), i("t"), BIG_L, o("/"), MU), row(n("1"), o("+"), i("t")))),),
    ),
    "heavy_ball_polyak": Entry(
        "Heavy ball with Polyak steps",
        "Heavy ball with the step 1/μ̂, which needs f*. On quadratics it ends after finitely many "
        "steps, like CG; elsewhere nothing is proven. Only where ψ = 0.",
        Elsewhere("not in the paper; its sequel, Goujaud, Taylor, Dieuleveut 2022"),
        (row(sub(i("h"), i("k")), o("="),
         over(row(n("2"), o("("), at("f", X_K), o("−"), STAR_F, o(")")), norm(sub(i("g"), i("k"))))),),
    ),
    "auto_restart": Entry(
        "FISTA with automatic restarts",
        "FISTA in runs whose length doubles while it is short compared with √(L/μₖ). μₖ is computed from the "
        "fall of f from run to run and is an upper bound on μ. Needs no f*.",
        Elsewhere("not in the paper; Aujol, Dossal, Labarrière and Rondepierre 2021"),
        (row(MU_K, o("="),
         sub(i("min"), i("i")), over(row(n("4"), BIG_L), sup(row(o("("), sub(i("n"), i("i")), o("+"), n("1"),
         o(")")), n("2"))), over(row(sub(i("f"), row(i("i"), o("−"), n("1"))), o("−"), sub(i("f"), i("j"))),
         row(sub(i("f"), i("i")), o("−"), sub(i("f"), i("j"))))),),
    ),
    "adgd_accel": Entry(
        "Adaptive gradient descent, accelerated",
        "Computes its step and its momentum from the latest curvature; needs neither L nor μ. Its μₖ is not "
        "a bound on μ. No theorem covers it. Only where ψ = 0.",
        Elsewhere("not in the paper; Malitsky and Mishchenko 2020"),
        (row(BETA_K, o("="), over(row(n("1"), o("−"),
         root(row(sub(i("λ"), i("k")), MU_K))), row(n("1"), o("+"), root(row(sub(i("λ"), i("k")), MU_K))))),),
    ),
    "ac_fgm": Entry(
        "Auto-conditioned fast gradient",
        "Accelerates with the latest curvature Lₖ and without a line search; needs neither L nor μ. Its "
        "proven rate is 1/k².",
        Elsewhere("not in the paper; Li and Lan 2023"),
        (row(sub(BIG_L, i("k")), o("="), over(norm(sub(i("g"), i("k")),
         o("−"), sub(i("g"), BEFORE)), row(n("2"), sub(i("D"), i("h")), o("("), sub(X, BEFORE), o(","), X_K,
         o(")")))),),
    ),
}  # fmt: skip
"""By the names of `polyak_core.METHODS`."""


def method_entry(method: str) -> Entry:
    """What a method does; of one that people register, what they say of it."""
    if method in METHOD_ENTRIES:
        return METHOD_ENTRIES[method]
    own = pc.METHODS[method]
    return Entry(own.label, own.summary, Elsewhere(own.reference))


def guide() -> dict[str, Any]:
    """For the page: what it is for, the paper, how to use it, and all entries, symbols first."""
    methods = {f"method:{name}": method_entry(name) for name in in_page_order(pc.METHODS)}
    return {
        "intro": INTRO,
        "paper": PAPER,
        "help": list(HELP),
        "entries": {name: _plain(entry) for name, entry in {**SYMBOLS, **methods}.items()},
    }


def place_words(place: str) -> str:
    """Where something is said, as the page says it.

    >>> place_words("algorithm 4"), place_words(Elsewhere("Nesterov 1983")), place_words("")
    ('In the paper: algorithm 4', 'Nesterov 1983', '')
    """
    return in_the_paper(place) if place and not isinstance(place, Elsewhere) else place


def _plain(entry: Entry) -> Mapping[str, Any]:
    """An entry as the page takes it."""
    return {
        "title": entry.title,
        "sentence": entry.sentence,
        "place": place_words(entry.place),
        "formula": list(entry.formula),
        "symbol": entry.symbol,
    }
