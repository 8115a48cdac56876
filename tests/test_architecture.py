"""The rules that keep the project readable, checked over all tracked files.

Each rule is a function from a text to what is wrong with it; a second test feeds it texts that break it.
"""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from polyak_widgets.serving.command import NEEDED

ROOT = Path(__file__).parents[1]
CORE_IMPORTS = {"numpy", "scipy", "polyak_core"}
CORE_EXTRAS = {"pooch", "dask", "distributed", "pandas"}
VAGUE_NAMES = {"util", "utils", "helper", "helpers", "common", "misc"}
# Written in parts, so that this file passes its own check.
REGISTRIES = [("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("deb", "debian", "org")]
MACHINE_FOLDERS = ["root", "work"]
IN_PLACE = 6
"""More arguments than these are given by name."""
MANY_PLACES = {"Iterate"}
"""People's own methods yield it, with arguments in the places of the public interface."""
FORBIDDEN = [".".join(parts) for parts in REGISTRIES] + [f"/{folder}/" for folder in MACHINE_FOLDERS]

ERRORS = {"error", "exc", "exception", "failure", "warning"}
SENTENCES = {"message", "words", "source", "f_star_source", "refusal", "remedy"}
"""Attributes that hold sentences of the project's own."""
SENTENCE = {"reason", "remedy", "why"}
"""Local names of such sentences; what is typeset, whatever it says, is a `sentence`."""
LOOKS = {
    *("startswith", "endswith", "find", "rfind", "index", "rindex", "count", "partition", "rpartition"),
    *("split", "rsplit", "splitlines", "removeprefix", "removesuffix", "match", "fullmatch", "search"),
    *("findall", "finditer", "sub", "subn"),
}
"""What takes a sentence apart, or looks for something in it."""


def tracked() -> list[PurePosixPath]:
    """Return what git tracks and is there."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a git checkout, so there is no list of tracked files")
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [PurePosixPath(name) for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]


def texts(*suffixes: str) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield the tracked text files with one of these suffixes; all of them when none is given."""
    for path in tracked():
        if not suffixes or path.suffix in suffixes:
            content = (ROOT / path).read_bytes()
            if b"\0" not in content:
                yield path, content.decode()


def imports(source: str) -> Iterator[tuple[str, bool]]:
    """Yield (top-level package, or "" for a relative import; whether it runs when the module is imported)."""

    def visit(node: ast.AST, at_import: bool) -> Iterator[tuple[str, bool]]:
        if isinstance(node, ast.Import):
            yield from ((alias.name.split(".")[0], at_import) for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            yield ("" if node.level else (node.module or "").split(".")[0]), at_import
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, at_import and not inside)

    yield from visit(ast.parse(source), True)


def wrong_core_imports(source: str) -> list[str]:
    allowed = CORE_IMPORTS | set(sys.stdlib_module_names) | {""}
    return [
        name
        for name, at_import in imports(source)
        if name not in allowed and (at_import or name not in CORE_EXTRAS)
    ]


def wrong_notebook(text: str) -> list[str]:
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    lines = [sum(bool(line.strip()) for line in "".join(cell["source"]).splitlines()) for cell in cells]
    wrong = []
    if any(cell["outputs"] or cell["execution_count"] is not None for cell in cells):
        wrong.append("holds outputs or execution counts")
    if sum(lines) > 30:
        wrong.append(f"has {sum(lines)} lines of code, more than 30")
    if max(lines, default=0) > 10:
        wrong.append(f"has a cell of {max(lines)} lines, more than 10")
    return wrong


def wrong_constraints(text: str) -> list[str]:
    return [line for line in text.splitlines() if not re.fullmatch(r"[A-Za-z0-9_.-]+==[^ ]+", line)]


def wrong_words(text: str) -> list[str]:
    return [word for word in FORBIDDEN if word in text.lower()]


def private_names(sources: list[str]) -> set[str]:
    """The names with one underscore that these sources define; Jupyter's own, `_repr_html_`, are public."""
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    functions = {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    attributes = {n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    variables = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return {n for n in functions | attributes | variables if re.fullmatch("_[^_](.*[^_])?", n)}


def touched_names(source: str) -> set[str]:
    """The names that a test reads of something, imports, or replaces by `setattr`."""
    nodes = list(ast.walk(ast.parse(source)))
    read = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    imported = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    words = [
        word
        for call in calls
        if call.func.attr == "setattr"
        for word in call.args
        if isinstance(word, ast.Constant)
    ]
    return read | imported | {str(word.value).rpartition(".")[2] for word in words}


def vague_parts(path: PurePosixPath) -> list[str]:
    return [part for part in path.parts if PurePosixPath(part).stem.lower() in VAGUE_NAMES]


def too_long(source: str) -> bool:
    """Whether there are over 300 lines of code; what documents it does not count."""
    nodes = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Expr)]
    words = [n for n in nodes if isinstance(n.value, ast.Constant) and isinstance(n.value.value, str)]
    documented = sum(n.end_lineno - n.lineno + 1 for n in words)
    return len(source.splitlines()) - documented > 300


def places(node: ast.AST) -> list[str]:
    """The arguments that a function, or the class of a record, takes without their names."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        names = [part.arg for part in (*node.args.posonlyargs, *node.args.args)]
        return names[1:] if names[:1] in (["self"], ["cls"]) else names
    origins = [ast.unparse(part) for part in (*node.decorator_list, *node.bases)]
    is_record = any(re.match("dataclass|.*NamedTuple", part) for part in origins)
    if not is_record or "kw_only=True" in "".join(origins):
        return []
    parts = [part for part in node.body if isinstance(part, ast.AnnAssign)]
    fields = [part for part in parts if "ClassVar" not in ast.unparse(part.annotation)]
    kinds = [ast.unparse(part.annotation) for part in fields]
    last = kinds.index("KW_ONLY") if "KW_ONLY" in kinds else len(fields)
    return [ast.unparse(part.target) for part in fields[:last]]


def many_places(source: str) -> set[str]:
    """The functions and classes that ask a reader to count arguments."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    return {node.name for node in nodes if len(places(node)) > IN_PLACE}


def is_prose(node: ast.AST) -> bool:
    """Whether an expression is a sentence of the project's own: an error in words, a message, a source."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("str", "repr"):
        return any(isinstance(part, ast.Name) and part.id in ERRORS for part in node.args)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):  # lower(), or words made anew
        return node.func.attr in SENTENCES or is_prose(node.func.value)
    if isinstance(node, ast.Subscript):
        return is_prose(node.value)
    if isinstance(node, ast.Name):
        return node.id in SENTENCE
    return isinstance(node, ast.Attribute) and node.attr in SENTENCES


def read_prose(source: str) -> list[str]:
    """The expressions that look for something in a sentence, where a value or a class should say it."""
    wrong = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            prose = any(is_prose(part) for part in (node.left, *node.comparators))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of, looks = node.func.value, node.func.attr in LOOKS
            expression = isinstance(of, ast.Name) and (of.id == "re" or of.id.isupper()) and looks
            prose = (looks and is_prose(of)) or (expression and any(map(is_prose, node.args)))
        else:
            continue
        if prose:
            wrong.append(ast.unparse(node))
    return wrong


def metadata() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def project() -> dict:
    return metadata()["project"]


def group(name: str) -> list[str]:
    """The requirements that a dependency group lists itself."""
    return [entry for entry in metadata()["dependency-groups"][name] if isinstance(entry, str)]


def bounds(requirements: list[str]) -> dict[str, str]:
    """Return name -> bound; the names as conda and pip both read them."""
    parsed = map(Requirement, requirements)
    return {canonicalize_name(requirement.name): str(requirement.specifier) for requirement in parsed}


def conda_bounds(text: str) -> dict[str, str]:
    """Return name -> bound of an environment file, without pip and its own list."""
    listed = [
        entry for entry in yaml.safe_load(text)["dependencies"] if isinstance(entry, str) and entry != "pip"
    ]
    return bounds(listed)


def test_conda_gets_what_pyproject_lists():
    extras = project()["optional-dependencies"]
    expected = bounds([*project()["dependencies"], *extras["app"], *extras["lab"]])
    expected["python"] = project()["requires-python"]
    assert conda_bounds((ROOT / "environment.yml").read_text()) == expected


def test_the_conda_package_asks_for_what_pyproject_lists():
    text = re.sub(r"\$\{\{.*?\}\}", "VERSION", (ROOT / "conda" / "recipe.yaml").read_text())
    recipe = yaml.safe_load(text)
    expected = bounds([*project()["dependencies"], *project()["optional-dependencies"]["app"]])
    expected["python"] = project()["requires-python"]
    assert bounds(recipe["requirements"]["run"]) == expected
    version = re.search(r'__version__ = "(.*)"', (ROOT / "polyak_core" / "__init__.py").read_text())[1]
    assert recipe["context"]["version"] == version
    (command,) = recipe["build"]["python"]["entry_points"]
    assert command.split(" = ") in [list(item) for item in metadata()["project"]["scripts"].items()]


def test_every_dependency_has_a_lower_bound_and_a_pin_within_it():
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines())
    pins = {canonicalize_name(name): version for name, version in pins.items()}
    lists = [project()["dependencies"], *project()["optional-dependencies"].values()]
    lists += map(group, metadata()["dependency-groups"])
    for requirement in (Requirement(text) for entries in lists for text in entries):
        assert str(requirement.specifier).startswith(">="), requirement
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), requirement


def test_the_command_looks_for_all_that_the_extra_app_brings():
    assert set(NEEDED) == set(bounds(project()["optional-dependencies"]["app"]))


def test_extras_and_groups_have_names_of_their_own():
    """The script that installs tells them apart by name."""
    script = (ROOT / ".make" / "install.sh").read_text()
    groups = set(re.search(r"^    (\w+( \| \w+)*)\) groups=", script, re.MULTILINE)[1].split(" | "))
    assert groups == set(metadata()["dependency-groups"]) - {"dev"}
    assert not groups & set(project()["optional-dependencies"])


def test_constraints_are_pins_and_nothing_else():
    assert wrong_constraints((ROOT / "constraints.txt").read_text()) == []


def test_the_core_needs_numpy_and_scipy_alone():
    sources = {
        path: source
        for path, source in texts(".py")
        if path.parts[0] == "polyak_core" and not path.name.startswith("rebuild_")
    }
    assert sources
    assert {path: wrong for path, source in sources.items() if (wrong := wrong_core_imports(source))} == {}


def test_benchmarks_import_what_their_verbs_install():
    extras = project()["optional-dependencies"]
    requirements = bounds([*project()["dependencies"], *extras["app"], *group("bench"), *group("pep")])
    sources = {path: source for path, source in texts(".py") if path.parts[0] == "benchmarks"}
    known = {*sys.stdlib_module_names, *(path.stem for path in sources), "polyak_core", "polyak_widgets"}
    names = {name for source in sources.values() for name, _ in imports(source)} - known
    assert "playwright" in names
    assert {name.lower() for name in names} - {name.lower() for name in requirements} == set()


def test_names_say_what_is_inside():
    assert [path for path in tracked() if vague_parts(path)] == []


def test_python_files_stay_small():
    """Tests stand together as long as they belong together."""
    long = [path for path, source in texts(".py") if path.parts[0] != "tests" and too_long(source)]
    assert long == []


def test_tests_touch_no_private_name():
    """They ask what the public names do; a private name of their own is theirs."""
    private = private_names(
        [source for path, source in texts(".py") if path.parts[0] in ("polyak_core", "app")]
    )
    touched = {
        path: touched_names(source) & private - private_names([source])
        for path, source in texts(".py")
        if path.parts[0] == "tests"
    }
    assert {path: names for path, names in touched.items() if names} == {}


def test_long_calls_name_their_arguments():
    folders = ("polyak_core", "app", "benchmarks")
    sources = [source for path, source in texts(".py") if path.parts[0] in folders]
    assert set().union(*map(many_places, sources)) == MANY_PLACES


def test_long_calls_in_places_are_seen():
    six = "a, b, c, d, e, f"
    record = "class {}:\n    " + "\n    ".join(f"{name}: int" for name in six.split(", "))
    assert many_places(f"def short(self, {six}, *, g): ...\ndef long({six}, g): ...") == {"long"}
    assert (
        many_places(f"@dataclass(frozen=True)\n{record.format('Named')}\n    _: KW_ONLY\n    g: int") == set()
    )
    assert many_places(f"@dataclass(kw_only=True)\n{record.format('Named')}\n    g: int") == set()
    assert many_places(f"@dataclass\n{record.format('Record')}\n    g: int") == {"Record"}
    assert many_places(f"{record.format('Row(NamedTuple)')}\n    g: int") == {"Row"}


def test_notebooks_are_thin_and_clean():
    assert {path: wrong for path, text in texts(".ipynb") if (wrong := wrong_notebook(text))} == {}


def test_no_file_names_a_registry_or_a_machine_s_folder():
    assert {path: wrong for path, text in texts() if (wrong := wrong_words(text))} == {}


def test_no_sentence_of_the_project_s_own_is_taken_apart():
    sources = {path: source for path, source in texts(".py") if path.parts[0] in ("polyak_core", "app")}
    assert len(sources) > 100
    assert {path: wrong for path, source in sources.items() if (wrong := read_prose(source))} == {}


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("raise ValueError(f'{name}: {error}')", 0),
        ("words = str(error).rstrip('.')", 0),
        ("said = {'why': trace.message}", 0),
        ("re.search('iteration', query)", 0),
        ("if 'pickle' in str(error): pass", 1),
        ("if 'pickle' not in str(error).lower(): pass", 1),
        ("re.search('iteration', run.trace.message)", 1),
        ("PLACE.search(trace.message)", 1),
        ("trace.message.startswith('Bounces')", 1),
        ("str(error).partition('Without')", 1),
        ("'estimated' in problem.reference.source", 1),
        ("ending.words().split(': ')", 1),
        ("trace.message[:4] == 'Stop'", 1),
        ("if 'dual bound' in why: pass", 1),
        ("words = why or sentence", 0),
    ],
)
def test_sentences_taken_apart_are_seen(source, count):
    assert len(read_prose(source)) == count


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        (
            "import numpy, math\nfrom scipy.linalg import svd\nfrom . import run\nfrom polyak_core import f",
            [],
        ),
        ("def f():\n    import pooch", []),
        ("import pooch", ["pooch"]),
        ("try:\n    from dask import array\nexcept ImportError:\n    pass", ["dask"]),
        ("class C:\n    import distributed.client", ["distributed"]),
        ("def f():\n    import matplotlib", ["matplotlib"]),
        ("def f():\n    from polyak_widgets.settings.settings import Settings", ["polyak_widgets"]),
    ],
)
def test_wrong_imports_are_seen(source, wrong):
    assert wrong_core_imports(source) == wrong


def notebook(*sources: str, outputs: tuple = (), count: int | None = None) -> str:
    cells = [
        {
            "cell_type": "code",
            "source": source.splitlines(True),
            "outputs": list(outputs),
            "execution_count": count,
        }
        for source in sources
    ]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": "x\n" * 99}, *cells]})


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (notebook("x = 1\n" * 10, "\n" * 20, "x = 1\n" * 10, "x = 1\n" * 10), []),
        (notebook("x = 1", outputs=({},)), ["holds outputs or execution counts"]),
        (notebook("x = 1", count=3), ["holds outputs or execution counts"]),
        (notebook("x = 1\n" * 11), ["has a cell of 11 lines, more than 10"]),
        (notebook(*["x = 1\n" * 8] * 4), ["has 32 lines of code, more than 30"]),
    ],
)
def test_fat_notebooks_are_seen(text, wrong):
    assert wrong_notebook(text) == wrong


@pytest.mark.parametrize(
    "line", ["numpy>=2", "# pins", "", "numpy==2.0 --hash=x", "--index-url x", "a @ file:b"]
)
def test_lines_that_are_no_pins_are_seen(line):
    assert wrong_constraints(f"numpy==2.4.6\n{line}\nscipy==1.17.1\n") == [line]


@pytest.mark.parametrize("word", FORBIDDEN)
def test_forbidden_words_are_seen(word):
    assert wrong_words(f"see {word.upper()}x") == [word]


def test_vague_names_and_long_files_are_seen():
    assert vague_parts(PurePosixPath("app/Utils.py")) == ["Utils.py"]
    assert vague_parts(PurePosixPath("common/run.py")) == ["common"]
    assert not vague_parts(PurePosixPath("app/commonplace.py"))
    assert too_long("x\n" * 301)
    assert not too_long("x\n" * 300)
    assert not too_long('"""One\nand two."""\n' + "x\n" * 300)


def test_touched_private_names_are_seen():
    product = (
        "class A:\n    def _b(self):\n        self._c = 1\n    def _repr_x_(self): ...\n_d = 2\n__e = []"
    )
    assert private_names([product]) == {"_b", "_c", "_d"}
    test = (
        "from x import _b\nx._c\nmonkeypatch.setattr(x, '_d', 1)\nmonkeypatch.setattr('x._e', 1)\nsay('_f')"
    )
    assert {"_b", "_c", "_d", "_e"} <= touched_names(test)
    assert "_f" not in touched_names(test)


def test_a_bound_that_differs_is_seen():
    listed = "dependencies: ['NumPy>=2', scipy, pip, {pip: ['-e .']}]"
    assert conda_bounds(listed) == {"numpy": ">=2", "scipy": ""}


def test_the_page_starts_without_what_it_may_never_need():
    heavy = ("scipy.linalg", "scipy.optimize", "scipy.sparse", "scipy.special", "plotly", "pandas", "pooch")
    program = (
        "import sys; from polyak_widgets import Explorer; made = Explorer(); assert made.wait(60);"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"


def defined(source: str) -> Iterator[str]:
    """Yield the public classes, functions and names of types of a module."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and not target.id.isupper():
                yield target.id


def named_twice(sources: dict[str, str]) -> dict[str, list[str]]:
    """Public names that several modules define, each with its modules."""
    places: dict[str, set[str]] = {}
    for path, source in sources.items():
        for name in defined(source):
            if not name.startswith("_") and name != "main":
                places.setdefault(name, set()).add(path)  # overloads stand in one
    return {name: sorted(paths) for name, paths in places.items() if len(paths) > 1}


@pytest.mark.parametrize("folder", ["polyak_core", "app/polyak_widgets"])
def test_a_noun_means_one_thing(folder):
    sources = {str(path): source for path, source in texts(".py") if str(path).startswith(f"{folder}/")}
    assert len(sources) > 80
    assert named_twice(sources) == {}


def test_a_type_has_one_name_in_both_packages():
    sources = {str(path): source for path, source in texts(".py") if path.parts[0] in ("polyak_core", "app")}
    assert {name: paths for name, paths in named_twice(sources).items() if name[0].isupper()} == {}


PARTICIPLES = {
    *("asked", "brought", "chosen", "found", "given", "held", "kept", "learned", "made", "met", "said"),
    *("seen", "sought", "taken", "told", "wanted"),
}
"""They say what was done to a thing, and not what it is."""
METHODS_OWN = "seen"
"""A keyword of methods, people's own too, and a field of the steps they yield."""


def participles(source: str) -> set[str]:
    """The bare participles that name a function, a class, an attribute, an argument or a local value."""
    nodes = list(ast.walk(ast.parse(source)))
    names = {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    names |= {n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    names |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    stored = (n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    names |= {name for name in stored if name.islower()}  # no constant, no type
    return {name.strip("_").lower() for name in names} & PARTICIPLES


def test_names_say_what_a_thing_is():
    wrong = {path: participles(source) - {METHODS_OWN} for path, source in texts(".py")}
    assert {path: names for path, names in wrong.items() if names} == {}


def test_bare_participles_are_seen():
    source = "class Kept:\n    told: int\n    def _made(self, given):\n        self._found = asked = given"
    assert participles(source) == {"kept", "told", "made", "given", "found", "asked"}
    assert participles("def gap_seen(): pass\nself.kept_rows = 1\nKEPT = 3\nf(found=2)") == set()


def test_a_noun_with_two_meanings_is_seen():
    sources = {
        "a.py": "class Box: pass\nN = 1\nTask = tuple[int, str]",
        "b.py": "def Box(): pass\nN = 2",
        "c.py": "Task = int",
    }
    assert named_twice(sources) == {"Box": ["a.py", "b.py"], "Task": ["a.py", "c.py"]}
