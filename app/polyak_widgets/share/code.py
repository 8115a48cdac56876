"""From a picture to the few lines that make it again in a notebook, with the same numbers."""

from __future__ import annotations

import json
from typing import Any

from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.laboratory.columns import Columns
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.laboratory.problems import f_star_in_use, method_keywords, run_keywords, start_in_use
from polyak_widgets.laboratory.upload import fingerprint
from polyak_widgets.panels.words.unusual import run_words, unusual, unusual_line
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.choices import ON_DATA
from polyak_widgets.settings.settings import FIELDS, Settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.texts import CLIPPED, OTHER_FILE, OWN_ARRAYS, PAGE_BELOW, PUT_FILE_BESIDE, not_run

SYNTHETIC = "from polyak_widgets.laboratory.synthetic import synthetic_data"
DISTANCE = "from polyak_widgets.laboratory.synthetic import typical_distance"
SLOWEST = "from polyak_widgets.laboratory.start import without_slowest"
STANDARD = {"import hashlib": "hashlib.", "from pathlib import Path": "Path("}
CHOSEN_BY_OTHERS = [name for name, each in FIELDS.items() if each.default is None]
LOOK = """for method, trace in traces.items():
    print(f"{method:18} 1e-10 after {trace.first_below(1e-10)}: {trace.message}")"""
LIST_WIDTH = 100


def notebook_code(experiment: Experiment, view: View, own: OwnData | None = None) -> str:
    """Python that solves the same problem with the same methods by `polyak_core`, then one line for the page.

    After it has run, `problem` and `traces`, a dictionary by method, hold the numbers that are drawn.

    Args:
        experiment: what is drawn.
        view: how.
        own: data of one's own, where the settings mean them.
    """
    settings = experiment.settings
    lines, needs = _problem(settings, own)
    changes = unusual_line(each.words for each in unusual(settings, experiment.problem))
    parts = [
        "\n".join(f"# {line}" for line in (run_words(settings), changes) if line),
        _imports("\n".join(lines), needs),
        "\n".join(lines),
        "\n".join(_runs(experiment)),
        LOOK,
        explorer_code(settings, view, own),
    ]
    return "\n\n".join(parts) + "\n"


def _imports(lines: str, needs: list[str]) -> str:
    """What the lines use, in the usual order."""
    standard = [line for line, sign in STANDARD.items() if sign in lines]
    numpy = ["import numpy as np"] if "np." in lines else []
    blocks = [standard, numpy, ["import polyak_core as pc", *needs]]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def explorer_code(settings: Settings, view: View, own: OwnData | None = None) -> str:
    """The page itself in a notebook, in this state."""
    arguments = _arguments(settings, Settings(), leave_out=("own", *Columns._fields))
    view_arguments = _arguments(view, View(), leave_out=("present",))
    inside = f"Settings({arguments})" + (f", view=View({view_arguments})" if view_arguments else "")
    if settings.problem in ON_DATA and settings.data == "own" and own is not None:
        file = f'pc.load_dataset(path, scaling="none"{_columns(own)})'
        inside += ", data=(X, y)" if _is_from_notebook(own) else f", data={file}"
    names = "Explorer, Settings" + (", View" if view_arguments else "")
    return f"# {PAGE_BELOW}\nfrom polyak_widgets import {names}\n\nExplorer({inside})"


def _arguments(state: Settings | View, first: Settings | View, leave_out: tuple[str, ...] = ()) -> str:
    now, before = state.values(), first.values()
    values = {n: now[n] for n in now if n not in leave_out and (now[n] != before[n] or n in CHOSEN_BY_OTHERS)}
    arguments = {
        n: v for n, v in values.items() if n not in CHOSEN_BY_OTHERS or v != getattr(_without(state, n), n)
    }
    return ", ".join(f"{name}={_literal(value)}" for name, value in arguments.items())


def _without(state: Any, name: str) -> Any:
    """The same with a value that follows from the others."""
    return type(state).from_values({**state.values(), name: None})


