"""Accelerated gradient methods that estimate strong convexity on the way, each curve certified.

>>> import polyak_core as pc
>>> problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))
>>> trace = pc.solve(problem, method="adapt_apg_v2", iterations=2000, target=1e-10)
>>> trace.first_below(1e-10), str(trace.outcome)
(1038, 'target reached')

Reference: M. Barre and A. d'Aspremont, Polyak Steps for Adaptive Fast Gradient Method, 2019.
"""

from polyak_core.data.datasets import Dataset, dataset, load_dataset
from polyak_core.methods.estimators import ESTIMATORS
from polyak_core.methods.paper import Iterate
from polyak_core.methods.registry import METHODS, Method, register
from polyak_core.problems.completion import matrix_completion
from polyak_core.problems.lasso import lasso
from polyak_core.problems.least_squares import least_squares
from polyak_core.problems.logistic import logistic
from polyak_core.problems.paper import paper_problem
from polyak_core.problems.problem import Problem
from polyak_core.problems.quadratic import SPECTRA, quadratic, spectrum
from polyak_core.problems.svm import svm_dual
from polyak_core.progress.watch import Cancelled, watched
from polyak_core.runs.endings import Outcome
from polyak_core.runs.record import lbfgs, record
from polyak_core.runs.run import Run, iterates, solve
from polyak_core.runs.sweep import Failure, sweep
from polyak_core.runs.to_pandas import to_pandas
from polyak_core.runs.trace import Trace

__version__ = "0.1.0"
__all__ = [
    "ESTIMATORS",
    "METHODS",
    "SPECTRA",
    "Cancelled",
    "Dataset",
    "Failure",
    "Iterate",
    "Method",
    "Outcome",
    "Problem",
    "Run",
    "Trace",
    "dataset",
    "iterates",
    "lasso",
    "lbfgs",
    "least_squares",
    "load_dataset",
    "logistic",
    "matrix_completion",
    "paper_problem",
    "quadratic",
    "record",
    "register",
    "solve",
    "spectrum",
    "svm_dual",
    "sweep",
    "to_pandas",
    "watched",
]


def __dir__() -> list[str]:
    """The public names alone: what the Tab key offers."""
    return __all__
