"""All texts of the front end stand in one file, and those of Python in files that exist to hold them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

FRONT = Path(__file__).parents[3] / "app" / "polyak_widgets" / "front"
TEXTS = "ground/texts.js"
TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|`(?:[^`\\]|\\.)*`|\{[^{}]*\})*\})*`"
    r"|/(?![/*])(?:[^/\\\n\[]|\\.|\[[^\]]*\])+/[a-z]*",
    re.DOTALL,
)
"""A comment, a string, a template or a regular expression."""
SENTENCE = re.compile(r"\s*[A-Z][a-z]+.*|.*[a-z]{2,} [a-z]{2,}( |,|\.|\u2026|$).*", re.DOTALL)
"""A word that begins with a capital, or two words side by side."""
WORD = re.compile(r"[a-z]{2,}")
FRAGMENT = re.compile(r"(?=.* )(?:[^<>=\"'{}();/\[]* )?[a-z]{2,}[,:]?(?: [^<>=\"'{}();/\[]*)?")
"""A word beside a space: what is left of a sentence that is put together of parts."""
SHOWN = re.compile(
    r"""(?:aria-label|aria-roledescription|title|placeholder|alt|textContent)"?(?:\s*[:=]\s*|", )[^;{},]*$"""
    r"|\bsetText\([^;]*$|\bmake\((?:[^()]|\([^()]*\))*\}, (?:[^()]|\([^()]*\))*$|\bmake(?!Svg)[A-Z]\w*\($"
)
"""What stands before a word that is put on the page as it is: a name, a title, a text of a node."""
LISTED = re.compile(r"[^\]\n]*\]\.map\(\(?\w+\)? => make\(")
"""What stands behind a word in a list that is put on the page as it is."""
NO_TEXT = {"Enter", "Escape", "Tab", "ArrowUp", "ArrowDown", "Arrow", "PageUp", "PageDown", "Page", "Files"}
"""Names of keys, and what a browser calls files that are dragged."""
STYLE = re.compile(r"width: \u2026em|h1, h2, legend, label, p, .*")
"""A rule of a style sheet, and a selector that is a list of tags."""
CODE = {"page/plotly.js"}
"""A file whose strings are JavaScript."""


def literals(source):
    """The strings of a file that people would read."""
    for match in TOKEN.finditer(source):
        token = match.group()
        line = source[source.rfind("\n", 0, match.start()) + 1 : match.start()]
        if token[0] not in '"`' or line.startswith("import "):
            continue
        words = re.sub(r"\$\{(?:[^{}`]|`[^`]*`)*\}", "\u2026", token[1:-1])
        alone = SENTENCE.fullmatch(words) or FRAGMENT.fullmatch(words)
        listed = line.rfind("[") > line.rfind("]") and LISTED.match(source, match.end())
        put = SHOWN.search(line) and not line.endswith(("=== ", ".get("))
        shown = WORD.fullmatch(words) and (put or listed)
        if (alone or shown) and not (words in NO_TEXT or STYLE.fullmatch(words)):
            yield token


def test_a_text_is_told_from_a_key_a_class_and_a_selector():
    source = 'a("Lock it", "pk-lock", `${n} rows are used`, "Enter", ".pk-stage .pk-card") // "A comment"'
    assert list(literals(source)) == ['"Lock it"', "`${n} rows are used`"]
    words = """make("b", { class: "pk-bar", title: "tone" }, "all"); `${n} pins` + " and ";
        setText(node, on ? "off" : ""); makeAll("none", 1); node.title = "log"; b.title = a.get("error")
        ["use", all].map((part) => make("th", {}, part)); ["first", "last"].map((name) => find(name))"""
    assert list(literals(words)) == [
        *('"tone"', '"all"', "`${n} pins`", '" and "', '"off"', '"none"', '"log"', '"use"')
    ]


def test_no_other_file_of_the_front_end_holds_text():
    files = {str(path.relative_to(FRONT)): path.read_text() for path in FRONT.rglob("*.js")}
    assert len(list(literals(files.pop(TEXTS)))) > 150
    others = {name: list(literals(text)) for name, text in files.items() if name not in CODE}
    assert {name: texts for name, texts in others.items() if texts} == {}


def test_each_text_is_used_by_the_file_that_it_is_listed_under():
    groups = re.findall(r"^  (\w+): \{\n(.*?)^  \},$", (FRONT / TEXTS).read_text(), re.DOTALL | re.MULTILINE)
    listed = {
        f"{group}.{key}" for group, body in groups for key in re.findall(r"^    (\w+):", body, re.MULTILINE)
    }
    used = set()
    for path in FRONT.rglob("*.js"):
        names = set(re.findall(r"TEXTS\.(\w+\.\w+)", path.read_text()))
        own = re.sub(r"_(\w)", lambda match: match[1].upper(), path.stem)
        assert {name.split(".")[0] for name in names} <= {own}, path.name
        used |= names
    assert used == listed


PACKAGE = FRONT.parent
HOMES = (
    *("**/texts.py", "numbers.py", "settings/*.py", "stories/*.py", "panels/words/*.py", "panels/help/*.py"),
    *("panels/charts/captions.py", "panels/closer_look/**/*words.py", "paper/*.py"),
)
"""Of Python: the texts of each room, and files that are there to put something into words.

