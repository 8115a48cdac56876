"""Any eye tells curves apart: distances of colours in OKLab, with all cones and with one lacking."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from polyak_widgets.figures.theme import THEMES, theme
from polyak_widgets.look import FONT, METHOD_LOOKS, MU_LOC, OWN_METHOD

LOOKS = {**METHOD_LOOKS, "an own method": OWN_METHOD, "mu_loc": MU_LOC}
EYES = {
    "all cones": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
"""What is left of linear sRGB: Machado, Oliveira, Fernandes (2009), severity 1."""
APART = {"all cones": 9.0, "no red": 4.5, "no green": 4.5, "no blue": 4.5}
"""Hundredths of the way from black to white; people notice about 2 side by side."""
CONTRAST = 3.0
"""WCAG 1.4.11, for what is no text."""


def linear(colour: str) -> np.ndarray:
    """Linear sRGB of "#rrggbb" or "rgb(r,g,b)"."""
    if colour.startswith("#"):
        parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    else:
        parts = [int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    part = np.array(parts) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def oklab(rgb: np.ndarray) -> np.ndarray:
    """Ottosson (2020)."""
    cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    opponents = [
        [0.2104542553, 0.793617785, -0.0040720468],
        [1.9779984951, -2.428592205, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.808675766],
    ]
    return np.array(opponents) @ np.cbrt(np.clip(np.array(cones) @ np.clip(rgb, 0, 1), 0, None))


def luminance(rgb: np.ndarray) -> float:
    return float(rgb @ [0.2126, 0.7152, 0.0722])


def test_the_measure_is_the_published_one():
    for colour, lab in {"#ffffff": (1, 0, 0), "#ff0000": (0.6279554, 0.2248631, 0.1258463)}.items():
        np.testing.assert_allclose(oklab(linear(colour)), lab, atol=1e-6)


@pytest.mark.parametrize("scheme", THEMES)
@pytest.mark.parametrize("eye", EYES)
def test_no_two_colours_are_alike(scheme, eye):
    colours = {name: theme(scheme).curve(look.colour) for name, look in LOOKS.items()}
    lab = {name: 100 * oklab(np.array(EYES[eye]) @ linear(colour)) for name, colour in colours.items()}
    apart = {pair: float(np.linalg.norm(lab[pair[0]] - lab[pair[1]])) for pair in combinations(lab, 2)}
    assert min(apart.values()) > APART[eye], min(apart.items(), key=lambda pair: pair[1])


@pytest.mark.parametrize("scheme", THEMES)
def test_every_curve_stands_out_from_its_ground(scheme):
    ground = luminance(linear(theme(scheme).card))
    for name, look in LOOKS.items():
        low, high = sorted((ground, luminance(linear(theme(scheme).curve(look.colour)))))
        assert (high + 0.05) / (low + 0.05) >= CONTRAST, name


def test_without_any_colour_dash_and_marker_tell_methods_apart():
    signs = [(look.dash, look.marker) for look in LOOKS.values() if look is not MU_LOC]
    assert len(set(signs)) == len(signs)


def test_all_style_sheets_name_the_font_of_the_figures():
    """Each is read without Python, in a document of its own; no other file of Python names it."""
    package = Path(__file__).parents[2] / "app" / "polyak_widgets"
    pattern = "system-ui, -apple-system[^;}\n]*"
    lists = {
        path.relative_to(package): set(re.findall(pattern, path.read_text("utf-8")))
        for kind in ("*.css", "*.py", "*.js")
        for path in package.rglob(kind)
    }
    lists = {path: {each.replace('"', "'") for each in fonts} for path, fonts in lists.items() if fonts}
    assert len(lists) > 3
    assert [path for path, fonts in lists.items() if path.suffix != ".css"] == [Path("look.py")]
    assert {each.strip("'") for fonts in lists.values() for each in fonts} == {FONT}
