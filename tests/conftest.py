"""Leave out what this machine cannot run, and say so; how properties are hunted; one thread for a process."""

import os
import shutil
import sys

import pytest
from hypothesis import HealthCheck, settings

# Workers share the cores: with a thread for each core in every worker, threads wait for each other. This
# counts where NumPy is loaded later, and in all processes that tests start.
for threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

# Where a machine keeps no bytecode, each process compiles this project anew: workers, servers, kernels.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The same examples each time, and neither deadlines nor complaints of slowness: machines differ.
slow = [HealthCheck.too_slow]
settings.register_profile(
    "everywhere", deadline=None, suppress_health_check=slow, derandomize=True, max_examples=25, database=None
)
settings.register_profile(  # of tests/hunt.py
    "hunt", deadline=None, suppress_health_check=slow, max_examples=1000, database=None, print_blob=True
)
settings.load_profile("everywhere")


collect_ignore = ["core/methods/golden_field.py"]
"""A program that no test runs: it needs mpmath."""


def has_data() -> bool:
    """Whether there is a folder for the data sets that are not shipped."""
    return bool(os.environ.get("POLYAK_DATA_DIR"))


def has_firefox() -> bool:
    """Whether there is a Firefox to drive."""
    named = os.environ.get("FIREFOX")
    return any(map(shutil.which, (named,) if named else ("firefox-esr", "firefox")))


def has_pyodide() -> bool:
    """Whether the files of Pyodide are on this machine."""
    from polyak_widgets.page.static.release import absent, folders

    return not absent(folders())


NEEDS = {
    "madelon": (
        has_data,
        "Tests on Madelon were left out: to run them, point POLYAK_DATA_DIR to its folder",
    ),
    "firefox": (
        has_firefox,
        "Tests in Firefox were left out: to run them, install one (make firefox), or name it in FIREFOX",
    ),
    "pyodide": (
        has_pyodide,
        "Tests of the page without a server were left out: to run them, name folders that hold Pyodide's "
        "files in POLYAK_PYODIDE_DIR",
    ),
}
"""What a mark asks of this machine, and what is said where that is missing."""


ALONE = {"faults", "package", "firefox", "notebooks", "pyodide"}
"""Marks of tests that run where one of them is asked for by name: each has a verb of the Makefile."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, and four at most: a test of a page waits for its browser."""
    return min((os.cpu_count() or 1) + 1, 4)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests whose mark asks for what is missing, and those that are for other verbs."""
    named = {mark for mark in ALONE if mark in config.option.markexpr}
    missing = {mark for mark, (is_there, _) in NEEDS.items() if not is_there()}
    left_out = []
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if marks & missing or (marks & ALONE and not marks & named):
            left_out.append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out, and what would bring it back."""
    named = terminalreporter.config.option.markexpr
    for mark, (is_there, sentence) in NEEDS.items():
        if not is_there() and (mark not in ALONE or mark in named):
            terminalreporter.write_line(sentence)
