"""Each method of the paper reads as the paper prints it: one generator function with its loop in it."""

import ast
import inspect

import pytest

import polyak_core as pc
from polyak_core.methods import paper

LISTINGS = [name for name, method in pc.METHODS.items() if method.generator.__module__ == paper.__name__]
MOST_LINES = 12
"""Of the loop of AdaptAPG, as it should read."""


def loop_of(name):
    """The only loop of a method, as lines of code."""
    (function,) = ast.parse(inspect.getsource(pc.METHODS[name].generator)).body
    assert isinstance(function, ast.FunctionDef)
    (loop,) = (node for node in ast.walk(function) if isinstance(node, ast.For | ast.While))
    return [ast.unparse(line) for line in loop.body]


def test_the_listings_are_those_of_the_paper():
    assert {"pgd", "apg", "fista", "fista_printed", "restart", "adapt_apg", "adapt_apg_v2"} <= set(LISTINGS)


@pytest.mark.parametrize("name", LISTINGS)
def test_a_method_is_one_generator_function_with_its_loop_in_it(name):
    assert inspect.isgeneratorfunction(pc.METHODS[name].generator)
    lines = loop_of(name)
    assert sum("yield Iterate" in line for line in lines) == 1
    assert sum("problem.prox_step(" in line for line in lines) == 1
    assert len(lines) <= MOST_LINES
