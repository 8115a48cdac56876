"""In a notebook or a terminal: what objects print, what the Tab key offers, what errors advise."""

import polyak_widgets as pw
import pytest

import polyak_core as pc


@pytest.mark.parametrize(
    "value",
    [
        pw.Settings(),
        pw.Settings(problem="lasso", data="musk"),
        pw.Settings(problem="lasso", data="musk", lam=1.0),
        pw.Settings(methods=("apg",), condition_number=1e6),
        pw.View(third="path"),
    ],
)
def test_settings_print_the_call_that_makes_them(value):
    assert eval(repr(value), {name: getattr(pw, name) for name in pw.__all__}) == value
    assert len(repr(value)) < 100


def test_settings_print_no_defaults():
    assert repr(pw.Settings(iterations=20)) == "Settings(iterations=20)"
    assert repr(pw.View()) == "View()"


@pytest.mark.parametrize("package", [pc, pw])
def test_the_tab_key_offers_what_is_public(package):
    assert dir(package) == sorted(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)


def test_compare_advises():
    problem = pc.quadratic([1.0, 0.1])
    with pytest.raises(ValueError, match="problem is of type list: give a Problem"):
        pw.compare([1.0, 0.1])
    with pytest.raises(ValueError, match="'apg' is not allowed: give a list of names of methods"):
        pw.compare(problem, methods="apg")
    with pytest.raises(ValueError, match="template 'blue' is unknown; choose one of 'light', 'dark'"):
        pw.compare(problem, ["apg"], iterations=5, template="blue")


def test_the_page_prints_its_settings_and_advises():
    page = pw.Explorer(pw.Settings(iterations=20, methods=("apg",)), show=("gap",))
    assert page.wait(60)
    assert repr(page) == "<Explorer Settings(iterations=20, methods=('apg',))>"
    with pytest.raises(
        ValueError, match=r"type Problem: give Settings\(...\), or draw a problem with compare"
    ):
        pw.Explorer(pc.quadratic([1.0, 0.1]))
