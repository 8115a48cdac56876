"""What all tests of the page without a browser share."""

from collections.abc import Iterator

import pytest
from polyak_widgets.panels.closer_look import panel


@pytest.fixture(scope="session", autouse=True)
def _at_once() -> Iterator[None]:
    """No slider is moving here, so that a closer look need not wait for it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(panel, "REST", 0.0)
        yield
