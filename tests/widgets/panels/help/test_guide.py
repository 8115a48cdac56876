"""Each symbol and method that the page shows is explained, with formulas and places that there are."""

import re
import unicodedata
from dataclasses import fields

import pytest
from polyak_widgets.front.bundle import read
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels import gap_panel, mu_panel
from polyak_widgets.panels.closer_look.panel import EXPLAINS
from polyak_widgets.panels.help.guide import METHOD_ENTRIES, guide, method_entry
from polyak_widgets.panels.help.symbols import SYMBOLS
from polyak_widgets.panels.texts import HEADINGS, SWEEP_TITLES
from polyak_widgets.panels.words.table import rows
from polyak_widgets.session.rail import ABOUT, rail
from polyak_widgets.settings.settings import FIELDS, Settings
from polyak_widgets.settings.view import View
from polyak_widgets.stories.stories import STORIES

import polyak_core as pc

KNOWN = set(re.findall(r'"(m\w+)"', read("ground/formula.js").split("new Set(")[1].split(")")[0]))
SYMBOL = re.compile(
    r"[\u0391-\u03a9α-ω]\u0302?(?:_loc)?[₀-₉ₖᵢⱼ₊₋₁]*"  # greek, with its hat and its index
    r"|\b[fx]\*|(?<!\w)[xyt][₀₁ₖ₊₋]+|\b[Tg]_L|\bA_k"
)
"""As texts of the page write them."""
ALIKE = {"α": {"αᵢ"}, "λᵢ": {"λ_max"}, "yₖ": {"yₖ₋₁", "yₖ₊₁"}, "xₖ": {"xₖ₊₁"}, "μ̂": {"μ̂ₖ"}, "Σ": {"∑"}}
EXPERIMENT = run_experiment(Settings(iterations=20, methods=tuple(pc.METHODS)))
PANELS = [
    draw(EXPERIMENT, view)
    for draw in (gap_panel, mu_panel)
    for view in (View(), View(bounds=True, differences=True))
]
PLACES = re.compile(
    r"(?:equations? \((\d+)\)|algorithms? ([\d, and]+)"
    r"|propositions? ([\d., and]+)|lemma ([\dA-C.]+)|section (\d)"
    r"|appendix ([ABC])|table (\d)|notation|not in the paper)"
)
LAST = {"equation": 29, "algorithm": 6, "section": 4, "table": 1}
NUMBERED = {"propositions": {"2.3", "2.4", "2.8"}, "lemmas": {"2.1", "3.1", "A.1"}}


def shown_texts():
    """What the page writes in its rail, charts, table, closer look and questions."""
    for name, each in FIELDS.items():
        metadata = each.metadata
        yield from (f"{name}: {metadata[part]}" for part in ("label", "help"))
        yield from metadata.get("options", {}).values()
    for each in fields(View):
        yield each.metadata["help"]
        yield from each.metadata.get("options", {}).values()
    for group in rail(EXPERIMENT.settings, EXPERIMENT.problem):
        for field in group["fields"]:
            yield from (mark for _, mark in field.get("landmarks", []))
            yield from (option["group"] for option in field.get("options", []) if isinstance(option, dict))
    for panel in PANELS:
        yield from (str(panel[part]) for part in ("title", "subtitle", "summary"))
        yield from (curve.label for curve in (*panel["curves"], *panel.get("lines", [])))
        yield from (toggle["label"] + toggle["help"] for toggle in panel["toggles"])
    table = rows(EXPERIMENT)
    yield from [*table["head"], *table["title"]["units"].values(), *table["note"]["units"].values()]
    yield from [*HEADINGS.values(), *SWEEP_TITLES.values()]
    for story in STORIES.values():
        yield from (story.title, story.question)
    for entry in (*SYMBOLS.values(), *METHOD_ENTRIES.values()):
        yield entry.sentence


def symbols_in(text):
    return set(SYMBOL.findall(unicodedata.normalize("NFC", text)))


def explained():
    """The symbols as their entries write them."""
    written = {symbol for entry in SYMBOLS.values() for form in entry.written for symbol in symbols_in(form)}
    return written | {other for name in written for other in ALIKE.get(name, ())}


def test_every_symbol_that_the_page_shows_is_explained():
    shown = {symbol: text for text in shown_texts() for symbol in symbols_in(text)}
    assert {"μ", "κ", "f*", "x*", "μₖ", "μ̂", "μ_loc", "γ", "μ₀", "λ", "βₖ", "ψ", "yₖ"} <= set(shown), (
        "it looks at all"
    )
    known = explained()
    assert {symbol: text for symbol, text in shown.items() if symbol not in known} == {}


def test_the_symbols_of_the_paper_are_there():
    symbols = {
        "h",
        "psi",
        "L",
        "mu",
        "kappa",
        "f_star",
        "x_star",
        "mu_k",
        "mu_hat",
        "mu_loc",
        "g_L",
        "T_L",
        "beta",
        "tau",
    }
    symbols |= {"A_k", "gamma", "mu0", "lam", "rate_C", "relative_gap", "gap", "t_k"}
    assert symbols <= set(SYMBOLS)


def test_every_method_is_explained_also_one_of_ones_own(monkeypatch):
    assert set(METHOD_ENTRIES) == set(pc.METHODS)
    own = pc.METHODS["pgd"]
    monkeypatch.setitem(pc.METHODS, "mine", own)
    assert method_entry("mine").sentence == own.summary
    assert guide()["entries"]["method:mine"]["place"] == own.reference


def test_what_is_explained_is_there():
    """Names that controls, charts and the table ask for."""
    entries = set(guide()["entries"])
    explanations = {name for names in (*ABOUT.values(), *EXPLAINS.values()) for name in names}
    explanations |= {name for panel in PANELS for name in panel["explains"]}
    explanations |= {row[0]["explains"] for row in rows(EXPERIMENT)["body"]}
    assert explanations <= entries
    assert set(ABOUT) <= set(FIELDS)


def tags(part):
    if isinstance(part, str):
        return set()
    return {part[0]}.union(*(tags(inner) for inner in part[1:]))


@pytest.mark.parametrize("name", guide()["entries"])
def test_an_entry_is_one_or_two_sentences_and_can_be_drawn(name):
    entry = guide()["entries"][name]
    assert entry["sentence"].endswith((".", "!"))
    assert len(entry["sentence"]) < 200
    formulas = [*entry["formula"], *([entry["symbol"]] if entry["symbol"] else [])]
    assert all(tags(part) <= KNOWN for part in formulas)
    if name.startswith("method:"):
        assert entry["formula"]
        assert entry["place"]


@pytest.mark.parametrize(
    "entry", [*SYMBOLS.values(), *METHOD_ENTRIES.values()], ids=lambda entry: entry.title
)
def test_the_place_is_one_that_the_paper_has(entry):
    if not entry.place:
        return
    places = list(PLACES.finditer(entry.place))
    assert places, entry.place
    for match in places:
        equation, algorithms, propositions, lemma, section, _, table = match.groups()
        assert int(equation or 1) <= LAST["equation"]
        assert all(int(number) <= LAST["algorithm"] for number in re.findall(r"\d+", algorithms or ""))
        assert set(re.findall(r"\d\.\d", propositions or "")) <= NUMBERED["propositions"]
        assert lemma is None or lemma.rstrip(".") in NUMBERED["lemmas"]
        assert int(section or 1) <= LAST["section"]
        assert int(table or 1) <= LAST["table"]
