"""The closer look: what the reader chose stays chosen, whatever frames are still on their way."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

FRAME = {"serial": 1, "settled": True, "sentence": [["Seen.", None]], "panels": [], "data": []}
KINDS = [["sensitivity", "Sensitivity"], ["momentum", "Momentum"]]
SWEPT = [["gamma", "γ"], ["mu_0", "μ₀"]]


def look(serial, kind="sensitivity", swept="gamma"):
    """A frame that grows, with nothing drawn in it yet."""
    second = {"name": "swept", "value": swept, "options": SWEPT} if kind == "sensitivity" else None
    panel = {"kind": kind, "kinds": KINDS, "second": second, "title": kind, "curves": [], "waiting": "Soon."}
    return {"serial": serial, "settled": False, "panel": panel, "data": []}


def show(page, frame):
    page.evaluate(
        "frame => stageModel.set('third', { ...frame, data: new DataView(new ArrayBuffer(0)) })", frame
    )
    page.wait_for_selector(f'.pk-closer[data-serial="{frame["serial"]}"]')


@pytest.mark.parametrize(("value", "then"), [("momentum", {"kind": "momentum"}), ("mu_0", {"swept": "mu_0"})])
def test_a_choice_stays_while_frames_of_the_one_before_come(page, value, then):
    page.evaluate(
        "frame => { stageModel.set('view', { third: 'sensitivity', swept: 'gamma' }); send(frame); }", FRAME
    )
    page.wait_for_selector('[data-drawn-serial="1"]', timeout=20_000)
    show(page, look(1))
    choice = page.locator(f'.pk-closer input[value="{value}"]')
    choice.check(force=True)
    show(page, look(2))
    expect(choice).to_be_checked()
    show(page, look(3, **then))
    expect(choice).to_be_checked()
    page.evaluate("stageModel.set('view', { third: 'sensitivity', swept: 'gamma' })")
    show(page, look(4))
    expect(choice).not_to_be_checked()
