"""The runs behind the paper's figures: what is run how far, on several cores, kept on disk once done."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.runs.trace import TOLERANCES
from polyak_widgets.panels.frame import thin

CHECKOUT = Path(pc.__file__).parents[1]
CACHE = (CHECKOUT if (CHECKOUT / "pyproject.toml").is_file() else Path()) / "build" / "cache"
"""In a checkout notebooks and `make figures` share it; elsewhere it lies where Python was started."""
KEPT_DAYS = 60
WORTH_WORKERS = 500_000
"""Work, as `_cost` counts it, that takes longer than starting worker processes."""
ESTIMATES = "estimates"
DEEPER = 1e-12
DEPTH = 1e-14
"""Runs end at this part of the initial gap."""
POINTS = 4000
GAMMAS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0)
"""What the paper's "tuned to give the best result" chooses from here."""
WIDE_GAMMAS = (0.2, 0.5, *GAMMAS, 15.0, 20.0)
"""Those of figure 3."""
FEW_GAMMAS = (2.0, 5.0, 8.0)
MADE = ("matrix_completion", *pc.SPECTRA)
"""No data sets: the solver makes them, of a seed or of their eigenvalues."""
SLOW: tuple[str, str] = ("madelon", "svm_dual")
"""Here a run takes a minute, so fewer gammas are tried."""
KNOWN_MU = ("least_squares", "logistic")
"""The paper draws the method that is given mu for these losses."""
BUDGETS = {
    ("matrix_completion", None): 8000,
    ("sonar", "least_squares"): 20_000,
    ("sonar", "logistic"): 12_000,
    ("sonar", "lasso"): 8000,
    ("sonar", "svm_dual"): 8000,
    ("musk", "least_squares"): 40_000,
    ("musk", "logistic"): 20_000,
    ("musk", "lasso"): 20_000,
    ("musk", "svm_dual"): 100_000,
    ("madelon", "least_squares"): 40_000,
    ("madelon", "logistic"): 6000,
    ("madelon", "lasso"): 6000,
    ("madelon", "svm_dual"): 150_000,
}
"""The last k on each problem: where the adaptive methods are well below 1e-10, as far as time allows."""
Key = tuple[str, str | None]
COLUMNS = ("k", "gap", "mu_hat", "mu", "mu_loc", "log_A")
"""Of a trace, where all records are kept."""


