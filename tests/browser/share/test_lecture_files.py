"""`make lecture`: links follow the port, and both PDFs are whole sheets of A4."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from polyak_widgets.share.chromium import print_pdf
from polyak_widgets.share.lecture.files import main
from polyak_widgets.stories.lecture import ASKING_SCENES, SCENES

pytestmark = pytest.mark.browser
PAGE = Path(__file__).parents[3] / "docs" / "lecture.md"


def test_a_lecturer_gets_page_handout_answers_and_quiz(tmp_path, capsys, sheets):
    main(["--port", "9000", "--folder", str(tmp_path), "--page", str(PAGE)])
    names = [Path(line).name for line in capsys.readouterr().out.splitlines()]
    assert names == ["lecture.html", "handout.pdf", "answers.pdf", "questions.xml"]
    text = (tmp_path / "lecture.html").read_text()
    links = re.findall(r'href="([^"]+)"', text)
    assert "8866" not in text
    assert "<!--" not in text
    assert "&lt;!--" not in text
    assert sum(link.startswith("http://localhost:9000/?v=1") for link in links) == 9 + 12 + len(SCENES)
    assert [link for link in links if "://" not in link and not (tmp_path / link).is_file()] == []
    assert len(sheets((tmp_path / "handout.pdf").read_bytes())) <= 2
    for name in ("handout.pdf", "answers.pdf"):
        for width, height in sheets((tmp_path / name).read_bytes()):
            assert (width, height) == (pytest.approx(595, abs=1.5), pytest.approx(842, abs=1.5))
    assert len(ET.parse(tmp_path / "questions.xml").getroot()) == 1 + len(ASKING_SCENES)
    assert "13\u202f323 iterations" in (tmp_path / "answers.html").read_text()


def test_without_a_chromium_it_is_said_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("CHROMIUM", "nowhere")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="CHROMIUM=/path/to/chromium make lecture"):
        print_pdf(tmp_path / "page.html")
