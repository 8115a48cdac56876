"""axe-core finds nothing serious on any state of the page, in light and in dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from polyak_widgets.settings.view import ALONG, CLOSER_LOOKS, PLANES, SPREADS, SWEPT
from polyak_widgets.stories.stories import STORIES, Choice, Guess

pytestmark = pytest.mark.browser

PATIENCE = 60_000
SERIOUS = ("serious", "critical")
FADED = ".pk-stage:is([data-mismatch], [data-behind]) :is(.pk-sentence, .pk-panels, .pk-cursor, .pk-pins)"
"""What is not the picture that was asked for is pale: inactive parts need no contrast."""
VIOLATIONS = f"""parts => axe.run({{ include: parts.map(part => [part]), exclude: [['{FADED}']] }},
    {{ resultTypes: ['violations'], ...(matchMedia('(prefers-color-scheme: dark)').matches && {{
        runOnly: ['color-contrast'] }}) }}).then(({{ violations }}) => violations)"""
"""Dark differs from light by its colours alone, so there the rule about them is enough."""
MISNAMED = """() => [...document.querySelectorAll('.pk-root [aria-label]')].flatMap(node => {
    const seen = node.cloneNode(true); // without values that follow the cursor, and what is no word
    seen.querySelectorAll('title, data, .pk-value, [aria-hidden=true]').forEach(part => part.remove());
    const bare = text => text.toLowerCase().replace(/[^\\p{L}\\p{N}]+/gu, '');
    const isPressed = node.matches('button, a, summary, [role=button], [role=menuitem], [role=switch]');
    const [words, name] = [seen.textContent, node.getAttribute('aria-label')].map(bare);
    return isPressed && !name.includes(words) ? [`${seen.textContent} is named ${node.ariaLabel}`] : [] })"""
"""Who speaks to a page says the words that are seen; WCAG 2.5.3 asks that a name contains them."""
FOCUS_UNSEEN = """() => { const node = document.activeElement;
    if (!node.closest('.polyak-explorer')) return '';
    const seen = one => parseFloat(one.outlineWidth) > 0 && one.outlineStyle !== 'none';
    const near = [node, node.parentElement, node.closest('label')].filter(Boolean);
    const shown = near.some(one => seen(getComputedStyle(one)));
    const thumb = node.type === 'range'; // its ring goes around the thumb, which a script cannot ask for
    return shown || thumb ? '' : node.outerHTML.slice(0, 120) }"""
MOVING = """() => [...document.querySelectorAll('.pk-root, .pk-root *')].filter(node => {
    const { animationName, transitionDuration } = getComputedStyle(node);
    return animationName !== 'none' || parseFloat(transitionDuration) > 0 }).map(node => node.className)"""
OWN = "\n".join(["height,width,label", *(f"{i},{i * i % 7},{i % 2}" for i in range(40))]).encode()
ENDS = (
    ("diverged", "L given / true L, number", "0.3", "diverged"),
    ("bouncing", "L given / true L, number", "0.5", "bounces"),
    ("budget", "L given / true L, number", "1", "stopped at"),
    ("f* too low", "f* that is given", "too_low", "f* is given too low"),
    ("f* too high", "f* that is given", "too_high", "f* is given too high"),
)
"""Each a state, the control that leads to it, its value, and a word of what is said then."""
RAIL, STATUS, PANELS, CLOSER, STORY = ".pk-controls", ".pk-status", ".pk-panels", ".pk-closer", ".pk-story"
STAGE = (STATUS, ".pk-results", f"{PANELS}:not(.pk-lower)")
SIZES = {"desktop": (1280, 720), "projector": (1920, 1080), "phone": (390, 844)}


def found_on(page: Page, *parts: str) -> list[str]:
    """What axe-core calls serious or critical in these parts (in all if none is named), and wrong names.

    A look at the whole page takes seconds, so that a state after the first names the parts that it changes.
    """
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(Axe().axe_script)  # once for a page: reading it takes longer than a run
    return page.evaluate(MISNAMED) + [
        f"{rule['id']} ({rule['impact']}): {node['target']} {node['html'][:120]} {node['failureSummary']}"
        for rule in page.evaluate(VIOLATIONS, parts or ["html"])
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]


def seen_as_faulty(violations: dict[str, list[str]]) -> dict[str, list[str]]:
    """Only the states with faults."""
    return {state: faults for state, faults in violations.items() if faults}


def unfold(page: Page) -> None:
    """Open every group and every help line."""
    page.evaluate("""() => {
        document.querySelectorAll('details').forEach(group => (group.open = true));
        document.querySelectorAll('.pk-controls [aria-expanded=false]').forEach(mark => mark.click()); }""")


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_state_of_a_visit(visited, settle):
    """One visit through the states, so that the page is opened once for each theme."""
    page, faults = visited, {}
    for name, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        faults[name] = found_on(page)
    page.set_viewport_size({"width": 1280, "height": 720})
    unfold(page)
    faults["unfolded"] = found_on(page, RAIL)
    box = page.get_by_label("Restart γ, number", exact=True)
    box.fill("-1")
    expect(page.get_by_role("alert").filter(has_text="Restart")).to_be_visible()
    faults["error"] = found_on(page, RAIL, STATUS)
    box.fill("2")
    before = settle(page)
    page.get_by_label("Start from").select_option("Sonar, LASSO")
    settle(page, before)
    unfold(page)
    faults["another problem"] = found_on(page)
    assert seen_as_faulty(faults) == {}


SECOND = {"sensitivity": SWEPT, "path": PLANES, "estimates": ALONG, "band": SPREADS}


def closer_look_shown(page: Page, value: str) -> None:
    """Choose what the closer look shows, and wait for its chart."""
    card = page.locator(".pk-closer")
    card.locator(f'input[value="{value}"]').check(force=True)
    expect(card.locator(".js-plotly-plot")).to_be_visible(timeout=PATIENCE)


def test_every_closer_look_both_views_of_mu_and_the_bounds(visited, visit, settle):
    """What one click leads to."""
    page, faults = visited, {}
    for kind in CLOSER_LOOKS:
        closer_look_shown(page, kind)
        for value in SECOND.get(kind, (kind,)):
            closer_look_shown(page, value)
            faults[value] = found_on(page, CLOSER)
    assert set(faults) == {"momentum", "components", *SWEPT, *PLANES, *ALONG, *SPREADS}
    for button in ("μₖ − μ", "bounds"):
        before = settle(page)
        page.get_by_role("button", name=button, exact=True).click()
        settle(page, before)
        faults[button] = found_on(page, PANELS)
    menu = page.get_by_label("What is shown of μ")
    for value in ("six", "polyak"):
        before = settle(page)
        menu.select_option(value)
        words = {"six": "along Proximal gradient; growth", "polyak": "paper’s quotient: never below μ"}[value]
        expect(page.locator(".pk-panel").nth(1)).to_contain_text(words)
        settle(page, before)
        faults[value] = found_on(page, PANELS)
    visit.leave()  # no reset brings back what a card shows
    assert seen_as_faulty(faults) == {}


def test_pins_menu_own_data_and_present_mode(visited, visit, settle):
    """What a visitor brings, keeps and projects."""
    page, faults = visited, {}
    before = settle(page)
    page.get_by_role("button", name="Pin", exact=True).click()
    before = settle(page, before)
    page.get_by_label("Restart γ, number", exact=True).fill("5")
    settle(page, before)
    expect(page.get_by_role("list", name="Pinned runs")).to_be_visible()
    faults["pinned"] = found_on(page)
    page.get_by_role("button", name="Export").click()
    faults["menu"] = found_on(page, ".pk-toolbar")
    page.keyboard.press("Escape")
    unfold(page)
    for name, content in (("bad.csv", b"a,b\n1,x\n"), ("own.csv", OWN)):
        before = settle(page)
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Choose a file").click()
        chooser.value.set_files({"name": name, "mimeType": "text/csv", "buffer": content})
        if name == "bad.csv":
            expect(page.get_by_role("alert").filter(has_text="bad.csv")).to_be_visible()
        else:
            settle(page, before)
        faults[name] = found_on(page, RAIL, STATUS)
    for button, shown in (("Present", "Leave"), ("Controls", "Controls")):
        page.get_by_role("button", name=button, exact=True).click()
        expect(page.get_by_role("button", name=shown, exact=True)).to_be_visible()
        faults[button] = found_on(page)
    visit.leave()  # own data stay with a page: the next test gets another
    assert seen_as_faulty(faults) == {}


@pytest.mark.parametrize("scheme", ["light"], indirect=True)
def test_every_end_of_a_run(visited, settle):
    """What goes wrong, and what is said of it."""
    page, faults = visited, {}
    unfold(page)
    status = page.locator(".pk-status")
    for name, box, value, word in ENDS:
        before = settle(page)
        field = page.get_by_label(box, exact=True)
        field.select_option(value) if box.startswith("f*") else field.fill(value)
        settle(page, before)
        expect(status).to_contain_text(word)
        faults[name] = found_on(page, *STAGE)
    page.get_by_label("Iterations, number", exact=True).fill("100000")
    cancel = page.get_by_role("button", name="Cancel", exact=True)
    expect(cancel).to_be_visible(timeout=PATIENCE)
    faults["running"] = found_on(page, *STAGE)
    cancel.click()
    expect(status).to_have_attribute("data-kind", "cancelled")
    faults["cancelled"] = found_on(page, *STAGE)
    assert seen_as_faulty(faults) == {}


KINDS = {"misprint": Guess, "wrong_L": Choice, "figure_5": type(None)}
"""A story that asks for a number, one for a choice, and one for nothing: cards of a kind are alike."""


@pytest.mark.parametrize("scheme", ["light"], indirect=True)
def test_a_story_of_each_kind_before_and_after_its_answer(visited, visit, settle):
    page, faults = visited, {}
    before = settle(page)
    story = page.locator(".pk-story")
    for name, kind in KINDS.items():
        each = STORIES[name]
        assert isinstance(each.prediction, kind)
        page.get_by_role("button", name="Stories").click()
        page.get_by_role("menuitem", name=each.title).click()
        expect(story.get_by_role("heading")).to_have_text(each.title)
        before = settle(page, before)
        faults[f"{name}: question"] = found_on(page, STORY, CLOSER)
        if each.prediction is not None:
            if isinstance(each.prediction, Choice):
                story.get_by_role("radio").first.check()
            else:
                story.get_by_label("Your prediction").press("ArrowRight")
            story.get_by_role("button", name="Lock my prediction").click()
            expect(story).to_contain_text("Why:", timeout=PATIENCE)
            before = settle(page, before)
            faults[f"{name}: answer"] = found_on(page, STORY, CLOSER)
    visit.leave()  # what the last one sweeps takes long
    assert len(faults) == 2 + 2 + 1
    assert seen_as_faulty(faults) == {}


@pytest.mark.parametrize("scheme", ["light"], indirect=True)
def test_focus_is_seen_and_motion_is_reduced_where_asked(visited):
    page = visited
    page.keyboard.press("Tab")
    for _ in range(25):
        page.keyboard.press("Tab")
        unseen = page.evaluate(FOCUS_UNSEEN)
        assert not unseen, unseen
    page.emulate_media(reduced_motion="reduce")
    moving = page.evaluate(MOVING)
    page.emulate_media(reduced_motion="no-preference")
    assert moving == []


@pytest.mark.parametrize("scheme", ["light"], indirect=True)
def test_each_chart_has_its_sentence_and_there_is_a_table(visited):
    page = visited
    charts = page.locator(":is(.pk-panel, .pk-closer) [role=img]").all()
    assert len(charts) == 3
    for chart in charts:
        described = chart.get_attribute("aria-describedby") or ""
        words = page.evaluate("id => document.getElementById(id)?.textContent ?? ''", described)
        assert chart.get_attribute("aria-label")
        assert any(sign.isdigit() for sign in words), "the sentence says numbers"
    expect(page.get_by_role("table").first).to_be_visible()
    expect(page.get_by_role("status").first).to_have_attribute("aria-live", "polite")
