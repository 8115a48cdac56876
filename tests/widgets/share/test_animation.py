"""A run as a film: frames that grow to the whole curves, in the colours of the page; and who asks for it."""

from io import BytesIO

import numpy as np
import pytest
from polyak_widgets.figures.theme import theme
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.look import method_look
from polyak_widgets.session.messages import states_of_buttons
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.animation import SIZE, animation, main

Image = pytest.importorskip("PIL.Image")
SMALL = Settings(n=20, condition_number=100.0, iterations=40, methods=("adapt_apg_v2", "fista"))


def frames(film):
    picture = Image.open(BytesIO(film))
    for i in range(picture.n_frames):
        picture.seek(i)
        yield np.asarray(picture.convert("RGB"), dtype=int)


def rightmost(frame, colour):
    """Where the chart has that colour last, in pixels: names stand right of it."""
    rgb = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])
    near = np.abs(frame[:, : SIZE[0] - 200] - rgb).max(axis=2) < 40
    return int(np.flatnonzero(near.any(axis=0)).max())


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_curves_grow_to_their_ends(ground):
    film = animation(run_experiment(SMALL), frames=4, ground=ground)
    pictures = list(frames(film))
    assert [picture.shape for picture in pictures] == [(SIZE[1], SIZE[0], 3)] * 4
    colour = theme(ground).curve(method_look("adapt_apg_v2").colour)
    heads = [rightmost(picture, colour) for picture in pictures[1:]]
    assert heads == sorted(heads)
    steps = np.diff(heads)
    assert steps.min() > 0.8 * steps.max() > 100, "a third of the axis at a time"
    with pytest.raises(ValueError, match="frames"):
        animation(run_experiment(SMALL), frames=1)


def test_the_page_offers_it_and_the_command_line_writes_it(tmp_path):
    assert "gif" in states_of_buttons(SMALL, View())["files"]
    file = tmp_path / "run.gif"
    main(["http://localhost/?methods=apg&n=10&iterations=20&y=distance", str(file)])
    assert file.read_bytes().startswith(b"GIF89a")
    with pytest.raises(SystemExit, match="Give a link"):
        main([])
