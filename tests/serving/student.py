"""A page without a browser: fetched as a browser fetches it, it speaks the widget protocol to its kernel.

What goes over the socket is packed and taken apart by the libraries that the server itself uses.
"""

import asyncio
import gzip
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin

from jupyter_client.session import Session
from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1, serialize_msg_to_ws_v1
from tornado.httpclient import AsyncHTTPClient, HTTPRequest, HTTPResponse
from tornado.websocket import WebSocketClientConnection, websocket_connect

PIXELS = 800
"""The width of a chart, which the page tells."""
TABLE = "mine.csv"
LARGEST = 64 * 1024 * 1024
CONTROL = "jupyter.widget.control"
PROTOCOL = {"version": "1.0.0"}


class PageError(Exception):
    """The page is not as it should be."""


@dataclass
class Page:
    """One page that is open.

    Attributes:
        address: of the server, with its base path and a slash at the end.
        cpu: seconds that this process has computed for this page, above all to read its frames.
        state: of both widgets, the newest of each part.
        models: by the name of a part, the widget that has it.
        changed: set when something has come.
        is_left: what still comes then is for nobody.
    """

    address: str
    client: AsyncHTTPClient
    cpu: float = 0.0
    state: dict[str, Any] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    kernel: str = ""
    token: str = ""
    socket: WebSocketClientConnection | None = None
    session: Session = field(default_factory=Session)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    reader: asyncio.Task[None] | None = None
    comm: str = "student"
    is_left: bool = False

    # HTTP

    async def fetch(self, path: str, method: str = "GET", **more: Any) -> HTTPResponse:
        headers = {"Accept-Encoding": "gzip", "Cookie": f"_xsrf={self.token}"}
        address = urljoin(self.address, path)
        request = HTTPRequest(
            address,
            method,
            headers=headers,
            request_timeout=120,
            connect_timeout=120,
            decompress_response=False,
            **more,
        )
        return await self.client.fetch(request, raise_error=False)

    async def open(self, query: str = "", files: bool = False, table: bytes = b"") -> None:
        """Fetch the page, its files too if the browser has none of them, and connect to its kernel.

        A `table` that the link is about, and that the browser has kept, is brought before it is asked for.

        Raises:
            PageError: what came is not the page.
        """
        answer = await self.fetch(f"?{query}" if query else "")
        text = gunzip(answer)
        if answer.code != 200 or "There was an error when executing cell" in text:
            raise PageError(f"the page is answered {answer.code}")
        cookies = " ".join(answer.headers.get_list("Set-Cookie"))
        self.token = (re.search("_xsrf=([^;]+)", cookies) or ["", ""])[1]
        kernel = re.search(r"""kernelId["']?\s*[:=]\s*["']([0-9a-f-]{36})""", text)
        if not kernel:
            raise PageError("the page is not whole")
        self.kernel = kernel[1]
        if files:
            await asyncio.gather(
                *map(self.fetch, dict.fromkeys(re.findall(r"""(?:src|href)="(/[^"]+)""", text)))
            )
        await self.connect()
        if table:
            columns = {name: dict(parse_qsl(query)).get(name, "") for name in ("label", "leave_out")}
            self.send("upload", [table], name=TABLE, again=True, **columns)
        if query:
            self.send("open", query=query)

    async def connect(self) -> None:
        """Open the socket, ask for all models as the front end does, and say that the page is there."""
        path = urljoin(self.address, f"api/kernels/{self.kernel}/channels?session_id={self.session.session}")
        address = re.sub("^http", "ws", path)
        request = HTTPRequest(address, headers={"Cookie": f"_xsrf={self.token}"}, connect_timeout=120)
        self.socket = await websocket_connect(
            request,
            compression_options={},
            max_message_size=LARGEST,
            subprotocols=["v1.kernel.websocket.jupyter.org"],
        )
        self.reader = asyncio.create_task(self.read())
        self.post("comm_open", {"comm_id": self.comm, "target_name": CONTROL, "data": {}})
        self.post("comm_msg", {"comm_id": self.comm, "data": {"method": "request_states"}})
        await self.until(lambda: "frame" in self.models and "value" in self.models)
        self.send("here", frame=self.state["frame"].get("serial"), third=self.state["third"].get("serial"))
        self.send("arrived", pixels=PIXELS)
        self.send("sight", page=True, third=False)  # on usual screens the closer look lies below

    async def leave(self, goodbye: bool = True) -> None:
        """Close the socket; with a goodbye end the kernel first, as a page does that is left."""
        self.is_left = True
        if goodbye and self.token:
            await self.fetch(
                f"voila/api/shutdown/{self.kernel}", "POST", body=urlencode({"_xsrf": self.token})
            )
        protocol = self.socket and self.socket.protocol
        stream = protocol and protocol.stream
        if self.socket:
            self.socket.close()
        if self.reader:
            await self.reader
        if stream:
            stream.close()  # which tornado leaves to the server

    # The socket

    def post(self, kind: str, content: Mapping[str, Any], buffers: Sequence[bytes] = ()) -> None:
        """Send a message to the kernel."""
        begun = time.process_time()
        message = self.session.msg(kind, content=content, metadata=PROTOCOL)
        parts = [
            self.session.pack(message[name]) for name in ("header", "parent_header", "metadata", "content")
        ]
        if self.socket is None:
            raise PageError("the page has no socket")
        self.socket.write_message(serialize_msg_to_ws_v1([*parts, *buffers], "shell"), binary=True)
        self.cpu += time.process_time() - begun

    def send(self, what: str, buffers: Sequence[bytes] = (), **more: Any) -> None:
        """Press a button of the stage."""
        content = {"do": what, **more}
        self.post(
            "comm_msg",
            {"comm_id": self.models["frame"], "data": {"method": "custom", "content": content}},
            buffers,
        )

    def set(self, **values: Any) -> dict[str, Any]:
        """Move controls; what all of them say then."""
        value = {**self.state["value"], **values}
        self.state["value"] = value
        data = {"method": "update", "state": {"value": value}, "buffer_paths": []}
        self.post("comm_msg", {"comm_id": self.models["value"], "data": data})
        return value

    async def read(self) -> None:
        """Take messages until the socket closes."""
        assert self.socket
        try:
            while (message := await self.socket.read_message()) is not None:
                if self.is_left:
                    continue
                begun = time.process_time()
                self.take(message)
                self.cpu += time.process_time() - begun
        finally:
            self.changed.set()

    def take(self, message: bytes) -> None:
        """One message of the kernel."""
        _, (header, _, _, content, *_) = deserialize_msg_from_ws_v1(message)
        if json.loads(header)["msg_type"] != "comm_msg":
            return
        comm = json.loads(content)
        data = comm["data"]
        if data.get("method") == "update_states":
            for model, one in data["states"].items():
                self.put(model, one["state"])
        elif data.get("method") == "update":
            self.put(comm["comm_id"], data["state"])
        elif data.get("method") == "custom":  # of the picture that is there, or a file
            content = data["content"]
            others = {name: content[name] for name in ("answers", "share") if name in content}
            self.state["frame"] = {**self.state["frame"], **others}
        self.changed.set()

    def put(self, model: str, state: Mapping[str, Any]) -> None:
        """Parts of the state of a widget."""
        for name in {"frame", "value"} & set(state):
            self.models.setdefault(name, model)
        if model not in self.models.values():
            return
        before = {name: self.state.get(name, {}).get("serial") for name in ("frame", "third")}
        self.state.update(state)
        for name, serial in before.items():
            if name in state and serial is not None and state[name].get("serial") not in (None, serial):
                self.send("arrived", **{name: state[name]["serial"], "pixels": PIXELS})

    async def until(self, holds: Callable[[], Any], seconds: float = 60) -> None:
        """Wait for something to be so.

        Raises:
            PageError: the socket has closed, or it took too long.
        """
        end = time.monotonic() + seconds
        while not holds():
            if self.reader is None or self.reader.done():
                raise PageError("the line is cut") from (self.reader and self.reader.exception())
            self.changed.clear()
            try:
                await asyncio.wait_for(self.changed.wait(), end - time.monotonic())
            except TimeoutError:
                parts = {name: self.state.get(name) for name in ("opened", "status")}
                parts["stage"] = self.state.get("story", {}).get("stage")
                facts = f"settled {self.settled()}, address {self.query!r}, {parts}"
                raise PageError(f"no answer in {seconds:g} s; {facts}") from None

    # What is seen

    def answers(self, value: Mapping[str, Any]) -> bool:
        """Whether the picture is of these values, as far as they are short."""
        answers = self.state["frame"].get("answers", {})
        return all(
            answers.get(name) == one
            for name, one in value.items()
            if not isinstance(one, str) or len(one) < 100
        )

    def settled(self) -> bool:
        """Whether nothing more comes for the picture."""
        return bool(self.state["frame"].get("settled")) and self.state["status"]["kind"] != "running"

    @property
    def query(self) -> str:
        """What the address of the page says of its state."""
        return (self.state["frame"].get("share") or {}).get("query", "")


def gunzip(answer: HTTPResponse) -> str:
    """The text of an answer; it came compressed, as to a browser."""
    body = answer.body or b""
    return (gzip.decompress(body) if answer.headers.get("Content-Encoding") == "gzip" else body).decode()
