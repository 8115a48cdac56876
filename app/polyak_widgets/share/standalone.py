"""One HTML file with everything in it: plotly.js, the panels, the sentence, the table, the settings.

It asks nobody for anything, opens from a disk, follows the reader's light or dark theme, and without scripts
still shows the sentence, the table and the settings.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from html import escape
from typing import Any

from polyak_widgets.front.bundle import bundle, style
from polyak_widgets.front.plotly import plotly_path
from polyak_widgets.panels.charts.formulas import markup
from polyak_widgets.panels.words.unusual import problem_words
from polyak_widgets.settings.settings import FIELDS, Settings
from polyak_widgets.share.texts import ABOUT_PAGE, NO_SCRIPTS, VERSIONS_LABEL, page_title

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
{style}
body {{ margin: 0; color-scheme: light dark; background: light-dark(#ffffff, #14171a); }}
</style>
</head>
<body>
<main class="pk-root pk-alone">
<h1 class="pk-brand">{heading}</h1>
<div class="pk-static">
<p class="pk-sentence">{sentence}</p>
<p class="pk-quiet">{no_scripts}</p>
{table}
</div>
<div id="stage"></div>
{settings}
<footer class="pk-imprint">{imprint}</footer>
</main>
<script type="application/json" id="frame">{frame}</script>
<script type="application/json" id="manifest">{manifest}</script>
<script>{plotly}</script>
<script type="module">
{script}
</script>
</body>
</html>
"""


def standalone_page(state: Mapping[str, Any], manifest: Mapping[str, Any]) -> str:
    """The file for what a page shows, its "frame", "third", "status" and "view", and its manifest."""
    frame, third, view = state["frame"], state["third"], state["view"]
    carried = {
        "frame": _packed({name: value for name, value in frame.items() if name not in ("opened", "answers")}),
        "third": _packed(third) if third else None,
        "status": state["status"],
        "view": {**view, "present": False},
    }
    kind = problem_words(Settings.from_values(manifest["settings"]))
    return PAGE.format(
        title=escape(page_title(frame["title"])),
        no_scripts=NO_SCRIPTS,
        heading=f"{escape(kind)} {''.join(_formulas(frame))}",
        imprint="".join(f"<p>{escape(line)}</p>" for line in _imprint(manifest)),
        style=style(),
        sentence="".join(escape(str(text)) for text, _ in frame["sentence"]),
        table=_table(frame["rows"], view.get("x", "iterations")),
        settings=_settings(manifest),
        frame=_script_json(carried),
        manifest=_script_json(manifest),
        plotly=plotly_path().read_text(encoding="utf-8").replace("</script", "<\\/script"),
        script=bundle("page/standalone.js"),
    )


def _formulas(frame: Mapping[str, Any]) -> list[str]:
    """What is minimised, as MathML."""
    parts = next((panel.get("formula", ()) for panel in frame["panels"] if panel["name"] == "gap"), ())
    return [f"<math>{markup(part)}</math>" for part in parts]


def _imprint(manifest: Mapping[str, Any]) -> list[str]:
    """What stands at the foot, as on paper and in pictures."""
    origin = ", ".join(filter(None, (f"{manifest['made by']}, {manifest['made on']}", manifest["link"])))
    return list(filter(None, (manifest["words"], manifest["unusual"], origin)))


def _packed(frame: Mapping[str, Any]) -> dict[str, Any]:
    """A frame with its numbers as text."""
    return {**frame, "data": base64.b64encode(bytes(frame["data"])).decode()}


def _script_json(value: Any) -> str:
    """JSON that cannot end the script element that it stands in."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def _table(rows: Mapping[str, Any], unit: str) -> str:
    title, note = (escape(_in_unit(rows.get(name, ""), unit)) for name in ("title", "note"))
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in rows["head"])
    body = "".join(f"<tr>{_cells(row, unit)}</tr>" for row in rows["body"])
    return (
        f'<section class="pk-card pk-results"><h2>{title}</h2>'
        f'<div class="pk-scroll"><table><thead><tr>{head}</tr></thead>'
        f'<tbody>{body}</tbody></table></div><p class="pk-quiet pk-note">{note}</p></section>'
    )


def _cells(row: list[Any], unit: str) -> str:
    first, *others = (escape(_in_unit(cell, unit)) for cell in row)
    return f'<th scope="row">{first}</th>' + "".join(f"<td>{text}</td>" for text in others)


def _in_unit(cell: Any, unit: str) -> str:
    """The text of a cell, which may be named, or depend on the unit."""
    if isinstance(cell, Mapping):
        return str(cell["units"][unit] if "units" in cell else cell["text"])
    return str(cell)


def _settings(manifest: Mapping[str, Any]) -> str:
    labels = {name: each.metadata["label"] for name, each in FIELDS.items()}
    pairs = "".join(
        f"<dt>{escape(labels[name])}</dt><dd>{escape(_value_text(value))}</dd>"
        for name, value in manifest["settings"].items()
    )
    versions = ", ".join(f"{name} {number}" for name, number in manifest["versions"].items())
    return (
        f'<details class="pk-card pk-results"><summary>{ABOUT_PAGE}</summary>'
        f'<pre class="pk-quiet">{escape(_certificate(manifest))}</pre>'
        f'<dl class="pk-settings">{pairs}<dt>{VERSIONS_LABEL}</dt><dd>{escape(versions)}</dd></dl></details>'
    )


def _certificate(manifest: Mapping[str, Any]) -> str:
    """What the core says of the problem, without its formula: that stands in the heading."""
    return "\n".join(manifest["problem"]["description"].splitlines()[1:]).strip()


def _value_text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
