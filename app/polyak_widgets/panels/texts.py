"""What charts say in a few words: titles, notes, marks, and why there is nothing to draw."""

from __future__ import annotations

from collections.abc import Mapping

# The gap
GAP_TITLE = "Relative gap"
Y_TITLES: Mapping[str, str] = {
    "distance": "Distance to x*",
    "gradient": "Norm of g_L(yₖ)",
    "ratio": "Gap relative to",
}
"""Of the first panel where it shows no gap; the last goes on with a name."""
Y_LABEL, BESIDE_LABEL = "What the y axis shows", "Method whose gap is 1"
OWN_LINE_LABEL, OWN_LINE_EXAMPLE = "Line of your own", "0.5 * 0.99^k or 10/k^2"
ONLY_OWN_LINE_HELP = "A line of your own; theorems promise nothing of what is drawn"
NO_OTHER = "a method that is not drawn"
GRADIENT_NOTE = "g_L is the gradient of f where ψ = 0, else the gradient mapping L (y − T_L(y))"
RATIO_NOTE = "at the same k; where a method lies below 1, its gap is the smaller one"
DISTANCE_BOUNDS_HELP = "What is proven for ITEM: no first-order method can promise a smaller distance"
BOUNDS = "bounds"
BOUNDS_HELP = (
    "What theorems promise for methods that have one, and the rates of gradient descent and of acceleration"
)
ONE_BOUND_HELP = "What is proven for FISTA; the other bounds need a μ above 0, and here μ = 0"
F_STAR_IS_EXACT, F_STAR_IS_AN_ESTIMATE = "exact", "estimated"
OWN_METHODS_TITLE = "Your own"

# Marks
FROZEN = "estimate frozen here"
END_OF_BUDGET = "end of the budget"
A_RESTART, SOME_RESTARTS = "restart", "some of the restarts"

# Lines of theory
BOUND_FISTA, BOUND_TRIPLE = "bound for FISTA", "bound for triple momentum"
BOUND_ITEM = "bound for ITEM, the best possible"
BOUND_APG, BOUND_ADAPT_APG = "Prop. 2.3 for APG", "Prop. 2.4 for AdaptAPG"
BOUND_CG = "Chebyshev’s bound for CG"
ENVELOPE, ENVELOPE_SO_FAR, ENVELOPE_ADMITTED = "C/(k+1)²", "C/(k+1)² so far", "C/(k+1)² of Prop. 2.8"

# Estimates of mu
MU_TITLE, DIFFERENCES_TITLE = "Estimates of μ", "How far above μ"
DIFFERENCES_HELP = "How far μₖ lies above μ and μ_loc, with the envelope C/(k+1)² that Prop. 2.8 asks for"
F_STAR_EFFECTS: Mapping[str, str] = {
    "too_low": "f* is given too low, so estimates may lie below μ",
    "too_high": "f* is given too high, so estimates are too large",
    "dual": "the dual bound lies below f*, so estimates may lie below μ",
}
ALL_BOUNDS, NONE_BOUNDS = ", all ≥ μ", ", no bound"
ESTIMATES_LABEL, ALONG_LABEL = "What is shown of μ", "Run along which μ is estimated"
NO_BOUND = "no bound on μ: AdGD takes the latest curvature"
NO_RUN = "No method that is chosen can run here; the table says why."
NONE_ABOVE = "values, since no μₖ lies above μ or above μ_loc(xₖ)"
TRUE_MU_NAME, LEAST_NAME = "true μ =", "smallest curvature > 0:"
POWERS_ARE_STRAIGHT = "on these axes a power of k is a straight line"
MU0_BELOW = "μ₀ lies below μ, so μₖ of AdaptAPG does too"
L_TOO_SMALL = "L is given too small, so estimates may lie below μ"
LOCAL_ESTIMATES = "local estimates: where ψ ≠ 0 they may fall below μ"
BECAUSE_NO_PENALTY, BECAUSE_CERTIFIED = "since ψ = 0 here", "certified"
BUT_ADGD = ", but for that of AdGD"

# The closer look
HEADINGS: Mapping[str, str] = {
    "momentum": "Momentum βₖ",
    "components": "Error yₖ − x* by eigen-direction",
    "path": "Path of yₖ on contours of f",
    "estimates": "Six estimates of μ",
    "band": "Relative gap, 20 runs as a band",
}
SWEEP_TITLES: Mapping[str, str] = {
    "gamma": "What γ costs the restarted method",
    "mu0": "What μ₀ costs AdaptAPG",
    "condition_number": "What the condition number costs",
}
SWEEP_AXES: Mapping[str, str] = {
    "gamma": "γ",
    "mu0": "μ₀ / L",
    "condition_number": "condition number κ = L/μ",
}
EIGENVALUE_AXIS, AT_START = "eigenvalue (slow to fast)", "at the start"
SLOWEST_AXIS = "slowest direction, "
NO_PINS_HERE = "pinned runs are not drawn here"
SPLITTING = "Splitting the error by direction…"
BY_SIX_RULES = "Estimating μ by six rules…"
FIRST_RUNS = "The first of the runs are not there yet…"

