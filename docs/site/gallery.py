"""The gallery: a page for each method of the package and each kind of problem, the stories, the figures."""

import inspect
import re
from pathlib import Path

from polyak_widgets import Explorer, Settings, View
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels.charts.formulas import markup
from polyak_widgets.panels.help.guide import method_entry
from polyak_widgets.paper.paper_figures import TITLES
from polyak_widgets.settings.choices import PROBLEMS
from polyak_widgets.share.address import write_query
from polyak_widgets.share.still import still_html
from polyak_widgets.stories.stories import STORIES
from reference import docstring, signature
from texts import ROOT, escaped, fenced, folded_html

import polyak_core as pc

ADDRESS = "http://localhost:8866/"
BESIDE = "apg"
"""The method that every other is drawn beside."""


def picture(settings: Settings) -> str:
    """The gap of these settings, for light and dark."""
    experiment = run_experiment(settings)
    both = (
        f'<div class="pk-picture pk-{theme}">{still_html(experiment, View(), ("gap",), theme)}</div>'
        for theme in ("light", "dark")
    )
    return folded_html("".join(both))


def formula(parts: object) -> str:
    """A formula as the page shows it."""
    inner = "".join(f"<math>{markup(part)}</math>" for part in parts)
    return folded_html(f'<div class="pk-formula">{inner}</div>') if inner else ""


def guarantee(method: pc.Method) -> str:
    """What is proven of a method, as its docstring says."""
    words = inspect.cleandoc(method.generator.__doc__ or "")
    stated = re.search(r"^Guarantee: (.*?)(?=^[A-Z]\w+: |\Z)", words, re.MULTILINE | re.DOTALL)
    return " ".join(stated[1].split()) if stated else "none is stated."


def needs(method: pc.Method) -> str:
    """What a method must be given, in words."""
    return escaped(", ".join(method.needs) or "nothing")


def origin(method: pc.Method, place: str) -> str:
    """Where a method comes from, and its place in the paper if it has one."""
    reference = escaped(method.reference)
    return reference if place.startswith("not in") else f"{reference}; in the paper: {escaped(place)}"


def source(function: object) -> Path:
    """The file that defines it."""
    return Path(inspect.getsourcefile(function)).resolve()


def on_the_page(settings: Settings, words: str) -> str:
    """A link to the same on a page that is served on this machine."""
    return f"[{words}]({ADDRESS}?{write_query(settings, View())})"


def method_page(name: str, method: pc.Method) -> str:
    """A page that is made of the entry in `METHODS`, of what the page says, and of a run."""
    entry = method_entry(name)
    settings = Settings(methods=tuple(dict.fromkeys((BESIDE, name))))
    problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))
    run = pc.solve(problem, name, 2000, target=1e-10)
    code = (
        'problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))\n'
        f'print(pc.solve(problem, "{name}", 2000, target=1e-10).message)\n# {run.message}'
    )
    file = source(method.generator).relative_to(ROOT).as_posix()
    backtracking = "It can find L on the way: `backtracking=True`.\n\n" if method.backtracking else ""
    return "\n\n".join(
        [
            f"# {method.label}",
            escaped(entry.sentence),
            formula(entry.formula),
            f"- **Name**: `{name}`\n- **Must be given**: {needs(method)}\n"
            f"- **Guarantee**: {escaped(guarantee(method))}\n- **From**: {origin(method, entry.place)}"
            f"\n- **Source**: [{file}](../source/{file}.md)",
            f"{backtracking}A quadratic with 100 eigenvalues and κ = 10⁴, beside APG that is given μ"
            f" ({on_the_page(settings, 'on your page')}):",
            picture(settings),
            "In Python:",
            fenced(code),
        ]
    )


