"""The reference: every public name with its signature, what its docstring says, and its example."""

import inspect
import re
import textwrap
from types import ModuleType
from typing import Any

from texts import escaped, fenced

SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Yields):$")
ENTRY = re.compile(r"^([\w.*]+(?:, [\w.*]+)*): (.*)$")
TITLES = {"Args": "Arguments", "Attributes": "Attributes", "Returns": "Returns", "Raises": "Raises"}


def signature(name: str, thing: Any) -> str:
    """How it is called, without annotations."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    names = [p for p in signature.parameters.values() if p.name != "self"]
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in names]
    text = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return f"{name}{re.sub(r' at 0x[0-9a-f]+', '', text)}"


def docstring(text: str) -> str:
    """A docstring as Markdown: its sections as lists, its examples as code."""
    parts: list[str] = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        lines = block.split("\n")
        if lines[0].lstrip().startswith(">>>"):
            parts.append(fenced(textwrap.dedent(block), "pycon"))
        elif SECTION.match(lines[0]):
            parts += [f"**{TITLES.get(lines[0][:-1], lines[0][:-1])}**", section(lines[1:])]
        else:
            parts.append(paragraph(lines))
    return "\n\n".join(parts)


def paragraph(lines: list[str]) -> str:
    """Sentences; what follows a word such as Guarantee or Reference begins a new paragraph."""
    text = "\n".join(escaped(line.strip()) for line in lines)
    return re.sub(r"(^|\n)(Guarantee|Reference|Raises): ", r"\1\n**\2**: ", text)


def section(lines: list[str]) -> str:
    """The entries of a section as a list."""
    entries: list[tuple[str, list[str]]] = []
    for line in textwrap.dedent("\n".join(lines)).split("\n"):
        entry = ENTRY.match(line)
        if entry:
            entries.append((entry[1], [entry[2]]))
        elif line.startswith(" ") and entries:
            entries[-1][1].append(line.strip())
        else:
            entries.append(("", [line.strip()]))
    rows = []
    for name, words in entries:
        sentence = escaped(" ".join(words))
        rows.append(f"- `{name}`: {sentence}" if name else sentence)
    return "\n".join(rows) if any(name for name, _ in entries) else " ".join(rows)


def entry(package: ModuleType, name: str) -> str:
    """A public name of a package."""
    thing = getattr(package, name)
    head = f"## {name}\n\n"
    if not callable(thing):
        words = {key: str(getattr(value, "summary", value)) for key, value in thing.items()}
        rows = "\n".join(f"- `{key}`: {escaped(text)}" for key, text in words.items())
        return f"{head}A table of the package: `{package.__name__}.{name}[name]`.\n\n{rows}"
    call = fenced(signature(f"{package.__name__}.{name}", thing))
    text = f"{head}{call}\n\n{docstring(thing.__doc__ or '')}"
    if inspect.isclass(thing):
        text += methods(thing)
    return text


def methods(thing: type) -> str:
    """What its class has itself, with a docstring."""
    rows = []
    for name, part in vars(thing).items():
        function = part.fget if isinstance(part, property) else getattr(part, "__func__", part)
        function = getattr(part, "func", function)  # of a cached property
        words = getattr(function, "__doc__", None)
        is_method = inspect.isfunction(function) or isinstance(part, property)
        if name.startswith("_") or not words or not is_method:
            continue
        called = name if not inspect.isfunction(part) and not isinstance(part, classmethod) else f"{name}()"
        rows.append(f"- `{called}`: {escaped(words.strip().split(chr(10))[0])}")
    return "\n\n**Methods and properties**\n\n" + "\n".join(rows) if rows else ""


def reference(package: ModuleType) -> str:
    """The page of a package."""
    intro = escaped((package.__doc__ or "").split("\n")[0])
    parts = [f"# {package.__name__}\n\n{intro}"]
    return "\n\n".join([*parts, *(entry(package, name) for name in sorted(package.__all__, key=str.lower))])
