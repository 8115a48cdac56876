"""Fifty random settings in CPython and in the browser's Python: the same iterations, and the same numbers.

Elementwise operations that IEEE 754 rounds (+, -, *, /, the root, and what is made of them alone) have the
same bits. Two things have not: functions of the C library, such as powers, so that eigenvalues inside a
log-spaced spectrum may differ in their last bit; and inner products, which each library adds up in an order
of its own. A quadratic with two unknowns meets neither: its eigenvalues are the ends of the spectrum, and
two terms have one sum.
"""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from polyak_widgets.page.static.release import lock
from polyak_widgets.settings.choices import F_STARS, ON_DATA, SPECTRA, STARTS

pytestmark = [pytest.mark.browser, pytest.mark.pyodide, pytest.mark.faults]

MEASURE = """
def measure(rows):
    import json
    from polyak_widgets.laboratory.experiment import run_experiment
    from polyak_widgets.settings.settings import Settings
    answers = []
    for values in rows:
        try:
            experiment = run_experiment(Settings.from_values(values))
        except ValueError as error:
            answers.append(str(error))
            continue
        answers.append({run.method: None if run.trace is None else [
            str(run.trace.outcome), run.trace.first_below(1e-6 * run.trace.gap[0]), run.trace.gap.tolist()]
            for run in experiment.runs})
    return json.dumps(answers)

def elementwise():
    import json
    import numpy as np
    a, b = np.linspace(-3.0, 7.0, 1000), 1.0 / np.arange(1.0, 1001.0)
    results = {
        "sum": a + b, "difference": a - b, "product": a * b, "quotient": a / b, "root": np.sqrt(b),
        "square": a**2, "step": a - b * (a - a[::-1]) / 3.0, "evenly spaced": a, "larger": np.maximum(a, b),
        "shrunk": np.sign(a) * np.maximum(np.abs(a) - 0.1, 0.0), "smallest so far": np.minimum.accumulate(a),
    }
    return json.dumps({name: result.tobytes().hex() for name, result in results.items()})
"""
LOAD = """async ([lock, wheels, source, rows]) => {
    const script = document.createElement('script');
    script.src = 'pyodide/pyodide.js';
    await new Promise((resolve) => { script.onload = resolve; document.head.append(script); });
    const address = URL.createObjectURL(new Blob([lock]));
    const python = await loadPyodide({ indexURL: 'pyodide/', lockFileURL: address });
    await python.loadPackage(['numpy', 'scipy'], { messageCallback() {} });
    for (const wheel of wheels) python.unpackArchive(await (await fetch(wheel)).arrayBuffer(), 'wheel');
    python.runPython(source);
    const [measure, elementwise] = ["measure", "elementwise"].map((name) => python.globals.get(name));
    return [measure(python.toPy(rows)), elementwise()]; }"""
CLOSE = 1e-10
"""Of the initial gap, where products of matrices have a part: two libraries add in other orders."""


def random_settings() -> list[dict]:
    """Of all problems, methods and what-ifs, small enough to take seconds together."""
    draw = random.Random(16)
    rows = []
    for problem in ["quadratic"] * 20 + list(ON_DATA) * 7 + ["matrix_completion"] * 2:
        row = {
            "problem": problem,
            "iterations": draw.choice([60, 150, 300]),
            "gamma": draw.choice([1.0, 2.0, 5.0]),
            "mu0": draw.choice([0.5, 0.1, 1e-3]),
            "seed": draw.randrange(5),
            "f_star": draw.choice(["exact", "exact", *F_STARS]),
            "L_factor": draw.choice([1.0, 1.0, 2.0]),
            "mu_factor": draw.choice([1.0, 1.0, 0.1]),
        }
        if problem == "quadratic":
            row |= {
                "spectrum": draw.choice([each for each in SPECTRA if each != "own"]),
                "n": draw.choice([2, 30, 100, 300]),
                "condition_number": draw.choice([1e2, 1e4, 1e6]),
                "start": draw.choice(list(STARTS)),
                "methods": ["apg", "adapt_apg_v2", "adapt_apg", "adapt_apg_free", "restart", "fista", "pgd"],
            }
        elif problem in ON_DATA:
            row["data"] = draw.choice(["sonar", "synthetic"])
        rows.append(row)
    return rows


def here(rows: list[dict]) -> tuple[list, dict]:
    """What CPython measures, and its results of elementwise operations."""
    names: dict = {}
    exec(MEASURE, names)
    return json.loads(names["measure"](rows)), json.loads(names["elementwise"]())


def test_fifty_settings_give_the_same_numbers_in_the_browser(browser, host, static_folder):
    rows = random_settings()
    assert len(rows) == 50
    assert sum(row.get("n") == 2 for row in rows) >= 5
    expected, bits = here(rows)
    host.answers["course/polyak/bare.html"] = b"<!doctype html><title>Python alone</title>"
    page = browser.new_page()
    page.set_default_timeout(400_000)
    page.goto(f"{host.address}bare.html")
    wheels = [f"python/{path.name}" for path in (static_folder / "python").iterdir()]
    answers = page.evaluate(LOAD, [json.dumps(lock()), wheels, MEASURE, rows])
    page.close()
    measured, its_bits = map(json.loads, answers)
    assert bits == its_bits
    for row, one, other in zip(rows, expected, measured, strict=True):
        assert_same(row, one, other)


def assert_same(row: dict, one, other) -> None:
    """Refusals in the same words; else the same endings after as many iterations, and the same gaps."""
    if isinstance(one, str):
        assert one == other, row
        return
    assert one.keys() == other.keys(), row
    for method in one:
        if one[method] is None:
            assert other[method] is None, (row, method)
            continue
        (ending, reached, gaps), (its_ending, its_reached, its_gaps) = one[method], other[method]
        assert (ending, reached, len(gaps)) == (its_ending, its_reached, len(its_gaps)), (row, method)
        error = np.abs(np.array(gaps) - its_gaps)
        close = 0.0 if row.get("n") == 2 else CLOSE
        assert np.nanmax(error) <= close * gaps[0], (row, method)
