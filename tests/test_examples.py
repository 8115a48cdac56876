"""Every public function and class shows how it is called; pytest runs these examples as doctests."""

import doctest
import inspect
from pathlib import Path

import polyak_widgets
import pytest

import polyak_core

ROOT = Path(__file__).parents[1]
FINDER = doctest.DocTestFinder(recurse=False)
PUBLIC = {
    f"{package.__name__}.{name}": getattr(package, name)
    for package in (polyak_core, polyak_widgets)
    for name in package.__all__
}


def examples(thing):
    """The examples in what a function or class says of itself, which pytest collects."""
    return [
        example for test in FINDER.find(thing, module=inspect.getmodule(thing)) for example in test.examples
    ]


def documented():
    """The public functions and classes; what else is public is a table."""
    return {name: thing for name, thing in PUBLIC.items() if callable(thing)}


@pytest.mark.parametrize("name", documented())
def test_every_public_function_and_class_has_an_example_that_runs(name):
    """One that is skipped, or that shows no call of it, would be none."""
    thing = PUBLIC[name]
    lines = examples(thing)
    assert lines
    assert not any(doctest.SKIP in example.options for example in lines)
    if not inspect.isclass(thing):  # an object often comes from a function: a trace from `solve`
        assert any(f"{name.rpartition('.')[2]}(" in example.source for example in lines)
    file = Path(inspect.getmodule(thing).__file__).relative_to(ROOT)
    assert str(file).startswith(("polyak_core/", "app/polyak_widgets/"))


def test_what_has_no_example_is_seen():
    assert examples(polyak_core.checks.shown) == []
    assert {type(PUBLIC[name]).__base__ for name in set(PUBLIC) - set(documented())} <= {object, dict}
