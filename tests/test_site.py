"""The site's texts are made of the code: every method, problem and public name has its part, and links hold.

`make docs` makes the site of them; `make package` reads it as a stranger would.
"""

import re

import gallery
import polyak_widgets
import pytest
import reference
import texts
from polyak_widgets.settings.choices import PROBLEMS

import polyak_core as pc

ROOT = texts.ROOT


@pytest.mark.parametrize("package", [pc, polyak_widgets], ids=lambda package: package.__name__)
def test_the_reference_has_every_public_name_with_an_example(package):
    page = reference.reference(package)
    parts = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    assert set(parts) == set(package.__all__)
    tables = {name for name in parts if not callable(getattr(package, name))}
    assert [name for name in set(parts) - tables if ">>> " not in parts[name]] == []


def test_a_method_has_its_formula_needs_guarantee_reference_and_picture():
    """All but the number in the picture come from the table and the docstring of the method."""
    method = pc.METHODS["restart"]
    page = gallery.method_page("restart", method)
    for words in (
        f"# {method.label}",
        "<math>",
        "- **Must be given**: L, f\\*, gamma",
        "- **Guarantee**: linear convergence at the accelerated rate",
        method.reference,
        "(../source/polyak_core/methods/paper.py.md)",
    ):
        assert words in page
    assert page.count("<svg xmlns") == 2, "one picture for light, one for dark"
    problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))
    assert pc.solve(problem, "restart", 2000, target=1e-10).message in page


def test_every_method_and_problem_is_in_the_gallery():
    methods, problems = gallery.method_list(), gallery.problem_list()
    assert [name for name in pc.METHODS if f"({name}.md)" not in methods] == []
    assert "| [AC-FGM](ac_fgm.md) | Fast gradient with the L just met. | nothing |" in methods
    assert [name for name in PROBLEMS if f"\n{name}\n" not in problems] == []
    assert [name for name in PROBLEMS if not callable(getattr(pc, name))] == []


def test_a_method_says_its_place_in_the_paper_where_it_has_one():
    assert (
        gallery.origin(pc.METHODS["item"], "not in the paper; Taylor and Drori 2021")
        == "Taylor and Drori 2021"
    )
    assert gallery.origin(pc.METHODS["pgd"], "section 2").endswith("; in the paper: section 2")


def test_a_link_becomes_that_of_the_site_or_its_words(tmp_path):
    site = texts.Site(tmp_path)
    page = ROOT / "docs" / "install.md"
    moved = {
        "[a](methods.md#x)": "[a](methods.md#x)",
        "[a](../deploy/README.md)": "[a](serving.md)",
        "[a](../polyak_core/runs/run.py)": "[a](source/polyak_core/runs/run.py.md)",
        "[a](../polyak_core/runs/)": "[a](source/polyak_core/runs/__init__.py.md)",
        "[a](../tests/core)": "a",
        "[a](https://a.org)": "[a](https://a.org)",
        "![a](explorer.png)": "![a](_static/explorer.png)",
    }
    assert {old: site.relinked(old, page, "install") for old in moved} == moved
    assert site.relinked("[a](methods.md)", page, "notebooks/x") == "[a](../methods.md)"
    assert set(site.sources) == {f"source/polyak_core/runs/{name}.py" for name in ("run", "__init__")}


def test_signs_of_a_docstring_stay_what_they_are():
    assert texts.escaped("x* of `a_b`, |x|_1 <= 1") == "x\\* of `a_b`, \\|x\\|\\_1 \\<= 1"
    words = "Does.\n\nArgs:\n    a, b: two\n        of them.\n\nReturns:\n    The sum. It is: exact."
    assert reference.docstring(f"{words}\n\n>>> 1 + 1\n2").split("\n\n") == [
        *("Does.", "**Arguments**", "- `a, b`: two of them.", "**Returns**", "The sum. It is: exact."),
        "``````pycon\n>>> 1 + 1\n2\n``````",
    ]
