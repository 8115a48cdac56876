"""What the rail and the buttons say; numbers and names come as text."""

from __future__ import annotations

from collections.abc import Mapping

# While the page works
FIRST_CURVES = "Computing the first curves…"
AS_AT_FIRST = "The settings are as they were at the start."
RESET = "Settings reset."

# Buttons that lead to a field
REMEDIES = {"upload": "Choose a file", "methods": "Choose methods"}
"""Of all others the button names the field."""

# Headings of the rail
METHODS_TITLE = "Methods"
SPECTRUM_TITLE = "Spectrum and size"
LOSS_TITLE = "Loss and kernel"
ESTIMATE_TITLE = "Estimate, start and end"
WHAT_IF_TITLE = "What if"
OWN_DATA_TITLE = "Own data"

# Fields without effect
_GIVEN_F_STAR = "No method that is drawn is given f*."
WITHOUT_TAKER: Mapping[str, str] = {
    "mu0": "Only AdaptAPG starts from μ₀, and it is not drawn.",
    "gamma": "Only the restarted method uses γ, and it is not drawn.",
    "estimator": "Only AdaptAPG and v2 use it, and neither is drawn.",
    "f_star": _GIVEN_F_STAR,
    "f_star_delta": _GIVEN_F_STAR,
    "guard": "No method that is drawn estimates μ or restarts by f*.",
    "mu_factor": "No method that is drawn is given μ.",
}
"""What is said of a field that matters to no method that is drawn."""
NO_MU = "μ = 0 here, so this has no effect."
NO_WEIGHT = "λ = 0: no regularisation."
DATA_WITHOUT_MU = "κ of the data’s spectrum; this problem has μ = 0."

# Options that are not for a problem
NO_SLOWEST_HERE = "only for quadratics and least squares"
NO_DUAL_HERE = "only for logistic, LASSO and SVM"
NO_DUAL_KNOWN = "is only known for logistic, LASSO and SVM"
NO_DUAL_WITHOUT_WEIGHT = "needs λ > 0"

# Marks below sliders
THE_PAPERS, USUAL_WEIGHT, NO_TARGET = "the paper’s", "usual", "none"

# A file of one's own
FILE_LABEL = "File"
UPLOAD_HELP = (
    "CSV: a row per observation, the label last. NPZ: arrays X and y. LIBSVM: label index:value … "
    "The content says which, not the name. Two labels become −1 and +1; more than two values are kept as "
    "numbers. A file of numbers that Export has saved is drawn beside what is there."
)
OWN_SCALED = (
    "A file of your own is standardised at first, since its features have different units. κ is that of AᵀA."
)


def go_to(field: str) -> str:
    """A button that leads to a field."""
    return f"Go to {field}"


def runs_are_beside(name: str, letter: str) -> str:
    """That a file of runs was read, and how its curves are marked."""
    return f"{name[:24]}: drawn as pin {letter}; a reload loses it."


def pinned_as(letter: str) -> str:
    """A picture is kept."""
    return f"Pinned as {letter}."


def pin_lost(why: str) -> str:
    """A picture that was kept cannot come back."""
    return f"A pin could not be kept. {why}"


def data_condition(kappa: str) -> str:
    """The condition number of a problem on data whose own is chosen."""
    return f"κ of the data’s spectrum; this problem has κ = {kappa}."


def start_refused(start: str) -> str:
    """A start that is not for the problem."""
    return (
        f"“{start}” is not available here, because the curvature of this problem varies or it has a "
        "penalty. The usual start is taken."
    )


def f_star_refused(f_star: str, why: str) -> str:
    """An f* that cannot be given."""
    return f"“{f_star}” {why}; the true f* is given."
