"""What is seen before the page is there says and draws what the page will."""

import re
import subprocess
import sys
from html import escape

import numpy as np
import pytest
from polyak_widgets import Settings, View
from polyak_widgets.look import method_look
from polyak_widgets.page.first_look import SIZE, first_look
from polyak_widgets.panels.help.guide import INTRO
from polyak_widgets.stories.storyteller import story_list

import polyak_core as pc

SETTINGS = Settings(iterations=400, condition_number=100.0, methods=("apg", "fista"))


@pytest.fixture(scope="module")
def html():
    return first_look(SETTINGS, View())


def drawn(html, colour):
    """The points of the first curve of a colour, as the parts of the chart that they lie at."""
    path = re.search(rf'<path class="curve" style="--c: {re.escape(colour)};[^>]* d="([^"]+)"', html).group(1)
    return np.array([each.split(",") for each in re.split("[ML]", path)[1:]], dtype=float) / SIZE


def test_the_curves_are_those_of_the_runs(html):
    gap = pc.solve(pc.quadratic(pc.spectrum("log", 100, 100.0)), "fista", iterations=400).relative_gap
    x, y = drawn(html, method_look("fista").colour).T
    k = np.round(x * 400).astype(int)
    assert (k[0], k[-1]) == (0, 400)
    places, logs = 1 - y[k < 100], np.log10(gap[k[k < 100]])
    slope, start = np.polyfit(places, logs, 1)
    assert slope > 5, "decades from the bottom of the axis to its top"
    np.testing.assert_allclose(start + slope * places, logs, atol=0.1)


def test_it_has_the_page_s_words_and_its_rail(html):
    for words in (
        "Polyak Explorer",
        "Condition number L/μ",
        "APG, true μ",
        "iteration k",
        "Given L and μ",
        INTRO,
    ):
        assert escape(words) in html
    for _, title, kind in story_list():
        assert (escape(title) in html) == (kind == "question")
    assert "FISTA" in re.sub("<[^>]+>", "", html[html.index('"pk-sentence"') :])


def test_it_can_stand_in_any_page(html):
    assert not re.search(r"\bid=|<script|<input|<button|\bhttps?:", html), "nothing to press or to fetch"
    assert html.count("<slot>") == 1
    assert "nan" not in "".join(re.findall(r'd="[^"]+"', html))


def test_a_template_takes_it_as_it_is(tmp_path):
    target = tmp_path / "first_look.html"
    subprocess.run([sys.executable, "-m", "polyak_widgets.page.first_look", target], check=True)
    text = target.read_text(encoding="utf-8")
    assert re.match(r"{% raw %}<script>[^<]*polyak-explorer-questions[^<]*isKnown[^<]*</script><style>", text)
    assert text.endswith("</div>{% endraw %}")
    assert "{%" not in text[9:-12]
    assert list(tmp_path.iterdir()) == [target]
