"""Leave out what this machine cannot run, and say so; how properties are hunted; one thread for a process."""

import os

import pytest
from hypothesis import HealthCheck, settings

# Workers share the cores: with a thread for each core in every worker, threads wait for each other. This
# counts where NumPy is loaded later, and in all processes that tests start.
for threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

# The same examples each time, and neither deadlines nor complaints of slowness: machines differ.
slow = [HealthCheck.too_slow]
settings.register_profile(
    "everywhere", deadline=None, suppress_health_check=slow, derandomize=True, max_examples=40, database=None
)
settings.register_profile(  # of tests/hunt.py
    "hunt", deadline=None, suppress_health_check=slow, max_examples=1000, database=None, print_blob=True
)
settings.load_profile("everywhere")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests marked `madelon` unless POLYAK_DATA_DIR names a folder."""
    left_out = [] if has_data() else [item for item in items if item.get_closest_marker("madelon")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out, and what would bring it back."""
    if not has_data():
        terminalreporter.write_line(
            "Tests on Madelon were left out: to run them, point POLYAK_DATA_DIR to its folder"
        )


def has_data() -> bool:
    """Whether there is a folder for the data sets that are not shipped."""
    return bool(os.environ.get("POLYAK_DATA_DIR"))
