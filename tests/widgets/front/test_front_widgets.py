"""The widgets without a browser: what they carry and what they refuse."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys

import pytest
from polyak_widgets.front import bundle as joining
from polyak_widgets.front.bundle import bundle, order, read, style
from polyak_widgets.front.plotly import compressed_plotly, plotly_path
from polyak_widgets.page.widgets import Controls, Stage

ENTRIES = ("page/stage.js", "rail/controls.js")
SAME_NAMES = {
    "ground/low.js": "const NAME = 1;\nexport function twice() {\n  return 2 * NAME;\n}\n",
    "page/other.js": 'import { twice } from "../ground/low.js";\n'
    "const NAME = 2;\nexport const sum = NAME + twice();\n",
    "page/entry.js": 'import { sum } from "./other.js";\nimport { twice } from "../ground/low.js";\n'
    "const NAME = 3;\nexport default [NAME, twice()];\n",
}
"""Files that all use a name of their own, and the same one."""


@pytest.mark.parametrize("entry", ENTRIES)
def test_bundle_holds_every_part_once_and_imports_nothing(entry):
    text = bundle(entry)
    parts = order(entry)
    assert parts[-1] == entry
    assert len(parts) == len(set(parts)) >= 5
    for name in parts[:-1]:
        assert text.count(f'$files["{name}"] = ') == 1
    assert not re.search(r"^\s*//", text, re.MULTILINE), "comments are for those who read the files"
    assert not re.search(r"^import ", text, re.MULTILINE)
    assert re.findall(r"^export .*", text, re.MULTILINE) == ["export default { render };"]


def test_files_may_use_the_same_names(monkeypatch):
    """Each file becomes a function of its own; tests/browser/front/test_bundle.py runs such a bundle."""
    monkeypatch.setattr(joining, "read", SAME_NAMES.get)
    low, other, entry = re.split(r"^\}\)\(\);\n", bundle.__wrapped__("page/entry.js"), flags=re.MULTILINE)
    assert [part.count("const NAME = ") for part in (low, other, entry)] == [1, 1, 1]
    assert low.endswith("return { twice };\n")
    assert 'const { twice } = $files["ground/low.js"];' in other
    assert entry.endswith("const NAME = 3;\nexport default [NAME, twice()];\n")


@pytest.mark.parametrize("entry", ENTRIES)
def test_no_data_becomes_markup_and_nothing_is_fetched(entry):
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|\bfetch\b|https?://(?!www\.w3\.org)"
    )
    matches = {name: re.findall(forbidden, read(name)) for name in order(entry)}
    requests = matches.get("page/heartbeat.js", [])
    matches["page/heartbeat.js"] = [word for word in requests if word != "fetch"]  # it asks its own server
    assert {name: words for name, words in matches.items() if words} == {}


def test_style_sheet_asks_for_nothing():
    assert re.findall(r"url\(|@import|@font-face", style()) == []


def test_plotly_is_found_without_importing_it():
    program = (
        "import sys; from polyak_widgets.page.widgets import Stage; Stage(); print('plotly' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "False"


def test_plotly_is_sent_compressed_and_whole():
    packed = compressed_plotly()
    assert gzip.decompress(packed) == plotly_path().read_bytes()
    assert b"plotly.js v" in gzip.decompress(packed)[:200]
    assert len(packed) < 2.5e6


@pytest.mark.parametrize("widget", [Stage, Controls])
def test_unknown_keywords_raise(widget):
    with pytest.raises(TypeError, match="colour_of_the_moon"):
        widget(colour_of_the_moon="green")


def test_traits_are_synchronised_and_start_empty():
    assert {"frame", "status", "plotly_js"} <= set(Stage().keys)
    assert {"spec", "value", "problems"} <= set(Controls().keys)
    assert (Stage().frame, Stage().status, Controls().spec, Controls().value) == ({}, {}, [], {})
    assert Controls(value={"kappa": 10.0}).value == {"kappa": 10.0}