def problem_page(name: str) -> str:
    """A page that is made of the constructor of a kind of problem, and of a run on it."""
    make = getattr(pc, name)
    settings = Settings.from_values({"problem": name, "iterations": 1000})
    experiment = run_experiment(settings)
    file = source(make).relative_to(ROOT).as_posix()
    return "\n\n".join(
        [
            f"# {PROBLEMS[name].split(',')[0]}",
            fenced(signature(f"pc.{name}", make)),
            docstring(make.__doc__),
            f"**Source**: [{file}](../source/{file}.md)",
            f"## As the page shows it\n\n{on_the_page(settings, 'On your page')}; in words:",
            fenced(experiment.problem.describe(), "text"),
            picture(settings),
        ]
    )


def toctree(names: list[str], depth: int = 1) -> str:
    """The pages below a page."""
    return "```{toctree}\n:maxdepth: " + f"{depth}\n\n" + "\n".join(names) + "\n```"


def method_list() -> str:
    """The page before those of the methods."""
    rows = [
        f"| [{method.label}]({name}.md) | {escaped(method.summary)} | {needs(method)} |"
        for name, method in pc.METHODS.items()
    ]
    return "\n".join(
        [
            "# Gallery of methods",
            "",
            "Every method of `pc.METHODS`: its formula, what it needs, what is proven of it, and one run.",
            "",
            "| method | what it does | must be given |",
            "|---|---|---|",
            *rows,
            "",
            toctree(list(pc.METHODS)).replace("1\n\n", "1\n:hidden:\n\n"),
        ]
    )


def problem_list() -> str:
    """The page before those of the problems."""
    words = "# Gallery of problems\n\nEvery kind of problem that the page offers."
    return f"{words}\n\n{toctree(list(PROBLEMS))}"


def stories() -> str:
    """All stories, and where their answers are."""
    parts = [
        "# Stories",
        "Each asks for a prediction, locks it, and shows what happens and why. The links open them on a page "
        "that is served on this machine (`polyak-explorer`). The answers, with the usual wrong ones, are in "
        "[the lecture](lecture.md).",
    ]
    for name, story in STORIES.items():
        if story.prediction is not None:
            link = f"[On your page]({ADDRESS}?v=1&story={name})"
            parts += [f"## {escaped(story.title)}", f"{escaped(story.question)}\n\n{link}"]
    return "\n\n".join(parts)


def figures(static: Path) -> str:
    """The paper's five figures, as `make figures` draws them."""
    parts = [
        "# The paper's five figures",
        "Drawn anew from the paper's data and parameters; [what they show](findings.md) stands beside what "
        "the paper claims. Figure 2 has at most 4 000 iterations and the best of three γ here: "
        "`paper_figure(2, iterations=4000, gammas=[5, 6, 8])`. `make figures` draws all of them whole.",
    ]
    for number, title in TITLES.items():
        file = f"figure-{number}.svg"
        text = (ROOT / "docs" / "site" / "figures" / file).read_text(encoding="utf-8")
        (static / file).write_text(text, encoding="utf-8")
        parts.append(f"## {escaped(title)}")
        parts.append(folded_html(f'<img class="pk-paper" src="_static/{file}" alt="{title}" loading="lazy">'))
    return "\n\n".join(parts)


def standalone(static: Path) -> str:
    """A page with the first picture in a frame: the page as one file, which needs no server."""
    import gzip

    explorer = Explorer(show=("gap", "mu"))
    messages = []
    try:
        assert explorer.wait(120)
        explorer.stage.send = lambda content, buffers=None: messages.append((content, buffers))
        explorer.stage._handle_custom_msg({"do": "export", "kind": "html"}, [])
    finally:
        explorer.close()
    ((_, buffers),) = messages
    (static / "first_picture.html").write_bytes(gzip.decompress(buffers[0]))
    attributes = 'src="_static/first_picture.html" title="The first picture" loading="lazy"'
    return "\n\n".join(
        [
            "# What it looks like",
            "The first picture, as *Export* saves it: one file, with everything in it. Hover over a chart or "
            "drag the slider below it to read values; press a name to hide its curve. The controls are "
            "missing, because nothing computes: [the served page](first_steps.md) has them.",
            folded_html(f'<iframe class="pk-frame" {attributes}></iframe>'),
            folded_html('<p><a href="_static/first_picture.html">In a window of its own</a></p>'),
        ]
    )