Elsewhere there are refusals and nothing else.
"""
KEYS = {"made by", "made on", "x unified", " domain", "Vary", "λ_max"}
"""Names in files that are read by programs too, words of plotly, a header, and a sign."""
PROGRAMS = {"share/code.py", "__init__.py"}
"""Files whose strings are Python."""
MARKUP = re.compile(r"<style>.*?</style>|<[^>]*>|^\s*(from|import|for|assert) .*", re.DOTALL)
REFUSAL = re.compile(
    r"say|one_of|several|of_kind|^text$|ValueError|AddressError|SettingsError|RuntimeError|AttributeError|warning|info|compile|exit"
    r"|log\.|TypeVar"
)


def sentences(path):
    """What people would read in a module, without docstrings, refusals, patterns, markup and code."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        refused = (
            isinstance(node, ast.Raise | ast.Assert)
            or _is_of_names(node)
            or (isinstance(node, ast.Call) and REFUSAL.search(ast.unparse(node.func)))
        )
        if refused or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            for inner in ast.walk(node):
                inner.value = None if isinstance(inner, ast.Constant) else getattr(inner, "value", None)
    shown = {id(part) for part in (*labels(tree), *on_the_way(tree))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value not in KEYS:
            words = MARKUP.sub("", node.value)
            if PLAIN.fullmatch(words) or (id(node) in shown and re.search(r"[a-z]{2,}", words)):
                yield words


def _is_of_names(node):
    """A list of public names."""
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def labels(tree):
    """What is given to a keyword, or stands at a key, that the page shows as it is."""
    for node in ast.walk(tree):
        keys = [node.arg] if isinstance(node, ast.keyword) else getattr(node, "keys", [])
        values = [node.value] if isinstance(node, ast.keyword) else getattr(node, "values", [])
        for key, value in zip(keys, values, strict=False):
            if getattr(key, "value", key) in LABELS:
                yield from [
                    value,
                    *getattr(value, "values", []),
                    *(getattr(value, x, None) for x in BRANCHES),
                ]


def on_the_way(tree):
    """Words that reach the page through a variable.

    One stands beside a text or a sign, is what a function of texts returns, or names a value in a pair.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp):
            sides = (node.body, node.orelse)
            yield from sides if any(isinstance(x, ast.Name) and x.id.isupper() for x in sides) else ()
        elif isinstance(node, ast.Dict):
            words = [getattr(x, "value", None) for x in node.values]
            are_texts = all(isinstance(x, str) for x in words) and not "".join(words).isascii()
            yield from node.values if are_texts else ()
        elif (
            isinstance(node, ast.List) and len(node.elts) == 2 and not isinstance(words_of(node.elts[0]), str)
        ):
            yield node.elts[1]
        elif isinstance(node, ast.Return) and words_of(node.value) not in WORDS_OF_PROGRAMS:
            yield node.value


def words_of(node):
    """What a constant holds."""
    return getattr(node, "value", None) if isinstance(node, ast.Constant) else None


BRANCHES = ("body", "orelse")
WORDS_OF_PROGRAMS = {"default", "dual"}
"""Values of settings that functions return."""
LABELS = {"label", "title", "subtitle", "summary", "heading", "help", "description", "placeholder"}
PLAIN = re.compile(
    r"\s*[A-Z][a-z]+ [a-z].*|[A-Z][a-z]{2,} ?|.*[a-z]{2,} [a-z]{2,}( |,|\.|\u2026|$).*|" + FRAGMENT.pattern,
    re.DOTALL,
)


def test_a_word_of_python_is_told_from_a_key_and_a_refusal(tmp_path):
    """The words of a label are found however it is put together, one word as well as many."""
    module = tmp_path / "module.py"
    module.write_text(
        "def button(n, on):\n    'Draws it.'\n    if n < 0:\n        raise ValueError('say how many')\n"
        "    kind = {'name': 'all_runs', 'label': f'all {n}', 'help': 'on' if on else 'off', 'title': f(n)}\n"
        "    return kind | dict(title='bounds', type='log', text=f'{n} methods'), 'Given'\n"
    )
    assert sorted(sentences(module)) == [" methods", "Given", "all ", "bounds", "off", "on"]
    module.write_text(
        "def ring(n):\n    word = 'restart' if n else SOME\n    kind = 'log' if n else 'linear'\n"
        "    marks = [[n, 'usual'], ['mi', 'x']], {'n': 'n', 'rows': 'rows', 'mu': 'μ'}, {'a': 'key'}\n"
        "    return 'never'\n"
    )
    assert sorted(sentences(module)) == ["never", "restart", "rows", "usual"]


def test_text_of_python_stands_in_files_that_are_there_for_it():
    homes = {home: set(PACKAGE.glob(home)) for home in HOMES}
    others = set(PACKAGE.rglob("*.py")) - set().union(*homes.values(), map(PACKAGE.joinpath, PROGRAMS))
    texts = {str(path.relative_to(PACKAGE)): list(sentences(path)) for path in sorted(others)}
    assert {name: each for name, each in texts.items() if each} == {}
    assert {home for home, paths in homes.items() if not any(map(list, map(sentences, paths)))} == set()
