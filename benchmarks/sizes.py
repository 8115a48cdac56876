"""Large problems: processor time and memory to make them and to certify x*, each in a process of its own.

python benchmarks/sizes.py 'LASSO 1000 x 5000'      one of them, as JSON
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

for threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[threads] = "1"

import numpy as np
from scipy.sparse import random_array
from timing import table

import polyak_core as pc

LIMIT = 100
"""Seconds of processor time after which a problem is given up."""
DENSITY = 10
"""Non-zeros a row or column of sparse data, whichever are more."""


def dense(rows, columns):
    """A normal matrix and a target that a fiftieth of its columns explains but for noise."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((rows, columns))
    x = np.where(np.arange(columns) < max(1, columns // 50), rng.standard_normal(columns), 0.0)
    return A, A @ x + 0.1 * rng.standard_normal(rows)


def sparse(rows, columns):
    """Ten entries for each line of the longer side, and a target."""
    rng = np.random.default_rng(0)
    draw = {"rng": rng, "data_sampler": rng.standard_normal}
    A = random_array((rows, columns), density=min(1.0, DENSITY / min(rows, columns)), format="csr", **draw)
    return A, A @ rng.standard_normal(columns) + rng.standard_normal(rows)


def lasso(data, share, rows, columns):
    A, b = data(rows, columns)
    return pc.lasso(A, b, share * np.abs(A.T @ b).max())


def svm(loss, rows, columns):
    A, b = sparse(rows, columns)
    return pc.svm_dual(A, np.where(b > 0, 1.0, -1.0), 1.0, loss)


def rbf(loss, rows, columns):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(rows) > 0, 1.0, -1.0)
    return pc.svm_dual(X, y, 1.0, loss, "rbf", 1.0)


def completion(noise, rows, columns):
    rng = np.random.default_rng(0)
    Y = rng.standard_normal((rows, 5)) @ rng.standard_normal((5, columns))
    Y += noise * rng.standard_normal(Y.shape)
    return pc.matrix_completion(Y, rng.random(Y.shape) < 0.3, 0.1 if noise == 0 else 1.0)


def least_squares(data, rows, columns):
    return pc.least_squares(*data(rows, columns))


def scaled(rows, columns):
    """Sparse data with columns in units from 1 to 1e-3."""
    A, _ = sparse(rows, columns)
    A.data *= np.logspace(0, -3, columns)[A.indices]
    rng = np.random.default_rng(1)
    return A, A @ rng.standard_normal(columns) + rng.standard_normal(rows)


def logistic(data, weight, rows, columns):
    A, b = data(rows, columns)
    return pc.logistic(A, np.where(b > 0, 1.0, -1.0), weight * rows)


LARGE = 100_000, 10_000
PROBLEMS = {
    "LASSO, 1e-3 lam_max": (partial(lasso, dense, 1e-3), (1000, 5000)),
    "LASSO, 1e-5 lam_max": (partial(lasso, dense, 1e-5), (1000, 5000)),
    "LASSO, sparse": (partial(lasso, sparse, 1e-2), LARGE),
    "LASSO, sparse, 1e-5 lam_max": (partial(lasso, sparse, 1e-5), LARGE),
    "LASSO, sparse, wide": (partial(lasso, sparse, 1e-2), LARGE[::-1]),
    "SVM, hinge, sparse": (partial(svm, "hinge"), LARGE),
    "SVM, squared hinge, sparse": (partial(svm, "squared_hinge"), LARGE),
    "SVM, hinge, RBF kernel": (partial(rbf, "hinge"), (8000, 5)),
    "SVM, squared hinge, RBF kernel": (partial(rbf, "squared_hinge"), (8000, 5)),
    "completion, rank 5, 30 % observed": (partial(completion, 0.0), (300, 300)),
    "completion, the same with noise": (partial(completion, 0.5), (300, 300)),
    "least squares": (partial(least_squares, dense), (60_000, 600)),
    "least squares, square": (partial(least_squares, dense), (6000, 6000)),
    "least squares, sparse": (partial(least_squares, sparse), LARGE),
    "least squares, sparse, tall": (partial(least_squares, sparse), (200_000, 250)),
    "least squares, sparse, units 1 to 1e-3": (partial(least_squares, scaled), (9000, 7500)),
    "logistic": (partial(logistic, dense, 1e-4), (60_000, 600)),
    "logistic, sparse": (partial(logistic, sparse, 1e-4), (20_000, 2000)),
    "logistic, sparse, lam = 0": (partial(logistic, sparse, 0.0), LARGE),
}
"""What is made, by name, and the rows and columns of the data."""


def measured(name, shrink):
    """In this process: processor time to make it and in all, memory at most, and the bound."""
    make, size = PROBLEMS[name]
    rows, columns = (max(3, n // shrink) for n in size)
    problem = make(rows, columns)
    seconds = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    reference = problem.reference
    usage = resource.getrusage(resource.RUSAGE_SELF)
    scale = 1 if sys.platform == "darwin" else 1024
    return {
        "size": f"{rows:,} x {columns:,}",
        "made": seconds,
        "all": sum(usage[:2]),
        "memory": usage.ru_maxrss * scale / 1e6,
        "bound": reference.error / max(abs(reference.f_star), 1e-300),
        "proven": reference.proven,
        "source": reference.source,
    }


def in_a_child(name, shrink):
    """`measured` in a new process; None where that takes longer than `LIMIT`."""
    command = [sys.executable, str(Path(__file__)), name, str(shrink)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == -signal.SIGXCPU:
        return None
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def report(effort):
    """The section of the page of results."""
    lines = []
    for name in list(PROBLEMS)[:: effort.size(1, 7)]:
        facts = in_a_child(name, effort.size(1, 100))
        if facts is None:
            lines.append([name, " x ".join(f"{n:,}" for n in PROBLEMS[name][1]), "", f"> {LIMIT} s", "", ""])
            continue
        print(name, facts, flush=True)
        claim = "" if facts["proven"] else " (estimated)"
        numbers = [f"{facts['made']:.1f} s", f"{facts['all']:.1f} s", f"{facts['memory']:.0f} MB"]
        lines.append([name, facts["size"], *numbers, f"{facts['bound']:.0e}{claim}"])
    return table(["problem", "data", "made after", "x* after", "memory", "bound / f*"], lines)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 10))
    print(json.dumps(measured(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)))