BEST_VALUE = "best"

# Why a closer look is empty, after "because"
HELD_BACK = "a question is open and this chart may give away its answer; it appears once you have predicted."
STOPPED = "it was stopped before anything could be drawn; change a setting to go on."
NO_METHOD = "no method can run here; the table says why."
AT_THE_END = "the initial gap is 0: all methods start at x*."
NO_ERROR = "the start is x* itself in all of these directions."
ONE_DIRECTION = "only one direction has curvature, so every path is a line through x*."
NO_MOTION = "the start has no part in these two directions: nothing moves in their plane."

# Pins
OTHER_DATA, AS_DRAWN = "other file", "what is drawn now"
NEVER_THERE = "never"
FIELD_SYMBOLS = {
    "lam": "λ",
    "C": "C",
    "width": "w",
    "condition_number": "κ",
    "n": "n",
    "rows": "rows",
    "seed": "seed",
    "mu0": "μ₀/L",
    "gamma": "γ",
    "iterations": "iterations",
    "target": "target",
    "f_star_delta": "δ",
    "L_factor": "L given/true",
    "mu_factor": "μ given/true",
}
"""How short names say which setting of a pin is another."""


def in_the_paper(place: str) -> str:
    """Where the paper has what is explained."""
    return f"In the paper: {place}"


def other_setting(field: str) -> str:
    """A setting that differs, where its value says nothing."""
    return f"other {field}"


def many_methods(count: int) -> str:
    """How many methods a pin has."""
    return f"{count} methods"


def initial_gap(value: str) -> str:
    """What relative gaps are parts of."""
    return f"initial gap f(x₀) − f* = {value}"


def initial_distance(value: str) -> str:
    """What distances are parts of."""
    return f"initial distance ‖x₀ − x*‖ = {value}"


def to_a_method(name: str) -> str:
    """Whose gap the others are parts of."""
    return f"to {name}"


def certified_to(error: str, of_it: bool) -> str:
    """How well f* is known, as it is or as a part of the initial gap."""
    return f"certified to {error}{' of it' if of_it else ''}"


def f_star_in_words(certainty: str, f_star: str) -> str:
    """Which f* is drawn, and which is given."""
    return f"drawn with the true f* ({certainty}); methods are given {f_star}"


def error_of_f_star(part: str) -> str:
    """The level below which the gap that methods see is the error of the f* that they are given."""
    return f"error of f*: {part}"


def of_initial_gap(part: str) -> str:
    """A gap as a part of the initial one."""
    return f"{part} of the initial gap"


def rounding_below(gap: str) -> str:
    """What the grey band of a chart means."""
    return f"below {gap}: rounding"


def value_now(symbol: str, value: str) -> str:
    """Where a parameter stands."""
    return f"{symbol} = {value} now"


def worst_case_of(method: str) -> str:
    """The exact worst case of a method."""
    return f"worst case of {method}"


def mu_hat_at(point: str, method: str) -> str:
    """The estimate of one step."""
    return f"μ̂ at {point}, {method}"


def slope_of_envelope(method: str) -> str:
    """How an envelope looks, and whose it is."""
    return f"on these axes C/(k + 1)² has slope −2; C is fitted to {method}"


def upper_bounds(why: str, but: str) -> str:
    """What the estimates are."""
    return f"upper bounds on μ, {why}{but}"


def cost_of_goal(cost: str, goal: str) -> str:
    """What a sweep counts."""
    return f"{cost} to {goal}"


def runs_known(known: int, whole: int) -> str:
    """How far a sweep is."""
    return f"{known} of {whole} runs are known"


SWEEP_STOPPED, SWEEP_OUT_OF_TIME = "; stopped", "; the time for this chart is used up"


def line_ends(most: str) -> str:
    """Why lines of a sweep end."""
    return f"a line ends where {most} are not enough"


def pin_needs(method: str, tolerance: str, then: str, now: str) -> str:
    """What a method needed when a picture was kept, and needs now."""
    return f"{method} to {tolerance}: {then}, now {now}."


def pin_ends(method: str, then: str, now: str) -> str:
    """Where a method ended when a picture was kept, and ends now."""
    return f"{method} ends at {of_initial_gap(then)}, now at {now}."


def all_methods(count: int) -> str:
    """The name of the button that draws all methods."""
    return f"all {count}"


def all_methods_help(count: int, few: str) -> str:
    """What the button does that draws all methods."""
    return f"Draws all {count} methods. {few.capitalize()} can be told apart well; the table has all of them."


def few_methods(few: str, count: int) -> str:
    """How many of the methods are drawn."""
    return f"{few.capitalize()} of {count} methods are drawn; the table has all of them."


def group_heading(demand: str) -> str:
    """The heading of methods that must be given the same."""
    return f"Given {demand}"
