"""One visit of a page: how soon there is something, how soon it follows the slider, what it costs."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from page_servers import Served
from playwright.sync_api import Browser, BrowserContext, Page
from playwright.sync_api import TimeoutError as NothingCame

MOVES, DRAG_MOVES, DRAG_SECONDS = 20, 80, 1.6
TRIES, PATIENCE = 3, 60_000
QUIET = 700
"""Milliseconds without a change after which a picture counts as settled."""
SAME_PICTURE = 5
"""Milliseconds within which changes belong to one picture."""
KERNEL = "() => JSON.parse(document.getElementById('jupyter-config-data').textContent).kernelId"
COUNT = """
    performance.setResourceTimingBufferSize(1000);
    window.received = 0; // counted in the page: to report every message would slow the browser down
    window.WebSocket = new Proxy(WebSocket, { construct(Socket, given) {
        const socket = new Socket(...given);
        const count = ({ data }) => (received += data.byteLength ?? data.size ?? data.length);
        socket.addEventListener('message', count);
        return socket;
    } });
"""
RECEIVED = """() => ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))
    .reduce((sum, { transferSize }) => sum + transferSize, received)"""
WATCH = """([target, slider, settles]) => {
    const node = document.querySelector(target);
    window.changes = [];
    window.moves = [];
    const note = () => changes.push([performance.now(), node.dataset.drawnSerial ?? String(changes.length),
        !settles || node.dataset.drawnSettled === 'true']);
    const charts = !settles && node.querySelector('.scatterlayer'); // else a label, or a stage that says so
    const counts = ({ target }) => !charts || target.closest?.('.scatterlayer');
    const watched = settles
        ? { attributes: true, attributeFilter: ['data-drawn-serial', 'data-drawn-settled'] }
        : { attributes: true, attributeFilter: ['d'], characterData: true, childList: true, subtree: true };
    new MutationObserver(records => records.some(counts) && note()).observe(node, watched);
    const moved = () => moves.push(performance.now());
    for (const event of ['keydown', 'pointermove']) document.addEventListener(event, moved, true);
}"""


@dataclass(frozen=True)
class Kind:
    """Where to look: what is there first, what changes, the slider, and whether the page says `settled`."""

    first: str
    target: str
    slider: str
    settles: bool = False


KINDS = {
    "echo": Kind(".measured", ".measured", ".noUi-handle"),
    "Explorer": Kind("[data-drawn-serial]", ".pk-stage", ".pk-range:visible", True),
    "FigureWidget": Kind(".js-plotly-plot path.js-line", "#rendered_cells", ".noUi-handle"),
}


@dataclass(kw_only=True)
class Visit:
    """Seconds, milliseconds, redraws a second, bytes, CPU seconds, bytes of memory, loads that went dead."""

    first_content: float = 0
    first_frame: list[float] = field(default_factory=list)
    settled: list[float] = field(default_factory=list)
    redraws: float = 0
    received: int = 0
    cpu: float = 0
    memory: int = 0
    dead: int = 0


def visit(browser: Browser, page: Served) -> Visit:
    """A visit of somebody who was never there; a load that goes dead is counted and made again."""
    for dead in range(TRIES):
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        try:
            result = stay(context, page)
        except NothingCame:
            continue
        finally:
            context.close()
        result.dead = dead
        return result
    raise RuntimeError(f"{page.name} went dead {TRIES} times in a row: is the machine busy?")


def stay(context: BrowserContext, page: Served) -> Visit:
    """Open the page, move its slider by keys, drag it."""
    kind, result = KINDS[page.name], Visit()
    tab = context.new_page()
    tab.set_default_timeout(PATIENCE)
    tab.add_init_script(COUNT)
    started = time.perf_counter()
    tab.goto(page.address, wait_until="commit")
    tab.wait_for_selector(kind.first, state="attached")
    result.first_content = time.perf_counter() - started
    tab.wait_for_timeout(3000)
    kernel = page.kernel(tab.evaluate(KERNEL))
    result.cpu = sum(kernel.cpu_times()[:2])
    tab.evaluate(WATCH, [kind.target, kind.slider, kind.settles])
    move(tab, kind, result)
    drag(tab, kind, result)
    result.memory = kernel.memory_info().rss
    result.received = int(tab.evaluate(RECEIVED))
    return result


def move(tab: Page, kind: Kind, result: Visit) -> None:
    """Single moves, each after the last has settled, and each to a setting that was never shown."""
    tab.locator(kind.slider).first.focus()
    for _ in range(MOVES):
        tab.evaluate("() => { changes.length = moves.length = 0 }")
        tab.keyboard.press("ArrowRight")
        tab.wait_for_function(
            "quiet => changes.length && changes.at(-1)[2] && performance.now() - changes.at(-1)[0] > quiet",
            arg=QUIET,
        )
        moved, changes = tab.evaluate("() => [moves[0], changes]")
        result.first_frame.append(changes[0][0] - moved)
        settled = [at for at, _, done in changes if done] if kind.settles else [changes[-1][0]]
        result.settled.append(settled[0 if kind.settles else -1] - moved)


def drag(tab: Page, kind: Kind, result: Visit) -> None:
    """A finger on the slider: so many moves in so many seconds."""
    handle = tab.locator(kind.slider).first
    handle.scroll_into_view_if_needed()
    place = handle.bounding_box()
    track = tab.locator(".noUi-target, " + kind.slider).first.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.evaluate("() => { changes.length = moves.length = 0 }")
    started = time.perf_counter()
    for step in range(DRAG_MOVES):
        tab.mouse.move(x + track["width"] * 0.3 * (step + 1) / DRAG_MOVES, y)
        pause = started + DRAG_SECONDS * (step + 1) / DRAG_MOVES - time.perf_counter()
        time.sleep(max(0, pause))
    moves, changes = tab.evaluate("() => [moves, changes]")
    tab.mouse.up()
    tab.wait_for_timeout(QUIET)
    result.redraws = 1000 * redraws(changes) / (moves[-1] - moves[0])


def redraws(changes: list[list]) -> int:
    """How many pictures that makes; one picture may be written in several steps."""
    first: dict[str, float] = {}
    for at, serial, _ in changes:
        first.setdefault(serial, at)
    times = sorted(first.values())
    return sum(
        later - earlier > SAME_PICTURE
        for earlier, later in zip([-SAME_PICTURE * 2, *times], times, strict=False)
    )