def _literal(value: Any) -> str:
    """A value as people write it in Python."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"({', '.join(map(_literal, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def _problem(settings: Settings, own: OwnData | None) -> tuple[list[str], list[str]]:
    """Lines that make `problem`, and what they import."""
    lines, needs = _ingredients(settings, own)
    call = CALLS[settings.problem].format(s=settings)
    lines.append(f"problem = {call})")
    start, more = start_in_use(settings), []
    if start == "gaussian":
        lines.append(f"x0 = np.random.default_rng({settings.seed}).standard_normal(problem.x0.shape)")
        if settings.problem == "svm_dual":
            lines.append(f"x0 = np.clip(x0, 0, {1 if settings.svm_loss == 'hinge' else None})  # {CLIPPED}")
    if start == "no_slow":
        needs.append(SLOWEST)
        arguments = "eigenvalues, None" if settings.problem == "quadratic" else "None, data.X"
        lines.append(f"x0 = without_slowest(problem, {arguments})")
    if settings.L_factor != 1:
        more.append(f"L={settings.L_factor!r} * problem.L")
    if start != "default" or more:
        x0 = "x0" if start != "default" else "problem.x0"
        lines.append(f"problem = {call}, {', '.join([f'x0={x0}', *more])})")
    return lines, sorted(set(needs))


CALLS = {
    "quadratic": "pc.quadratic(eigenvalues",
    "least_squares": "pc.least_squares(data.X, data.y",
    "logistic": "pc.logistic(data.X, data.y, {s.lam!r}",
    "lasso": "pc.lasso(data.X, data.y, {s.lam!r}",
    "svm_dual": 'pc.svm_dual(data.X, data.y, {s.C!r}, "{s.svm_loss}", "{s.kernel}", width',
    "matrix_completion": "pc.matrix_completion(Y, mask, {s.lam!r}",
}
"""Each without its closing bracket."""


def _ingredients(settings: Settings, own: OwnData | None) -> tuple[list[str], list[str]]:
    """Lines for what the problem is made of, and what they import."""
    if settings.problem == "matrix_completion":
        return [
            'paper = pc.paper_problem("matrix_completion")',
            "Y, mask = paper.loss.Y.reshape(paper.shape), paper.loss.mask.reshape(paper.shape)",
        ], []
    lines, needs = [], []
    if settings.problem == "quadratic" or settings.data == "synthetic":
        lines.append(f"eigenvalues = {_eigenvalues(settings)}")
    if settings.problem in ON_DATA:
        if settings.data == "synthetic":
            needs.append(SYNTHETIC)
        lines += _data(settings, own)
    if settings.problem == "svm_dual":
        rbf = settings.kernel == "rbf"
        needs += [DISTANCE] if rbf else []
        lines.append(f"width = {settings.width!r} * typical_distance(data.X)" if rbf else "width = None")
    return lines, needs


def _eigenvalues(settings: Settings) -> str:
    if settings.spectrum == "own":
        return f"np.array({_list(settings.eigenvalues)})"
    return (
        f"pc.spectrum({settings.spectrum!r}, n={settings.n}, condition_number={settings.condition_number!r})"
    )


def _list(text: str) -> str:
    words = [repr(float(word)) for word in text.replace(",", " ").replace(";", " ").split()]
    rows: list[str] = [""]
    for word in words:
        if len(rows[-1]) + len(word) > LIST_WIDTH:
            rows.append("")
        rows[-1] += f"{word}, "
    if len(rows) == 1:
        return f"[{rows[0].removesuffix(', ')}]"
    return "[\n" + "".join(f"    {row.rstrip()}\n" for row in rows) + "]"


def _data(settings: Settings, own: OwnData | None) -> list[str]:
    scaling = _literal(settings.scaling)
    if settings.data == "synthetic":
        return [f"data = synthetic_data(eigenvalues, {settings.rows}, {settings.seed}, {scaling})"]
    if settings.data != "own":
        return [f"data = pc.load_dataset({_literal(settings.data)}, scaling={scaling})"]
    if own is None or _is_from_notebook(own):
        return [f"data = pc.dataset(X, y, scaling={scaling})  # {OWN_ARRAYS}"]
    return [
        f"path = Path({_literal(own.name)})  # {PUT_FILE_BESIDE}",
        f'assert hashlib.sha256(path.read_bytes()).hexdigest() == "{own.sha256}", "{OTHER_FILE}"',
        f"data = pc.load_dataset(path, scaling={scaling}{_columns(own)})",
    ]


def _columns(own: OwnData) -> str:
    """What the columns of a file are for, as keywords."""
    return "".join(f", {name}={value!r}" for name, value in own.columns.for_core.items())


def _is_from_notebook(own: OwnData) -> bool:
    """Whether the data came as numbers and not as a file."""
    return own.sha256 == fingerprint(own.scaled("none"))


def _runs(experiment: Experiment) -> list[str]:
    """The dictionary of traces; what cannot run is said in a comment."""
    settings, problem = experiment.settings, experiment.problem
    ends = run_keywords(settings)
    lines = ["traces = {"]
    for run in experiment.runs:
        if run.trace is None:
            lines.append(f"    # {not_run(run.method, run.refusal)}")
            continue
        keywords = method_keywords(settings, run.method, problem)
        expressions = {name: _expression(name, settings, value) for name, value in keywords.items()}
        words = ", ".join(
            f"{name}={value}" for name, value in ({n: repr(v) for n, v in ends.items()} | expressions).items()
        )
        call = f'pc.solve(problem, "{run.method}", {words})'
        lines.append(f'    "{run.method}": {call},  # {label(run.method, settings)}')
    return [*lines, "}"]


def _expression(name: str, settings: Settings, value: Any) -> str:
    """A keyword as people would write it, by the problem's own numbers."""
    if name == "mu0":
        return f"{settings.mu0!r} * problem.L"
    if name == "mu":
        return f"{settings.mu_factor!r} * problem.mu"
    if name == "f_star" and f_star_in_use(settings) != "dual":
        sign = "-" if settings.f_star == "too_low" else "+"
        return f"problem.f_star {sign} {settings.f_star_delta!r} * problem.gap(problem.x0)"
    return _literal(value)
