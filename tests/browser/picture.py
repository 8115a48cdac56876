"""Take the picture of the README: `make picture`. Its name is no test's, so it runs only when asked for."""

from pathlib import Path

from playwright.sync_api import Browser

PICTURE = Path(__file__).parents[2] / "docs" / "explorer.png"


def test_take_the_picture(browser: Browser, served: str) -> None:
    # The charts end at the edge of the window here, and no text is cut by it.
    page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
    page.goto(served)
    page.wait_for_selector('[data-drawn-whole="true"]')
    page.mouse.move(0, 0)
    PICTURE.parent.mkdir(exist_ok=True)
    page.screenshot(path=PICTURE)
    assert PICTURE.stat().st_size > 10_000