@dataclass(frozen=True)
class PaperRun:
    """One run.

    Attributes:
        problem: data set and loss, as `polyak_core.paper_problem` takes them; or a spectrum and None, for a
            quadratic as in section 3, with 50 eigenvalues and L/mu = 1000.
        method: a name in `polyak_core.METHODS`.
        iterations: the last k.
        gamma: for `restart`.
        mu0: first bound of `adapt_apg` as (factor, "L" or "mu").
        study: what for: "comparison", "gamma" (figure 3), "mu0", "fixed mu", "rivals", or "estimates" (figure
            5 and section 3, which need every record, also of mu).
    """

    problem: Key
    method: str
    iterations: int
    gamma: float | None = None
    mu0: tuple[float, str] = (0.5, "L")
    study: str = "comparison"


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What is kept of a run; numbers of the whole run, records thinned for drawing.

    Attributes:
        task: what was run.
        k, gap: records that draw the same picture as all of them.
        reached: first k with gap <= tolerance * gap_0, or None; for each of `TOLERANCES` and `DEEPER`.
        gradients: oracle calls up to there.
        products: matrix products for each iteration, on average.
        last_k: the last iteration.
        outcome: how it ended.
        L, mu, f_star_error: of the problem.
        columns: the columns of a trace, if all of it was kept.
    """

    task: PaperRun
    k: Array
    gap: Array
    reached: dict[float, int | None]
    gradients: dict[float, float | None]
    products: float
    last_k: int
    outcome: str
    L: float
    mu: float
    f_star_error: float
    columns: dict[str, Array] = field(default_factory=dict)


@cache
def problem_of(key: Key) -> pc.Problem:
    """A problem of the paper, made once."""
    if key[0] in pc.SPECTRA:
        return pc.quadratic(pc.spectrum(key[0], n=50, condition_number=1e3))
    return pc.paper_problem(*key)


@cache
def missing(dataset: str) -> str:
    """Why a data set cannot be used here, in words; "" if it can."""
    if dataset in MADE:
        return ""
    try:
        pc.load_dataset(dataset)
    except (ValueError, ImportError) as error:
        return f"{dataset.capitalize()} is missing, so this was not run. {error}"
    return ""


def run_task(task: PaperRun) -> Summary:
    """Run it, now."""
    problem = problem_of(task.problem)
    keywords: dict[str, Any] = {} if task.gamma is None else {"gamma": task.gamma}
    if task.method == "adapt_apg":
        keywords["mu0"] = task.mu0[0] * (problem.L if task.mu0[1] == "L" else problem.mu)
    target = None if task.problem[0] in pc.SPECTRA else DEPTH  # an estimate may need longer than the gap
    trace = pc.solve(problem, task.method, task.iterations, target=target, **keywords)
    indices = thin(trace.gap, POINTS)
    reached = {tolerance: trace.first_below(tolerance) for tolerance in (*TOLERANCES, DEEPER)}
    return Summary(
        task=task,
        k=trace.k[indices],
        gap=trace.gap[indices],
        reached=reached,
        gradients={t: None if k is None else float(trace.gradients[k]) for t, k in reached.items()},
        products=float(trace.products[-1]) / max(1, len(trace) - 1),
        last_k=len(trace) - 1,
        outcome=str(trace.outcome),
        L=problem.L,
        mu=problem.mu,
        f_star_error=problem.f_star_error,
        columns={name: getattr(trace, name) for name in COLUMNS} if task.study == ESTIMATES else {},
    )


def run_tasks(
    tasks: Iterable[PaperRun], *, folder: Path | None = CACHE, jobs: int | None = None, progress: bool = True
) -> dict[PaperRun, Summary]:
    """Run what is not on disk yet, on several cores.

    Args:
        tasks: what to run; the same task is run once. Those whose data set is missing are left out.
        folder: where finished runs are kept, under their settings, the hash of the data, and that of the
            solver; None keeps nothing.
        jobs: how many at a time; as many as there are cores by default, one where
            there is little to do.
        progress: show a bar, of text in a terminal, a widget in a notebook.

    Raises:
        ImportError: joblib or tqdm is missing; the message has the line that installs them.
    """
    joblib, bar = _extras()
    possible = [task for task in dict.fromkeys(tasks) if not missing(task.problem[0])]
    possible.sort(key=lambda task: -_cost(task))
    memory = joblib.Memory(folder, verbose=0)
    if folder is not None:
        memory.reduce_size(age_limit=timedelta(days=KEPT_DAYS))  # of solvers that have been edited since
    cached = memory.cache(_on_disk, ignore=["task"])
    names = {t: (_name(t), _data_hash(t.problem[0]), solver_hash()) for t in possible}
    there = [] if folder is None else [t for t in possible if cached.check_call_in_cache(*names[t], task=t)]
    summaries = {task: cached(*names[task], task=task) for task in there}
    rest = [task for task in possible if task not in summaries]
    few = sum(map(_cost, rest)) < WORTH_WORKERS
    jobs = min(jobs or (1 if few else os.cpu_count() or 1), len(rest))
    if rest:
        calls = [joblib.delayed(_paired)(cached, task, names[task]) for task in rest]
        done = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")(calls)
        results = bar(done, total=len(calls), desc="runs", disable=not progress)
        summaries |= dict(results)
    return {task: summaries[task] for task in possible}


def _paired(cached: Any, task: PaperRun, names: tuple[str, ...]) -> tuple[PaperRun, Summary]:
    return task, cached(*names, task=task)


def _on_disk(name: str, data: str, solver: str, *, task: PaperRun) -> Summary:
    """What is kept on disk, under a text for each of settings, data and solver."""
    return run_task(task)


def _name(task: PaperRun) -> str:
    same = replace(task, study=ESTIMATES if task.study == ESTIMATES else "")
    return repr(same) + repr((DEPTH, TOLERANCES, DEEPER, POINTS, COLUMNS))


def _cost(task: PaperRun) -> float:
    size = {"madelon": 4.0, "musk": 2.0}.get(task.problem[0], 1.0)
    return size * task.iterations


def _extras() -> tuple[Any, Any]:
    try:
        import joblib
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError(
            f'the paper\'s figures need {error.name}: pip install "polyak-explorer[app,figures]"'
        ) from error
    return joblib, tqdm


@cache
def _data_hash(dataset: str) -> str:
    if dataset in MADE:
        return ""
    data = pc.load_dataset(dataset)
    return hashlib.sha256(np.asarray(data.X).tobytes() + data.y.tobytes()).hexdigest()


@cache
def solver_hash() -> str:
    """The version of the solver, and a hash of its sources: an edited solver runs anew."""
    digest = hashlib.sha256()
    for path in sorted(Path(pc.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return f"{pc.__version__} {digest.hexdigest()}"


# -- what is run for which figure ----------------------------------------------------------------


def comparison(
    problem: Key, iterations: int | None = None, gammas: Sequence[float] | None = None
) -> list[PaperRun]:
    """The paper's methods on one of its problems, the restarted one with each gamma."""
    last = min(iterations or BUDGETS[problem], BUDGETS[problem])
    methods = ["adapt_apg_v2", "adapt_apg", "fista", "pgd"]
    if problem[1] in KNOWN_MU:
        methods.append("apg")
    tried = gammas or (FEW_GAMMAS if problem == SLOW else GAMMAS)
    restarted = [PaperRun(problem, "restart", last, gamma=gamma) for gamma in tried]
    return [PaperRun(problem, method, last) for method in methods] + restarted


def tuned(summaries: Iterable[Summary]) -> Summary:
    """The run with the fewest iterations to the deepest tolerance; if none is there, with the least gap."""
    deepest = min(TOLERANCES)

    def order(summary: Summary) -> tuple[float, float]:
        k = summary.reached[deepest]
        return (np.inf if k is None else k, float(summary.gap.min()))

    return min(summaries, key=order)
