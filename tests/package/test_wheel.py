"""What is packed: the wheel brings all that it takes to serve, the sdist all that it takes to work on it."""

import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import polyak_core as pc

ROOT = Path(__file__).parents[2]
TEMPLATE = "share/jupyter/voila/templates/polyak/"


@pytest.fixture(scope="module")
def wheel(packed):
    (path,) = packed.glob(f"polyak_explorer-{pc.__version__}-*.whl")
    with zipfile.ZipFile(path) as archive:
        yield {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_has_the_notebooks_and_pages_as_they_stand(wheel):
    there = {name.partition("shipped/")[2] for name in wheel if "shipped/" in name}
    sources = [*(ROOT / "notebooks").glob("*.ipynb"), ROOT / "app" / "explore.ipynb"]
    assert {f"{path.parent.name}/{path.name}" for path in sources} <= there
    assert {path.split("/")[0] for path in there} == {"app", "notebooks", "docs"}
    for name in there:
        assert wheel[f"polyak_widgets/shipped/{name}"] == (ROOT / name).read_bytes()


def test_the_wheel_has_both_packages_the_template_and_the_command(wheel):
    for folder, prefix in (("polyak_core", ""), ("app/polyak_widgets", "app/")):
        for path in (ROOT / folder).rglob("*.*"):
            name = path.relative_to(ROOT).as_posix()
            if not {"__pycache__", "voila_template"} & set(path.parts) and not path.stem.startswith(
                "rebuild_"
            ):
                assert name.removeprefix(prefix) in wheel
    template = {name.partition(TEMPLATE)[2] for name in wheel if TEMPLATE in name}
    assert template == {path.name for path in (ROOT / "app/polyak_widgets/voila_template").iterdir()}
    (entries,) = (text.decode() for name, text in wheel.items() if name.endswith("entry_points.txt"))
    assert "polyak-explorer = polyak_widgets.serving.command:main" in entries


def test_the_sdist_has_what_the_tests_read(packed):
    (path,) = packed.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("docs/install.md", "CONTRIBUTING.md", "Makefile", ".make/install.sh", "deploy/class.env"):
        assert name in names
    tests = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    assert tests <= names
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["readme"] in names
