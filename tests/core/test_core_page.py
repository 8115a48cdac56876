"""The page that explains the core: its code runs, its links lead somewhere, its files are there."""

import re
from pathlib import Path

import pytest

import polyak_core as pc

PAGE = Path(pc.__file__).parent / "README.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_example_runs_and_converges(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    names = {}
    try:
        exec(code, names)
        trace = pc.solve(names["problem"], "heavy_ball", 2000, target=1e-10)
    finally:
        pc.METHODS.pop("heavy_ball", None)
    assert trace.outcome is pc.Outcome.TARGET
    assert "heavy_ball" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([a-z_]+\.py)`|\]\(([\w/.]+)\)", TEXT))))
def test_files_are_there(name):
    assert (PAGE.parent / "".join(name)).exists()
