"""The QR code of a link is the one that a phone reads, and what is no link is refused in words."""

import re

import pytest
import segno
from polyak_widgets.session.session import Session
from polyak_widgets.session.slices import Slices
from polyak_widgets.share.qr import LONGEST, qr_path

LINK = "https://example.org/polyak/?v=1&problem=lasso&gamma=5"


def test_the_path_holds_the_dark_modules_and_no_others():
    code = qr_path(LINK)
    matrix = segno.make(LINK, error="m", micro=False, boost_error=False).matrix
    border = (code["side"] - len(matrix)) // 2
    assert border == 4
    dark = {
        (int(x) + i - border, int(y) - border)
        for x, y, width in re.findall(r"M(\d+),(\d+)h(\d+)v1h-\3z", code["path"])
        for i in range(int(width))
    }
    assert dark == {(x, y) for y, row in enumerate(matrix) for x, module in enumerate(row) if module}


@pytest.mark.parametrize("link", [None, 5, "", "javascript:alert(1)", "https://a b", "x" * 50])
def test_what_is_no_link_has_no_code(link):
    with pytest.raises(ValueError, match="no address for a QR code"):
        qr_path(link)
    with pytest.raises(ValueError, match="too long for a QR code"):
        qr_path("https://example.org/?" + "x" * LONGEST)


class Page:
    def __init__(self):
        self.messages = []

    def show(self, name, value):
        pass

    def repeat(self, names):
        pass

    def send(self, content, buffers=()):
        self.messages.append(content)


def test_a_session_sends_the_code_or_says_why_not():
    session, page = Session(), Page()
    session.start(page, Slices(session.work, session.report).submit)
    session.act({"do": "qr", "link": LINK})
    session.act({"do": "qr", "link": ""})
    assert page.messages[0]["qr"] == qr_path(LINK)
    assert "no address" in page.messages[1]["said"]
