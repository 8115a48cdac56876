"""The largest problems that a visitor can ask for."""

from polyak_widgets import Settings

ALL = {"iterations": 100_000, "target": 0.0}
LARGEST = {
    "quadratic": Settings(n=10_000, condition_number=1e9, **ALL),
    "lasso": Settings(problem="lasso", data="synthetic", rows=1000, n=1200, **ALL),
    "logistic": Settings(problem="logistic", data="synthetic", rows=2000, n=1000, **ALL),
    "completion": Settings(problem="matrix_completion", **ALL),
}
