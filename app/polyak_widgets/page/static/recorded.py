"""The page's state as it is once its first picture has settled: what a reader sees before Python is there."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from polyak_widgets.page.static.reader import Reader, apart
from polyak_widgets.session.messages import HEAVY


def recorded_state() -> dict[str, Any]:
    """All parts, ready for JSON, with bytes as base64; its frames have the number 0: each other is newer."""
    reader = Reader(lambda text, buffers: None)
    while reader.step(1.0):
        pass
    state = dict(reader.session.state)
    for name in HEAVY:
        words, buffers = apart(state[name])
        state[name] = (
            words | {"serial": 0} | {part: b64encode(data).decode() for part, data in buffers.items()}
        )
    files = [kind for kind in state["states"]["files"] if kind != "gif"]  # a browser has no Pillow
    return state | {"plotly_js": None, "states": state["states"] | {"files": files}}
