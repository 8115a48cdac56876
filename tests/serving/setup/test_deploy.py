"""The tables of deploy/README.md say what is there: settings in their files, tests by name, presets."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from polyak_widgets.serving.environment import USUAL, read_frame_ancestors

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
PAGE = (DEPLOY / "README.md").read_text(encoding="utf-8")
BESIDE_LIMITS = {"HOST", "PORT", "POLYAK_BASE_URL", "POLYAK_FRAME_ANCESTORS", "POLYAK_START"}


def rows(head: str) -> list[list[str]]:
    """The cells of the table that begins with this."""
    lines = PAGE[PAGE.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def preset(name: str) -> dict[str, str]:
    lines = (DEPLOY / f"{name}.env").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def is_true(setting: str, where: str, test: str) -> bool:
    """Whether the setting stands in the file, and the test of that name is run by the verb that is named."""
    path, _, name = test.removeprefix("faults ").partition("::")
    source = (ROOT / path).read_text(encoding="utf-8")
    head = re.search(rf"((?:^@.*\n)*)^def {name}\(", source, re.MULTILINE)
    is_fault = bool(head) and "mark.faults" in head[1] + "".join(
        re.findall("^pytestmark.*", source, re.MULTILINE)
    )
    there = setting.strip("`") in (ROOT / where).read_text(encoding="utf-8")
    return there and bool(head) and is_fault == test.startswith("faults ")


@pytest.mark.parametrize("row", rows("| danger"), ids=lambda row: row[0])
def test_each_danger_has_its_setting_and_its_test(row):
    assert is_true(*row[1:])


def test_a_row_that_is_not_true_is_seen():
    _, setting, where, test = rows("| danger")[0]
    assert is_true(setting, where, test)
    for wrong in (
        (f"{setting}x", where, test),
        (setting, where, f"{test}x"),
        (setting, where, f"faults {test}"),
    ):
        assert not is_true(*wrong)


def test_presets_and_their_table_have_every_variable():
    table = {name.strip("`"): values for name, *values, _ in rows("| variable")}
    assert set(table) == BESIDE_LIMITS | set(USUAL)
    for number, name in enumerate(("class", "public")):
        assert preset(name) == {variable: values[number] for variable, values in table.items()}


def test_a_variable_that_is_set_wins_over_the_preset(tmp_path):
    voila = tmp_path / "voila"
    voila.write_text('#!/bin/sh\necho "$PORT $POLYAK_KERNELS $POLYAK_FRAME_ANCESTORS $*"\n')
    voila.chmod(0o755)
    rest = {name: value for name, value in os.environ.items() if not name.startswith(("POLYAK_", "PORT"))}
    ended = subprocess.run(
        ["sh", ".make/serve.sh", str(tmp_path), "public", "--debug"],
        env=rest | {"POLYAK_KERNELS": "7"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.split() == [
        *("8866", "7", "self", "app/explore.ipynb", "--no-browser"),
        *("--Voila.config_file_paths=app/serving", "--debug"),
    ]


@pytest.mark.parametrize(
    ("ancestors", "header"),
    [
        ("", "'self'"),
        ("self", "'self'"),
        ("'none'", "'none'"),
        ("self https://course.example.org:8443", "'self' https://course.example.org:8443"),
    ],
)
def test_frames_are_allowed_as_the_header_has_it(monkeypatch, ancestors, header):
    monkeypatch.setenv("POLYAK_FRAME_ANCESTORS", ancestors)
    assert read_frame_ancestors() == header


def test_an_unknown_preset_is_said_in_words():
    ended = subprocess.run(
        ["sh", ".make/serve.sh", ".", "nosuch"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "choose PRESET=class or PRESET=public" in ended.stderr
