"""Write the parts of docs/ that are made of the code: `.venv/bin/python tests/pages.py`.

Each part lies between two marks. The rooms and their sentences come from tests/test_rooms.py and the
docstrings, methods and problems from their tables and constructors. The two walks come from runs that note
which files of a package hand the work on, and which are asked something on the way. The lecture comes from
its scenes and their runs. tests/test_docs.py says when a page is old.
"""

import ast
import inspect
import re
import runpy
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType

import polyak_core as pc

ROOT = Path(__file__).resolve().parents[1]
ROOMS = runpy.run_path(str(ROOT / "tests" / "test_rooms.py"))["ROOMS"]
CORE, WIDGETS = ROOMS
CONSTRUCTORS = (pc.quadratic, pc.least_squares, pc.logistic, pc.lasso, pc.svm_dual, pc.matrix_completion)
PATIENCE = 60


def first_sentence(path: Path) -> str:
    """What the docstring of a file says first."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring, f"{path} says nothing"
    return docstring.split("\n")[0].replace("*", "\\*").replace("|", "\\|")


def rooms(folder: str) -> str:
    """A row for each room, from left to right: its name and its sentence."""
    lines = ["| room | what it is for |", "|---|---|"]
    for name in ROOMS[folder]:
        room = ROOT / folder / name
        place, file = (
            (f"{name}/", room / "__init__.py") if room.is_dir() else (f"{name}.py", room.with_suffix(".py"))
        )
        lines.append(f"| [{place}](../{folder}/{place}) | {first_sentence(file)} |")
    return "\n".join(lines)


class Footprints:
    """The way of a piece of work through the files of a package, while `recording`.

    A file is on the `road` if a function of it is running while one of the `stations` is called: it hands the
    work on to there. It is `beside` it if a function of it is called otherwise; what runs when it is
    imported does not count. Both are in the order of first entry.

    Args:
        folder: of the package.
        stations: names of functions, as their code has them, each unlike all others that are called.
    """

    def __init__(self, folder: str, stations: tuple[str, ...]) -> None:
        package = import_module(Path(folder).name)  # it need not be that of this folder
        self.root = f"{Path(package.__file__).parent}/"
        self.stations = stations
        self.entered: list[str] = []
        self.road: list[str] = []
        self.recording = False

    @property
    def beside(self) -> list[str]:
        """The files beside the road."""
        return [name for name in self.entered if name not in self.road]

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch this thread, and those that begin meanwhile."""
        before = sys.getprofile()
        threading.setprofile(self._step)
        sys.setprofile(self._step)
        try:
            yield
        finally:
            sys.setprofile(before)
            threading.setprofile(before)

    def _step(self, frame: FrameType, event: str, _: object) -> None:
        if not self.recording or event != "call" or frame.f_code.co_name == "<module>":
            return
        path = frame.f_code.co_filename
        if path.startswith(self.root) and (name := path.removeprefix(self.root)) not in self.entered:
            self.entered.append(name)
        if frame.f_code.co_qualname in self.stations:
            calls = reversed([each.f_code.co_filename for each in running(frame)])
            names = [each.removeprefix(self.root) for each in calls if each.startswith(self.root)]
            self.road += [name for name in dict.fromkeys(names) if name not in self.road]


