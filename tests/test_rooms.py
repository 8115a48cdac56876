"""The rooms of both packages: each imports only from rooms to its left, types included."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = {
    "polyak_core": (
        *("arrays", "checks", "lazy", "display", "progress", "matrices", "data", "penalties", "certificates"),
        *("lifted", "problems", "methods", "runs", "theory"),
    ),
    "app/polyak_widgets": (
        *("numbers", "look", "front", "settings", "laboratory", "panels", "stories"),
        *("figures", "share", "paper", "session", "page", "serving"),
    ),
}
"""Left to right, as on the page `docs/architecture.md`."""
MOST_MODULES, MOST_ROOMS = 7, 11
BESIDE = {"__init__.py", "__main__.py", "py.typed", "README.md", "voila_template", "__pycache__"}


def room_imports(source: str, package: str) -> Iterator[str]:
    """Yield the room of each import from the package, or from a room with rooms, wherever it stands."""
    depth = package.count(".") + 1
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute, so that a reader sees the room"
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from {name.split(".")[depth] for name in names if name.startswith(f"{package}.")}


def wrong_directions(room: str, source: str, folder: str) -> list[str]:
    """The rooms to the right of this one that its source imports."""
    order = ROOMS[folder]
    known = set(order[: order.index(room) + 1])
    imported = set(room_imports(source, folder.rpartition("/")[2]))
    return sorted(name for name in imported & set(order) if name not in known)


@pytest.mark.parametrize("folder", ROOMS)
def test_each_room_imports_only_from_its_left(folder):
    wrong = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        room = path.relative_to(ROOT / folder).parts[0].removesuffix(".py")
        if room not in ("__init__", "__main__"):
            wrong[str(path)] = wrong_directions(room, path.read_text(encoding="utf-8"), folder)
    assert len(wrong) > 80
    assert {path: rooms for path, rooms in wrong.items() if rooms} == {}


def circle(sources: dict[str, list[str]], package: str) -> list[str]:
    """Files and rooms of one room that import each other in a circle, if there are any."""
    arrows = {
        name: {other for text in texts for other in room_imports(text, package)} - {name}
        for name, texts in sources.items()
    }
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_rooms_within_a_room_import_in_no_circle():
    inner = {path.parents[1] for folder in ROOMS for path in (ROOT / folder).glob("*/*/**/__init__.py")}
    assert {room.name for room in inner} >= {"panels", "closer_look", "certificates"}
    for room in inner:
        sources: dict[str, list[str]] = {}
        for path in room.rglob("*.py"):
            if path != room / "__init__.py":  # which gathers what it offers
                name = path.relative_to(room).parts[0].removesuffix(".py")
                sources.setdefault(name, []).append(path.read_text(encoding="utf-8"))
        package = next(parent for parent in room.parents if parent.name in ("polyak_core", "polyak_widgets"))
        assert circle(sources, ".".join((package.name, *room.relative_to(package).parts))) == []


@pytest.mark.parametrize("folder", ROOMS)
def test_the_rooms_are_few_and_say_what_they_are_for(folder):
    here = [path for path in (ROOT / folder).iterdir() if path.name not in BESIDE]
    modules, rooms = [p for p in here if p.is_file()], [p for p in here if p.is_dir()]
    assert len(modules) <= MOST_MODULES
    assert len(rooms) <= MOST_ROOMS
    assert {path.name.removesuffix(".py") for path in here} == set(ROOMS[folder])
    for room in (ROOT / folder).glob("*/**/__init__.py"):
        sentence = ast.get_docstring(ast.parse(room.read_text(encoding="utf-8")))
        assert sentence, room
        assert sentence.split("\n")[0].endswith("."), room


def test_the_page_for_contributors_shows_the_rooms():
    page = " ".join((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    for folder, rooms in ROOMS.items():
        assert f"{Path(folder).name} {' '.join(rooms)}" in page


@pytest.mark.parametrize(
    ("room", "source", "wrong"),
    [
        ("lifted", "from polyak_core.matrices.kinds import Matrix", []),
        ("lifted", "def f():\n    from polyak_core.runs.run import Run", ["runs"]),
        ("matrices", "if TYPE_CHECKING:\n    from polyak_core.problems.problem import Problem", ["problems"]),
        ("arrays", "from polyak_core import checks, solve", ["checks"]),
        ("data", "import polyak_core.methods.paper", ["methods"]),
    ],
)
def test_a_wrong_direction_is_seen(room, source, wrong):
    assert wrong_directions(room, source, "polyak_core") == wrong


def test_a_circle_within_a_room_is_seen():
    upward = "from app.panels.words.race import end_text"
    assert circle({"charts": [upward], "words": ["import app.look"]}, "app.panels") == []
    circular = {"charts": [upward], "words": ["from app.panels import charts"]}
    assert set(circle(circular, "app.panels")) == {"charts", "words"}
