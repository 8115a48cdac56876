"""The writer of pages: what it says is Voila's, and only the first visitor waits for templates."""

from jinja2 import Environment
from polyak_widgets.serving.templates import PageWriter
from voila.exporter import VoilaExporter
from voila.paths import collect_template_paths


def written(writer: type) -> str:
    paths = collect_template_paths(["voila", "nbconvert"], "lab", prune=True)
    template = writer(template_paths=paths, template_name="lab").environment.get_template("null.j2")
    return "\n".join(map(str, template.blocks))


def test_templates_are_compiled_for_the_first_visitor_alone(monkeypatch):
    compiled = []
    compile_one = Environment.compile
    monkeypatch.setattr(
        Environment, "compile", lambda *inner, **named: compiled.append(1) or compile_one(*inner, **named)
    )
    usual = written(VoilaExporter)
    assert written(PageWriter) == usual
    before = len(compiled)
    assert before == 2, "by Voila, and by ours for the first"
    assert written(PageWriter) == usual
    assert len(compiled) == before
