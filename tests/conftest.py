"""Leave out what this machine cannot run, and say so at the end of the run."""

import os

import pytest

LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests marked `madelon` unless POLYAK_DATA_DIR names a folder."""
    config.stash[LEFT_OUT] = 0
    if os.environ.get("POLYAK_DATA_DIR"):
        return
    left_out = [item for item in items if item.get_closest_marker("madelon")]
    if left_out:
        config.stash[LEFT_OUT] = len(left_out)
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name what was left out, and what would bring it back."""
    if count := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(
            f"{count} tests on Madelon were left out: to run them, point POLYAK_DATA_DIR to its folder"
        )
