"""Somebody with nothing but the built site and the wheel: `make package` makes both and does what it says.

What it is, how to install it, serve it, run the first example, add a method, cite it: each is read from the
site's HTML, and done in a new environment.
"""

import html
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from places import Place, chromium_page, fetched

import polyak_core as pc

pytestmark = pytest.mark.package
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, ROOT / "docs/site/make_site.py", "--folder", folder], check=True)
    return folder / "html"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """An environment in which the line of the site that installs has run, with the wheel beside it."""
    folder = tmp_path_factory.mktemp("wheel")
    pack = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(pack, cwd=ROOT, check=True)
    place = Place(tmp_path_factory.mktemp("stranger"))
    place.find_links = ("--find-links", str(folder))
    return place


def blocks(page: Path, after: str = "") -> list[str]:
    """The blocks of code of a page as text, those after a heading."""
    text = page.read_text(encoding="utf-8")
    text = text[text.index(f'id="{after}"') :] if after else text
    code = re.findall(r"<pre>(.*?)</pre>", text, re.DOTALL)
    return [html.unescape(re.sub(r"<[^>]+>", "", block)) for block in code]


def test_it_says_what_it_is(site):
    first = re.search(r"<h1>.*?</h1>\s*<p>(.*?)</p>", (site / "index.html").read_text(), re.DOTALL)[1]
    for words in ("accelerated gradient methods", "estimate the strong convexity", "solver package"):
        assert words in " ".join(first.split())


def test_it_is_installed_and_served_by_the_first_two_lines(site, place):
    install, serve = blocks(site / "index.html")[0].strip().splitlines()
    pip, word, requirement = shlex.split(install)
    assert (pip, word) == ("pip", "install")
    place.install(requirement, *place.find_links)
    with place.serving(*shlex.split(serve), "--no-browser") as port:
        assert "<title>Polyak Explorer</title>" in fetched(f"http://localhost:{port}/")


@pytest.mark.parametrize("heading", ["compute-it", "add-a-method"])
def test_the_first_example_and_the_first_method_run(site, place, heading):
    """Those of the page before it, too: a reader goes from top to bottom."""
    place.install("polyak-explorer[app]", *place.find_links)
    steps = blocks(site / "first_steps.html", "compute-it")[: 1 if heading == "compute-it" else 2]
    assert_examples_hold("\n".join(steps), place)


def test_runs_are_compared_as_the_page_on_that_says(site, place):
    """A solver from outside, a trace beside the page's own, a typed rate, a worst case, a film."""
    place.install("polyak-explorer[app,animation]", *place.find_links)
    code = "\n".join(blocks(site / "compare.html"))
    for name in ("pc.record(", "beside=", 'line="', "worst_case(", "animation("):
        assert name in code
    assert_examples_hold(code, place)


def assert_examples_hold(code, place):
    assert code.count(">>> ") > 5
    (place.folder / "steps.txt").write_text(code, encoding="utf-8")
    place.run("python", "-m", "doctest", "-o", "NORMALIZE_WHITESPACE", "steps.txt")


def test_it_says_how_to_cite_it(site, place):
    (entry, *_) = blocks(site / "cite.html")
    for words in ("title = {Polyak Explorer}", f"version = {{{pc.__version__}}}", "eprint = {1906.03056}"):
        assert words in entry
    place.install("polyak-explorer[app]", *place.find_links)
    assert place.run("polyak-explorer", "--version").strip() == f"polyak-explorer {pc.__version__}"


class Addresses(HTMLParser):
    """The addresses of a page: those that a browser fetches by itself, and those that a reader may follow."""

    def __init__(self) -> None:
        super().__init__()
        self.fetches: list[str] = []
        self.follows: list[str] = []

    def handle_starttag(self, tag, attrs):
        addresses = {name: value for name, value in attrs if name in ("src", "href") and value}
        if tag == "a":
            self.follows += addresses.values()
        elif tag != "use":
            self.fetches += addresses.values()


def test_nothing_is_fetched_from_elsewhere_and_every_link_leads_somewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 100
    assert not (site / "_downloads").exists(), "what is linked is there to be opened"
    for page in pages:
        if page.parent.name == "_static":
            continue
        addresses = Addresses()
        addresses.feed(page.read_text(encoding="utf-8"))
        assert [address for address in addresses.fetches if urlsplit(address).netloc] == [], page
        inside = [urlsplit(address) for address in addresses.fetches + addresses.follows]
        paths = [unquote(link.path) for link in inside if link.path and not link.scheme]
        assert [path for path in paths if not (page.parent / path).exists()] == [], page


def test_a_browser_reads_it_from_its_folder_and_asks_no_server(site):
    """Style sheets and scripts could ask for what no attribute of a page names; the search works, too."""
    requests, complaints = [], []
    names = ("index", "methods/restart", "problems/lasso", "explore", "figures", "reference/polyak_core")
    with chromium_page() as page:
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        for name in names:
            page.goto((site / f"{name}.html").as_uri())
        assert complaints == []
        page.goto((site / "search.html").as_uri() + "?q=curvature")
        page.wait_for_selector("#search-results li a")
    assert len(requests) > 20
    assert [address for address in requests if not address.startswith(("file:", "data:", "blob:"))] == []