def running(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield the calls that are running, this one first."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def way_of_a_run() -> Footprints:
    """Note how `pc.solve` comes from the call to a step on the quadratic, the record of it, and the trace."""
    steps = Footprints(
        CORE, ("Recorder.advance", "Oracle.prox_step", "Eigenbasis.sizes", "Trace.__post_init__")
    )

    def solve(condition_number: float, record: bool) -> None:
        problem = pc.quadratic(pc.spectrum("log", n=20, condition_number=condition_number))
        steps.recording = record
        trace = pc.solve(problem, "adapt_apg_v2", iterations=500, target=1e-10)
        steps.recording = False
        assert trace.outcome is pc.Outcome.TARGET

    solve(10, record=False)  # imports what is imported late
    with steps.watching():
        solve(100, record=True)
    return steps


def way_of_a_slider() -> Footprints:
    """Note how a message of the rail comes to problem, run and curves, and they as a frame to the page."""
    from polyak_widgets import Explorer

    steps = Footprints(WIDGETS, ("LatestWins.submit", "build_problem", "Run.advance", "clocks", "Wire.show"))
    with steps.watching():
        page = Explorer(show=("gap", "mu"))  # the closer look comes after the first frame
        page.stage.observe(lambda _: setattr(steps, "recording", False), "frame")
        try:
            for condition_number, record in ((2e3, False), (3e3, True)):
                assert page.wait(PATIENCE)
                steps.recording = record
                page.controls.value = page.controls.value | {"condition_number": condition_number}
            assert page.wait(PATIENCE)
            assert not steps.recording
        finally:
            page.close()
    return steps


def walk(folder: str, way: Footprints) -> str:
    """A numbered line for each file of the road; last what is asked on the way, room by room."""
    lines = [
        f"{i}. [{name}](../{folder}/{name}): {first_sentence(ROOT / folder / name)}"
        for i, name in enumerate(way.road, 1)
    ]
    rooms: dict[str, list[str]] = {}
    for name in way.beside:
        room, _, file = name.rpartition("/")
        rooms.setdefault(room, []).append(f"[{file}](../{folder}/{name})")
    others = "; ".join(f"{', '.join(links)}{room and f' of **{room}**'}" for room, links in rooms.items())
    return "\n".join([*lines, "", f"Asked on the way: {others}."])


def in_signs(text: str) -> str:
    """The text with Greek letters where the code spells them, and stars that Markdown leaves alone."""
    return re.sub(r"\bmu(?=_|\b)", "μ", text).replace("gamma", "γ").replace("*", "\\*")


def methods() -> str:
    """A row for each method of the package."""
    lines = ["| method | name | what it does | needs | finds L | from |", "|---|---|---|---|---|---|"]
    for name, method in pc.METHODS.items():
        does, needs = in_signs(method.summary.rstrip(".")), in_signs(", ".join(method.needs) or "nothing")
        finds = "yes" if method.backtracking else ""
        lines.append(f"| `{name}` | {method.label} | {does} | {needs} | {finds} | {method.reference} |")
    return "\n".join(lines)


def problems() -> str:
    """A row for each constructor of a problem: what it must be given, and what it makes."""
    lines = ["| call | problem |", "|---|---|"]
    for make in CONSTRUCTORS:
        parameters = inspect.signature(make).parameters.values()
        first = [p.name for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
        text = (make.__doc__ or "").split("\n")[0].replace("*", "\\*").replace("|", "\\|")
        lines.append(f"| `pc.{make.__name__}({', '.join(first)})` | {text} |")
    return "\n".join(lines)


def lecture(length: int) -> str:
    """The timetable of a lecture of so many minutes."""
    from polyak_widgets.share.lecture.page import timetable_markdown

    return timetable_markdown(length)


def lecture_key() -> str:
    """The lecturer's key; its runs take some seconds."""
    from polyak_widgets.share.lecture.page import key_markdown
    from polyak_widgets.stories.lecture import lessons

    return key_markdown(lessons())


PARTS: dict[tuple[str, str], Callable[[], str]] = {
    ("architecture.md", "rooms of the core"): lambda: rooms(CORE),
    ("architecture.md", "rooms of the page"): lambda: rooms(WIDGETS),
    ("architecture.md", "walk of a run"): lambda: walk(CORE, way_of_a_run()),
    ("architecture.md", "walk of a slider"): lambda: walk(WIDGETS, way_of_a_slider()),
    ("methods.md", "methods"): methods,
    ("methods.md", "problems"): problems,
    ("lecture.md", "lecture of 45 minutes"): lambda: lecture(45),
    ("lecture.md", "lecture of 90 minutes"): lambda: lecture(90),
    ("lecture.md", "key of the lecture"): lecture_key,
}


def part_of(text: str, name: str) -> tuple[str, str, str]:
    """What stands before, between and after the marks of a part."""
    before, mark, rest = text.partition(f"<!-- {name}: by tests/pages.py -->\n")
    between, end, after = rest.partition(f"<!-- end of {name} -->")
    assert mark, f"no mark for {name}"
    assert end, f"no end of {name}"
    return before + mark, between, end + after


def main() -> None:
    """Write all parts."""
    for (page, name), make in PARTS.items():
        path = ROOT / "docs" / page
        before, _, after = part_of(path.read_text(encoding="utf-8"), name)
        path.write_text(f"{before}{make()}\n{after}", encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {name}")


if __name__ == "__main__":
    main()
