"""Sixty random states, each drawn: nothing overlaps or is cut off, and no chart is empty."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from random import Random

import pytest
from playwright.sync_api import Page
from polyak_widgets import Settings, View
from polyak_widgets.laboratory.experiment import Laboratory
from polyak_widgets.panels.frame import make_frame
from polyak_widgets.settings.choices import ESTIMATORS, F_STARS, SPECTRA

import polyak_core as pc

pytestmark = pytest.mark.browser

SEEDS, STATES, OF_A_SIZE = (20, 21), 30, 5
SIZES = [(1920, 1080), (1280, 720), (1024, 768), (820, 1180), (390, 844), (640, 360)]
PROBLEMS = [("quadratic", "sonar")] * 5 + [("lasso", "synthetic"), ("least_squares", "synthetic")]
SEND = """frame => {
    const bytes = Uint8Array.from(atob(frame.data), letter => letter.charCodeAt(0));
    stageModel.set('view', frame.view);
    stageModel.set('frame', {...frame, data: new DataView(bytes.buffer)}) }"""
DRAWN = """serial => { const { drawnSerial, drawnWhole } = document.querySelector('.pk-stage').dataset;
    return Number(drawnSerial) === serial && drawnWhole === 'true' }"""
IN_CARD = ".pk-panel-title, .pk-switch, .pk-math, .pk-quiet, .pk-legend span"
IN_CHART = ".pk-label text, .xtick text, .ytick text, .xtitle, .ytitle"
PARTS = ".pk-panel-title, .pk-switches, .pk-formula, .pk-legend, .pk-chart-frame, .pk-foot"
LOOK = f"""() => {{ const found = [], box = node => node.getBoundingClientRect();
    const seen = (root, what) =>
        [...root.querySelectorAll(what)].filter(one => one.checkVisibility() && box(one).width > 0);
    const name = node => (node.textContent || node.getAttribute('class')).trim().slice(0, 40);
    const meet = (one, other, slack) =>
        Math.min(one.right, other.right) - Math.max(one.left, other.left) > slack &&
        Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > slack;
    const apart = (nodes, slack, what) => nodes.forEach((one, i) => nodes.slice(i + 1).forEach(other => {{
        const nested = one.contains(other) || other.contains(one);
        const meeting = !nested && meet(box(one), box(other), slack);
        if (meeting) found.push(`${{what}} meet: ${{name(one)}} | ${{name(other)}}`) }}));
    const within = (nodes, outer, what) => nodes.forEach(node => {{ const one = box(node);
        if (one.left < outer.left - 1.5 || one.right > outer.right + 1.5 || one.bottom > outer.bottom + 1.5)
            found.push(`cut off at the ${{what}}: ${{name(node)}}`) }});
    if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the window');
    const blocks = seen(document, '.pk-stage > *:not(.pk-hidden, div:empty)');
    apart(blocks.filter(one => getComputedStyle(one).position === 'static'), 2, 'blocks');
    for (const card of seen(document, '.pk-panels:not(.pk-lower) > .pk-panel')) {{
        const frame = card.querySelector('.pk-chart-frame'), plot = box(card.querySelector('.nsewdrag'));
        within(seen(card, '{IN_CARD}'), box(card), 'card');
        within(seen(frame, '{IN_CHART}'), box(frame), 'chart');
        apart(seen(card, '{PARTS}'), 1.5, 'parts');
        apart(seen(card, '.pk-label text'), 4, 'names');
        for (const ticks of ['.xtick text', '.ytick text']) apart(seen(frame, ticks), 1, 'ticks');
        const {{ data, _fullLayout }} = card.querySelector('.pk-chart');
        const log = _fullLayout.yaxis.type === 'log';
        const can = value => log ? value > 0 : value === value;
        const some = data.some(({{ y }}) => [...y].filter(can).length > 1);
        const lines = seen(frame, 'path.js-line').map(box).filter(line => line.width > 2 || line.height > 2);
        if (some && !lines.some(line => line.bottom >= plot.top - 1 && line.top <= plot.bottom + 1))
            found.push(`empty: ${{name(card.querySelector('.pk-panel-title'))}}`);
        if (plot.width < 120 || plot.height < 90) found.push(`small: ${{plot.width}} x ${{plot.height}}`);
    }}
    return found }}"""
"""All faults of what is drawn; a chart is empty if it has two points to draw and no line is seen in it."""


def states(seed: int) -> Iterator[tuple[Settings, View]]:
    """Settings that the page allows and that take milliseconds."""
    rng = Random(seed)
    for _ in range(STATES):
        problem, data = rng.choice(PROBLEMS)
        spectrum = (
            rng.choice([name for name in SPECTRA if name != "own"]) if problem == "quadratic" else "log"
        )
        settings = Settings(
            problem=problem,
            data=data,
            spectrum=spectrum,
            condition_number=10 ** rng.uniform(0, 8) if problem == "quadratic" else 100.0,
            n=rng.choice([2, 20, 100]) if problem == "quadratic" else 20,
            rows=40,
            mu0=10 ** rng.uniform(-6, 0),
            gamma=10 ** rng.uniform(-1, 1.3),
            estimator=rng.choice(list(ESTIMATORS)),
            iterations=rng.choice([10, 100, 300]),
            target=rng.choice([0.0, 0.0, 1e-3]),
            methods=tuple(rng.sample(list(pc.METHODS), rng.choice([*range(1, 9), len(pc.METHODS)]))),
            f_star=rng.choice([name for name in F_STARS if name != "dual"] + ["exact"]),
            f_star_delta=10 ** rng.uniform(-8, -1),
            L_factor=rng.choice([1.0, 1.0, 0.5, 2.0, 10.0]),
            mu_factor=rng.choice([1.0, 1.0, 0.1]),
        )
        flags = {name: rng.random() < 0.25 for name in ("bounds", "differences")}
        yield settings, View(x=rng.choice(["iterations", "gradients"]), **flags)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_states_look_right(page: Page, seed: int) -> None:
    laboratory, faults = Laboratory(), {}
    for serial, (settings, view) in enumerate(states(seed), 1):
        if serial % OF_A_SIZE == 1:
            width, height = SIZES[serial // OF_A_SIZE % len(SIZES)]
            page.set_viewport_size({"width": width, "height": height})
        growing = laboratory.begin(settings)
        while not growing.advance():
            pass
        frame = make_frame(growing.snapshot(), view, ("gap", "mu"), serial)
        data = base64.b64encode(bytes(frame["data"])).decode()
        page.evaluate(SEND, frame | {"data": data, "view": view.values()})
        page.wait_for_function(DRAWN, arg=serial)
        if flaws := page.evaluate(LOOK):
            faults[serial, page.viewport_size["width"], repr(settings)] = flaws
    assert faults == {}, "\n".join(f"{state}: {flaws}" for state, flaws in faults.items())
