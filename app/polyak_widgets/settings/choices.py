"""The words of every choice on the page: names as `Settings` has them, and what people read."""

from __future__ import annotations


def choice_name(choice: str) -> str:
    """What a choice is called within a sentence: its words up to a comma; behind that they tell more of it.

    >>> choice_name("Sonar, 208 × 60"), choice_name("centred")
    ('Sonar', 'centred')
    """
    return choice.partition(",")[0]


PROBLEMS = {
    "quadratic": "Quadratic",
    "least_squares": "Least squares",
    "logistic": "Logistic regression",
    "lasso": "LASSO",
    "svm_dual": "SVM, dual",
    "matrix_completion": "Matrix completion, 30 × 30",
}
"""Names of the functions of `polyak_core` that make them."""
DATA = {
    "sonar": "Sonar, 208 × 60",
    "musk": "Musk, 476 × 166",
    "madelon": "Madelon, 2000 × 500",
    "synthetic": "synthetic",
    "own": "your own file",
}
SPECTRA = {
    "log": "log-spaced",
    "linear": "evenly spaced",
    "clusters": "two clusters",
    "outlier": "one outlier",
    "own": "your own list",
}
SCALINGS = {
    "none": "as they are",
    "center": "centred",
    "standardize": "standardised",
}
SVM_LOSSES = {"hinge": "hinge", "squared_hinge": "squared hinge"}
KERNELS = {"linear": "linear", "rbf": "Gaussian (RBF)"}
STARTS = {
    "default": "usual: ones or zeros",
    "gaussian": "random",
    "no_slow": "without the slowest direction",
}
ESTIMATORS = {"polyak": "Polyak, the paper’s", "certified": "certified", "model": "model"}
F_STARS = {
    "exact": "true, certified",
    "too_low": "too low",
    "too_high": "too high",
    "dual": "not given: best dual bound",
}
GUARDS = {
    "usual": "the adaptive methods",
    "all": "these and restart",
    "none": "none, as printed",
}

ON_DATA = ("least_squares", "logistic", "lasso", "svm_dual")
"""Problems made of a data set."""
WITH_CLASSES = ("logistic", "svm_dual")
"""Problems whose labels are -1 and +1."""
WITH_LAM = ("logistic", "lasso", "matrix_completion")
"""Problems that are weighted by lam."""
WITH_DUAL = ("logistic", "lasso", "svm_dual")
"""Problems with a dual bound that costs nothing."""
WITH_SLOWEST = ("quadratic", "least_squares")
"""Problems whose slowest direction is known exactly: their curvature is the same everywhere."""
