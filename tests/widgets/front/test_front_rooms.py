"""The rooms of the front end: each imports only from rooms to its left, and nothing lies there unused."""

from itertools import combinations
from pathlib import Path
from posixpath import dirname

import polyak_widgets.front
import pytest
from polyak_widgets.front.bundle import exports, imports, order

FRONT = Path(polyak_widgets.front.__file__).parent
FILES = sorted(path.relative_to(FRONT).as_posix() for path in FRONT.rglob("*.js"))
ROOMS = (
    *("ground", "rail/fields", "rail", "charts/plot", "charts/reading", "charts/cards"),
    *("page/story", "page/keep", "page/share", "page/desk", "page", "alone"),
)
"""Left to right."""
APART = [{"rail", "charts"}, {"rail", "page"}, *map(set, combinations(("story", "keep", "share"), 2))]
"""They know nothing of each other; the rail is a widget of its own, so no file of the stage needs it."""
ENTRIES = (
    "page/stage.js",
    "rail/controls.js",
    "page/story/predict.js",
    "page/standalone.js",
    "alone/page.js",
)


def wrong_imports(name: str, needed: list[str]) -> list[str]:
    """The files among those that a file needs which lie to its right or apart from it."""
    room = dirname(name)
    return [
        other
        for other in needed
        if ROOMS.index(dirname(other)) > ROOMS.index(room)
        or any({a, b} in APART for a in room.split("/") for b in dirname(other).split("/"))
    ]


@pytest.mark.parametrize("name", FILES)
def test_each_file_imports_only_from_its_left(name):
    assert wrong_imports(name, list(imports(name))) == []


def test_all_files_lie_in_rooms_and_belong_to_a_widget_or_an_export():
    assert {dirname(name) for name in FILES} == set(ROOMS)
    assert {name for entry in ENTRIES for name in order(entry)} == set(FILES)


def test_the_page_for_contributors_shows_the_rooms():
    page = (Path(__file__).parents[3] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"front {' '.join(ROOMS)}" in " ".join(page.split())


def test_every_export_is_imported_and_every_import_exported():
    exported_names = {(name, exported) for name in FILES for exported in exports(name)}
    imported_names = {
        (other, each) for name in FILES for other, names in imports(name).items() for each in names
    }
    assert exported_names == imported_names


@pytest.mark.parametrize(
    ("name", "needed", "wrong"),
    [
        ("ground/dom.js", ["charts/plot/chart.js", "ground/look.js"], ["charts/plot/chart.js"]),
        ("charts/plot/plot.js", ["charts/cards/cards.js"], ["charts/cards/cards.js"]),
        ("charts/cards/panel.js", ["rail/fields/fields.js", "ground/dom.js"], ["rail/fields/fields.js"]),
        ("page/share/picture.js", ["page/story/story.js"], ["page/story/story.js"]),
        ("page/stage.js", ["charts/cards/cards.js", "page/desk/desk.js"], []),
    ],
)
def test_a_wrong_direction_is_seen(name, needed, wrong):
    assert wrong_imports(name, needed) == wrong
