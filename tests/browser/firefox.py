"""A Firefox as the distribution ships it, driven over WebDriver BiDi: a socket that it opens by itself."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import time
from pathlib import Path
from typing import Any

from websocket import WebSocket, create_connection

PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "app.update.enabled": False,
    "app.normandy.enabled": False,
    "browser.safebrowsing.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "extensions.getAddons.cache.enabled": False,
    "services.settings.server": "data:,",
}
"""So that a new profile asks nobody for anything."""
PATIENCE = 60.0
KEYS = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "Left": "\ue012",
    "Right": "\ue014",
    "End": "\ue010",
}
PAPER = {"A4": (21.0, 29.7), "letter": (21.59, 27.94)}
"""Width and height in centimetres."""


class Firefox:
    """One window of a browser with a profile of its own; `complaints` is what its console said."""

    def __init__(self, program: str, folder: Path) -> None:
        profile = folder / "profile"
        profile.mkdir()
        lines = (f'user_pref("{name}", {json.dumps(value)});' for name, value in PREFERENCES.items())
        (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
        log = folder / "log"
        with log.open("w") as output:
            command = [program, "--headless", "--no-remote", "--profile", str(profile)]
            self.process = subprocess.Popen(
                [*command, "--remote-debugging-port=0", "about:blank"], stdout=output, stderr=output
            )
        self.complaints: list[str] = []
        self._commands = 0
        self._socket = self._connected(log)
        self._call("session.new", capabilities={})
        self._call("session.subscribe", events=["log.entryAdded"])
        self._browsing_context = self._call("browsingContext.getTree")["contexts"][0]["context"]

    def _connected(self, log: Path) -> WebSocket:
        """The socket, whose address the browser prints when it listens."""
        for _ in range(300):
            assert self.process.poll() is None, log.read_text()
            if address := re.search(r"BiDi listening on (ws://\S+)", log.read_text()):
                return create_connection(f"{address[1]}/session", suppress_origin=True, timeout=PATIENCE)
            time.sleep(0.1)
        raise TimeoutError(log.read_text())

    def _call(self, method: str, **parameters: Any) -> Any:
        """What the browser answers; what it tells of the console meanwhile is kept."""
        self._commands += 1
        self._socket.send(json.dumps({"id": self._commands, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._commands:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['message']}")
                return message["result"]
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.complaints.append(str(message["params"]["text"]))

    def resize(self, width: int, height: int) -> None:
        """Give the inside of the window a size."""
        size = {"width": width, "height": height}
        self._call("browsingContext.setViewport", context=self._browsing_context, viewport=size)

    def open(self, address: str) -> None:
        """A page, in a window as the tests in Chromium have it."""
        self.resize(1280, 720)
        self._call("browsingContext.navigate", context=self._browsing_context, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression; it must be one that JSON can carry."""
        program = f"(async () => JSON.stringify((await ({expression})) ?? null))()"
        target = {"context": self._browsing_context}
        answer = self._call(
            "script.evaluate", expression=program, target=target, awaitPromise=True, userActivation=True
        )
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return json.loads(answer["result"]["value"])

    def wait(self, expression: str) -> None:
        """Until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.evaluate(f"Boolean({expression})"):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.05)

    def press(self, *keys: str) -> None:
        """Keys by the names of `KEYS`, or texts to type."""
        letters = [letter for key in keys for letter in KEYS.get(key, key)]
        steps = [{"type": kind, "value": letter} for letter in letters for kind in ("keyDown", "keyUp")]
        self._perform({"type": "key", "id": "keys", "actions": steps})

    def click(self, selector: str) -> None:
        """The middle of an element, brought into sight."""
        x, y = self._middle(selector)
        self._mouse(("move", x, y), ("down", 0, 0), ("up", 0, 0))

    def drag(self, selector: str, by: int) -> None:
        """The thumb of a slider, so many pixels to the right."""
        x, y = self._middle(selector, "Number(getComputedStyle(node).getPropertyValue('--fill'))")
        self._mouse(
            ("move", x, y), ("down", 0, 0), *(("move", x + by * i // 4, y) for i in range(1, 5)), ("up", 0, 0)
        )

    def _middle(self, selector: str, share: str = "0.5") -> tuple[int, int]:
        x, y = self.evaluate(f"""(() => {{ const node = document.querySelector({json.dumps(selector)});
            node.scrollIntoView({{ block: "center" }});
            const box = node.getBoundingClientRect(), inner = node.type === "range" ? 8 : 0;
            return [box.x + inner + (box.width - 2 * inner) * {share}, box.y + box.height / 2] }})()""")
        return round(x), round(y)

    def _mouse(self, *steps: tuple[str, int, int]) -> None:
        kinds = {"move": "pointerMove", "down": "pointerDown", "up": "pointerUp"}
        actions = [
            {"type": kinds[kind], **({"x": x, "y": y} if kind == "move" else {"button": 0})}
            for kind, x, y in steps
        ]
        self._perform({"type": "pointer", "id": "mouse", "actions": actions})

    def _perform(self, source: dict[str, Any]) -> None:
        self._call("input.performActions", context=self._browsing_context, actions=[source])

    def pdf(self, paper: str, across: bool = False) -> bytes:
        """The page as it is printed; the style sheet chooses the margins."""
        width, height = PAPER[paper]
        answer = self._call(
            "browsingContext.print",
            context=self._browsing_context,
            page={"width": width, "height": height},
            orientation="landscape" if across else "portrait",
        )
        return base64.b64decode(answer["data"])

    def picture(self) -> bytes:
        """What the window shows, as PNG."""
        return base64.b64decode(
            self._call("browsingContext.captureScreenshot", context=self._browsing_context)["data"]
        )

    def close(self) -> None:
        """End the browser."""
        self.process.terminate()
        self.process.wait(20)
        self._socket.close()
