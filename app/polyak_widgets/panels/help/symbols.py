"""What each symbol of the page means: a sentence, its formula, and the paper's place."""

from __future__ import annotations

from typing import NamedTuple

from polyak_widgets.panels.charts.formulas import (
    DIFFERENCE,
    ESTIMATE_FORMULAS,
    F_OF_X,
    HAT_K,
    MU,
    MU_K,
    PROPOSITION,
    STAR_F,
    STAR_X,
    SUM,
    Y_K,
    MathPart,
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


class Elsewhere(str):
    """Where something is said that is not in the paper, in whole words."""

    __slots__ = ()


class Entry(NamedTuple):
    """A symbol or a method.

    Attributes:
        title: its name in words.
        sentence: what it is.
        place: where the paper has it, or who else has, as `Elsewhere`.
        formula: parts that stand side by side, or below each other where there is no room.
        symbol: how it is written in mathematics; None for a method.
        written: how texts of the page write it.
    """

    title: str
    sentence: str
    place: str
    formula: tuple[MathPart, ...] = ()
    symbol: MathPart = None
    written: tuple[str, ...] = ()


def at(name: str, point: MathPart) -> MathPart:
    """A function of a point."""
    return row(i(name), o("("), point, o(")"))


def of(base: MathPart, point: MathPart) -> MathPart:
    """The same for one with a name of its own."""
    return row(base, o("("), point, o(")"))


def root(inside: MathPart) -> MathPart:
    """A square root."""
    return ["msqrt", inside]


X, Y, H, PSI, BETA, GAMMA, LAM = (i(name) for name in ("x", "y", "h", "ψ", "β", "γ", "λ"))
BIG_L, BIG_C = i("L"), i("C")
NEXT = row(i("k"), o("+"), n("1"))
X_0, MU_0, A_K, T_K, BETA_K = (
    sub(X, n("0")),
    sub(MU, n("0")),
    sub(i("A"), i("k")),
    sub(i("t"), i("k")),
    sub(BETA, i("k")),
)
X_NEXT, Y_NEXT, T_NEXT, MU_NEXT = (sub(base, NEXT) for base in (X, Y, i("t"), MU))
BEFORE = row(i("k"), o("−"), n("1"))
Y_BEFORE = sub(Y, BEFORE)
T_L, G_L = sub(i("T"), BIG_L), sub(i("g"), BIG_L)
MU_LOC = sub(MU, ["mtext", "loc"])
TAU_K = sub(i("τ"), i("k"))
GRADIENT_Y = row(o("∇"), at("h", Y))
FIRST_GAP = row(at("f", X_0), o("−"), STAR_F)


def momentum(of: MathPart) -> MathPart:
    """(1 - sqrt(mu/L)) / (1 + sqrt(mu/L)) of some mu."""
    part = root(row(of, o("/"), BIG_L))
    return over(row(n("1"), o("−"), part), row(n("1"), o("+"), part))


def step(beta: MathPart) -> tuple[MathPart, MathPart]:
    """x_{k+1} = y_k + beta (y_k - y_{k-1}) and y_{k+1} = T_L(x_{k+1})."""
    extrapolated = row(X_NEXT, o("="), Y_K, o("+"), beta, o("("), Y_K, o("−"), Y_BEFORE, o(")"), o(","))
    return extrapolated, row(Y_NEXT, o("="), of(T_L, X_NEXT))


def growing(factor: str) -> MathPart:
    """t_{k+1} = (1 + sqrt(1 + 4 t_k^2)) / 2, with the 4 or without."""
    inside = row(n("1"), o("+"), *([n(factor)] if factor else []), sup(T_K, n("2")))
    return row(T_NEXT, o("="), over(row(n("1"), o("+"), root(inside)), n("2")), o(","))


FISTA_BETA = row(BETA_K, o("="), over(row(T_K, o("−"), n("1")), T_NEXT))

SYMBOLS: dict[str, Entry] = {
    "f": Entry(
        "objective",
        "The function that is minimised: a smooth part h and a simple penalty ψ.",
        "equation (1)", (row(at("f", X), o("="), at("h", X), o("+"), at("ψ", X)),), i("f"), ("f",),
    ),
    "h": Entry(
        "smooth part",
        "The part of f with a gradient; h is L-smooth and μ-strongly convex.",
        "equation (1)", (), H, ("h",),
    ),
    "psi": Entry(
        "penalty",
        "The convex part of f that needs no gradient, only its prox, such as λ‖x‖₁; ψ = 0 where there is "
        "none.",
        "equation (1)", (), PSI, ("ψ",),
    ),
    "lam": Entry(
        "weight of the penalty",
        "How much the penalty, or the regularisation λ‖x‖² of logistic regression, counts against the data.",
        "table 1 (appendix C)", (), LAM, ("λ",),
    ),
    "x_star": Entry(
        "minimiser",
        "The point where f is smallest; x₀ is where all methods start.",
        "notation (section 1)", (row(STAR_F, o("="), of(i("f"), STAR_X)),), STAR_X, ("x*", "x₀", "x"),
    ),
    "f_star": Entry(
        "optimal value",
        "The smallest value of f. Polyak steps, adaptive methods and restarts need to know it; here it is "
        "computed with a certified error.",
        "notation (section 1), section 3", (row(STAR_F, o("="), i("min"), i("f")),), STAR_F, ("f*",),
    ),
    "gap": Entry(
        "gap",
        "How far the value at the k-th iterate yₖ lies above the smallest one. Methods are judged by how "
        "fast it falls.",
        "proposition 2.3", (), gap(), ("f(yₖ) − f*", "yₖ", "k"),
    ),
    "relative_gap": Entry(
        "relative gap",
        "The gap divided by the initial gap, so that all problems begin at 1.",
        "", (), over(gap(), FIRST_GAP), ("δ",),
    ),
    "L": Entry(
        "smoothness",
        "The largest curvature of h: its gradient changes by at most L times the distance. Step sizes are "
        "1/L.",
        "lemma A.1", (row(at("h", X), o("≤"), at("h", Y), o("+"), sup(row(o("∇"), at("h", Y)), i("T")),
         o("("), X, o("−"), Y, o(")"), o("+"), over(BIG_L, n("2")), norm(X, o("−"), Y)),), BIG_L, ("L",),
    ),
    "mu": Entry(
        "strong convexity parameter",
        "The smallest curvature of h, for a quadratic its smallest eigenvalue. Momentum needs it, and it "
        "is rarely known.",
        "lemma A.1", (row(at("h", X), o("≥"), at("h", Y), o("+"), sup(row(o("∇"), at("h", Y)), i("T")),
         o("("), X, o("−"), Y, o(")"), o("+"), over(MU, n("2")), norm(X, o("−"), Y)),), MU, ("μ",),
    ),
    "kappa": Entry(
        "condition number",
        "How unequal the curvatures are. Here κ is always L/μ; the paper's algorithms 2 and 3 also write κ "
        "for μ/L.",
        "section 1, below equation (3)", (row(i("κ"), o("="), over(BIG_L, MU)),), i("κ"), ("κ",),
    ),
    "eigenvalues": Entry(
        "eigenvalues",
        "The curvatures of a quadratic along its principal directions; the largest is L, the smallest is μ.",
        "lemma 3.1", (row(F_OF_X, over(n("1"), n("2")), SUM, sub(LAM, i("i")), sup(sub(X, i("i")), n("2"))),
         ), sub(LAM, i("i")), ("λᵢ", "Σ", "AᵀA"),
    ),
    "T_L": Entry(
        "proximal gradient step",
        "One step from y: down the gradient of h with step 1/L, then the prox of ψ. Without ψ it is a "
        "gradient step.",
        "equation (4)", (row(of(T_L, Y), o("="), sub(i("argmin"), X), GRADIENT_Y, o("·"), o("("), X,
         o("−"), Y, o(")"), o("+"), over(BIG_L, n("2")), norm(X, o("−"), Y), o("+"), at("ψ", X)),), T_L,
         ("T_L",),
    ),
    "g_L": Entry(
        "reduced gradient",
        "What a step subtracts, times L. Without ψ it is the gradient of h.",
        "equation (5)", (row(of(G_L, Y), o("="), BIG_L, o("("), Y, o("−"), of(T_L, Y), o(")")),), G_L,
         ("g_L", "‖g‖"),
    ),
    "beta": Entry(
        "momentum",
        "How much of the last step yₖ − yₖ₋₁ is added before the next one; close to 1 where μ is small "
        "compared with L.",
        "algorithms 1, 4 and 5", (row(BETA, o("="), momentum(MU)),), BETA_K, ("β", "βₖ"),
    ),
    "t_k": Entry(
        "momentum counter",
        "The number from which FISTA computes its growing momentum; a restart sets it back to 1.",
        "algorithm 5, printed there without the 4", (growing("4"), FISTA_BETA), T_K, ("t", "t₊", "tₖ"),
    ),
    "tau": Entry(
        "weight of the newest bound",
        "How much the newest lower bound counts in the estimate sequence; the root of μₖ₊₁/L.",
        "algorithms 2 and 3", (row(TAU_K, o("="), root(row(MU_NEXT, o("/"), BIG_L))),), TAU_K, ("τ",),
    ),
    "A_k": Entry(
        "sum of weights",
        "What theory divides the initial gap by: the proven bound is of the order of 1/A_k.",
        "propositions 2.3 and 2.4", (row(A_K, o("="), sub(o("∏"), i("i")), sup(row(o("("), n("1"), o("−"),
         root(row(sub(MU, i("i")), o("/"), BIG_L)), o(")")), row(o("−"), n("1")))),), A_K, ("A_k", "Aₖ"),
    ),
    "mu_hat": Entry(
        "estimate at one iterate",
        "What one iterate tells about μ. It is the inverse of twice Polyak's step, and never below μ where ψ "
        "= 0.",
        "equation (22), algorithm 4", (ESTIMATE_FORMULAS["polyak"][0][:-1],), HAT_K, ("μ̂", "μ̂ₖ"),
    ),
    "mu_k": Entry(
        "running estimate of μ",
        "The smallest estimate so far; the adaptive methods use it in place of μ.",
        "equation (22)", (ESTIMATE_FORMULAS["polyak"][1],), MU_K, ("μₖ", "μₖ₊₁"),
    ),
    "mu0": Entry(
        "first estimate",
        "The upper bound on μ that AdaptAPG starts from; L/2 in the paper.",
        "section 3", (row(MU_0, o("="), over(BIG_L, n("2"))),), MU_0, ("μ₀",),
    ),
    "mu_loc": Entry(
        "local strong convexity",
        "The curvature between xₖ and x* that the proof for AdaptAPG needs, at least μ; what μₖ is "
        "compared with where f is not quadratic.",
        "equation (29), appendix C", (row(of(MU_LOC, X), o("="), over(row(n("2"), o("("), STAR_F, o("−"),
         of(i("f"), of(T_L, X)), o("−"), sup(of(G_L, X), i("T")), o("("), STAR_X, o("−"), X, o(")"),
         o("−"), over(norm(of(G_L, X)), row(n("2"), BIG_L)), o(")")), norm(X, o("−"), STAR_X))),), MU_LOC,
         ("μ_loc", "xₖ"),
    ),
    "rate_C": Entry(
        "constant of the envelope",
        "If μₖ falls to μ like C/(k+1)² with a small enough C, AdaptAPG provably keeps the accelerated "
        "rate.",
        "proposition 2.8", (DIFFERENCE,), BIG_C, ("C/(k+1)²", "C/(k + 1)²"),
    ),
    "bound": Entry(
        "rate of APG",
        "After k iterations of APG with the true μ the gap is at most a constant times this power.",
        "proposition 2.3", (PROPOSITION,), sup(row(o("("), n("1"), o("−"), root(row(MU, o("/"), BIG_L)),
         o(")")), i("k")), ("√", "√(μ/L)", "√κ"),
    ),
    "gamma": Entry(
        "depth of a restart",
        "The restarted method begins anew when the gap first falls to each of the levels e^(−γj) of the "
        "initial gap. γ has to be chosen, and the speed depends on it.",
        "algorithm 6 (appendix C)", (row(gap(), o("≤"), sup(i("e"), row(o("−"), GAMMA, i("j"))), o("("),
         FIRST_GAP, o(")")),), GAMMA, ("γ", "e^(−γj)"),
    ),
    "alpha": Entry(
        "dual variables",
        "The unknowns of the dual of an SVM, one for each observation; Q holds the kernel times the labels.",
        "table 1 (appendix C)", (row(at("f", i("α")), o("="), over(BIG_C, n("4")), sup(i("α"), i("T")),
         i("Q"), i("α"), o("−"), sup(n("1"), i("T")), i("α")),), i("α"), ("α", "Q"),
    ),
    "svm_C": Entry(
        "weight of the SVM",
        "How much errors count against a wide margin: the SVM minimises Σ hinge + ‖w‖²/C.",
        "table 1 (appendix C)", (), BIG_C, ("C", "‖w‖²/C"),
    ),
    "kernel": Entry(
        "kernel",
        "How alike two observations are: their inner product, or a Gaussian of width w of their distance.",
        "", (), i("K"), ("K", "w"),
    ),
}  # fmt: skip
"""By a name of ours; texts write each as its `written` says."""
