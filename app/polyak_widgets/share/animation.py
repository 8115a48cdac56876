"""A run as a film: the curves of a panel grow from k = 0 to their ends, as a GIF by Pillow.

``python -m polyak_widgets.share.animation "gamma=5&iterations=500" run.gif`` makes one of a link.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyak_core.arrays import Array
from polyak_core.checks import whole_number
from polyak_widgets.figures.end_labels import end_of, label_heights
from polyak_widgets.figures.plotly_axes import TICKS, X_TICKS, in_unit, pixel_scale
from polyak_widgets.figures.theme import Theme, theme
from polyak_widgets.laboratory.experiment import Experiment, run_experiment
from polyak_widgets.numbers import count_text
from polyak_widgets.panels import make_panel
from polyak_widgets.panels.curves import Curve
from polyak_widgets.panels.frame import thin
from polyak_widgets.settings.view import FIRST_VIEW, View
from polyak_widgets.share.address import read_query
from polyak_widgets.share.still import POINTS, axis_ticks
from polyak_widgets.share.texts import ANIMATION_USE, PLAIN_LETTERS

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

SIZE = (800, 500)
LEFT, TOP, RIGHT, BOTTOM = 64, 48, 210, 52
FINE = 2
"""Frames are drawn so many times as large, and made smaller: lines have smooth edges."""
FRAMES, MOST_FRAMES, SECONDS, LAST_SECONDS = 60, 600, 6.0, 3.0
FONTS = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "segoeui.ttf", "Arial Unicode.ttf")
"""Fonts with Greek letters and small digits, of systems that have them."""
LETTER = 13
Ends = list[tuple[float, Curve, Array, Array]]


def animation(
    experiment: Experiment, view: View = FIRST_VIEW, *, frames: int = FRAMES, ground: str = "light"
) -> bytes:
    """The first panel of an experiment as a GIF that plays once and again; `frames` are its pictures.

    Raises:
        ValueError: no runs, or a number of frames that is not allowed.
        ImportError: Pillow is missing; the message has the line that installs it.

    >>> from polyak_widgets import Settings, run_experiment
    >>> film = animation(run_experiment(Settings(iterations=20, methods=("apg",))), frames=3)
    >>> film[:6]
    b'GIF89a'
    """
    try:
        from PIL.Image import Dither
    except ImportError as error:
        raise ImportError('GIF needs Pillow: pip install "polyak-explorer[app,animation]"') from error
    count = whole_number(frames, "frames", 2, MOST_FRAMES)
    panel = in_unit(make_panel("gap", experiment, view), view.x)
    if not panel["curves"]:
        raise ValueError("No run has a curve, so there is nothing to animate.")
    look = theme(ground)
    back, ends = _backdrop(panel, look), _places(panel)
    last = float(panel["x"]["range"][1])
    pictures = [_frame(back, ends, last * i / (count - 1), look, panel["x"]["title"]) for i in range(count)]
    palette = pictures[-1].quantize(128)
    plain = [picture.quantize(palette=palette, dither=Dither.NONE) for picture in pictures]
    pause = round(1000 * SECONDS / count)
    out = BytesIO()
    plain[0].save(
        out,
        "GIF",
        save_all=True,
        append_images=plain[1:],
        duration=[pause] * (count - 1) + [round(1000 * LAST_SECONDS)],
        loop=0,
        optimize=False,
    )
    return out.getvalue()


@cache
def _font(size: int) -> FreeTypeFont | ImageFont | None:
    """A font that has all letters of the page; None where none is found."""
    from PIL import ImageFont

    for name in FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return None


def _write(draw: ImageDraw, at: tuple[float, float], text: str, fill: str, anchor: str = "lm") -> None:
    """A text, in plain letters where no font has others."""
    from PIL import ImageFont

    size = LETTER * FINE
    font = _font(size)
    if font is None:
        for letter, plain in PLAIN_LETTERS.items():
            text = text.replace(letter, plain)
        font = ImageFont.load_default(size)
    draw.text((FINE * at[0], FINE * at[1]), text, font=font, fill=fill, anchor=anchor)


def _box() -> tuple[float, float]:
    return SIZE[0] - LEFT - RIGHT, SIZE[1] - TOP - BOTTOM


def _places(panel: Mapping[str, Any]) -> Ends:
    """Where the name of each line stands, the line, and its pixels."""
    width, height = _box()
    to_x, to_y = pixel_scale(panel["x"], width), pixel_scale(panel["y"], height)
    lines = [curve for curve in panel["curves"] if curve.mode == "lines" and not curve.level]
    spots = [(curve, to_x(curve.x), to_y(curve.y)) for curve in lines]
    reached = [(spot, end_of(spot[1], spot[2], width, height)) for spot in spots]
    visible = [(spot, end) for spot, end in reached if end]
    heights = label_heights([end for _, end in visible], (width, height), LETTER + 4)
    return [(up, *spot) for (spot, _), up in zip(visible, heights, strict=True)]


def _backdrop(panel: Mapping[str, Any], look: Theme) -> Image:
    """What all frames share: the ground, the title, the grid and its numbers."""
    from PIL import Image, ImageDraw

    width, height = _box()
    back = Image.new("RGB", (FINE * SIZE[0], FINE * SIZE[1]), look.card)
    draw = ImageDraw.Draw(back)
    _write(draw, (LEFT, TOP / 2), panel["title"], look.ink)
    for value, text in axis_ticks(panel["y"], TICKS):
        y = TOP + height - float(pixel_scale(panel["y"], height)(np.array(value)))
        draw.line([FINE * LEFT, FINE * y, FINE * (LEFT + width), FINE * y], fill=look.hair, width=FINE)
        _write(draw, (LEFT - 8, y), text, look.quiet, "rm")
    for value, text in axis_ticks(panel["x"], X_TICKS):
        x = LEFT + float(pixel_scale(panel["x"], width)(np.array(value)))
        _write(draw, (x, TOP + height + 14), text, look.quiet, "mm")
    return back


def _frame(back: Image, ends: Ends, reach: float, look: Theme, unit: str) -> Image:
    """The picture at x = `reach`: each curve up to there, with a dot at its head, and its name."""
    from PIL import Image, ImageDraw

    picture = back.copy()
    draw = ImageDraw.Draw(picture)
    width, height = _box()
    for up, curve, x, y in ends:
        colour = look.curve(curve.look.colour)
        some = thin(curve.y, POINTS)
        some = some[(curve.x[some] <= reach) & np.isfinite(x[some]) & np.isfinite(y[some])]
        inside = some[(y[some] >= 0) & (y[some] <= height)]
        across, down = FINE * (LEFT + x[inside]), FINE * (TOP + height - y[inside])
        points = list(zip(across.tolist(), down.tolist(), strict=True))
        if len(points) > 1:
            draw.line(points, fill=colour, width=round(FINE * curve.look.width), joint="curve")
        if points:
            (a, b), r = points[-1], FINE * 4
            draw.ellipse([a - r, b - r, a + r, b + r], fill=colour)
        _write(draw, (LEFT + width + 14, TOP + height - up), curve.label, colour)
    count = count_text(round(reach)) if reach >= 10 or unit != "seconds" else f"{reach:.2g}"
    _write(draw, (LEFT + width / 2, SIZE[1] - 16), f"{unit}: {count}", look.ink, "mm")
    return picture.resize(SIZE, Image.Resampling.LANCZOS)


def main(arguments: Sequence[str]) -> None:
    """Write the film of a link: the query string, then the file."""
    if len(arguments) != 2:
        raise SystemExit(ANIMATION_USE)
    opened = read_query(arguments[0].rpartition("?")[2])
    if opened.message:
        print(opened.message)
    film = animation(run_experiment(opened.settings), opened.view)
    Path(arguments[1]).write_bytes(film)


if __name__ == "__main__":
    main(sys.argv[1:])
