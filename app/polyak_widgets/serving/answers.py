"""How the server answers: compressed, with a token that ends the page's own kernel, and at once."""

import asyncio
import re
import struct
import tempfile
from contextlib import suppress
from typing import Any, ClassVar

from jinja2 import DictLoader, Environment
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import Finish, GZipContentEncoding, RequestHandler
from tornado.websocket import WebSocketClosedError

from polyak_widgets.serving.kernels import PageKernels
from polyak_widgets.serving.texts import (
    FULL_HEAD,
    FULL_TITLE,
    FULL_WHY,
    NO_DISK_HEAD,
    NO_DISK_TITLE,
    NO_DISK_WHY,
    TO_THE_PAGE,
    comes_again,
    titled,
)

AGAIN = 15
"""Seconds after which a visitor who found the server full tries again; the page does it by itself."""
MOST_PARTS = 100
"""Of a message, with its buffers: a page sends one file at a time."""
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
%(how)s
<title>%(title)s</title>
<style>
body { max-width: 34em; margin: 20vh auto 0; padding: 0 20px; font: 16px/24px system-ui, sans-serif; }
h1 { font-size: 22px; line-height: 28px; }
</style>
<h1>%(head)s</h1>
<p>%(why)s</p>
<p>%(next)s</p>
</html>
"""


def page_that_comes_again(title: str, head: str, why: str) -> str:
    """A page that comes again by itself."""
    how = f'<meta http-equiv="refresh" content="{AGAIN}">'
    return PAGE % {
        "how": how,
        "title": titled(title),
        "head": head,
        "why": why,
        "next": comes_again(AGAIN),
    }


FULL = page_that_comes_again(FULL_TITLE, FULL_HEAD, FULL_WHY)
NO_DISK = page_that_comes_again(NO_DISK_TITLE, NO_DISK_HEAD, NO_DISK_WHY)
ERROR = PAGE % {
    "how": "",
    "title": titled("{{ status_code }}"),
    "head": "{{ status_code }}: {{ status_message }}",
    "why": "{{ message }}",
    "next": f'<a href="{{{{ base_url }}}}">{TO_THE_PAGE}</a>',
}
"""Jupyter's own asks for files that Voila does not serve: each error would be two in the log."""
ERROR_PAGES = Environment(loader=DictLoader({"error.html": ERROR}), autoescape=True)


class Compressed(GZipContentEncoding):
    """Answers in fewer bytes: a file is compressed once, and fetched once if its name tells its version.

    Browsers keep what is immutable without a question, also when a page is reloaded.
    """

    GZIP_LEVEL = 9  # takes longer, but for most bytes only once
    IMMUTABLE = re.compile(r"[.-][0-9a-f]{8,}\.|/voila-[\w.+-]+/")  # a hash or a version in the path
    files: ClassVar[dict[str, tuple[str, bytes]]] = {}  # by path: which state of the file, and its bytes

    def __init__(self, request: HTTPServerRequest) -> None:
        super().__init__(request)
        self.path = request.path
        self.forever = "v" in request.arguments or self.IMMUTABLE.search(request.path) is not None
        self.pieces: list[bytes] | None = None  # of a file that is being compressed for the first time
        self.sent = False  # all that was to be sent

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Set the headers, and send a file whole that was compressed before."""
        self.state = headers.get("Last-Modified", "")
        if self.forever and self.state and status_code in (200, 304):
            headers["Cache-Control"] = "public, max-age=31536000, immutable"
        state, whole = self.files.get(self.path, ("", b""))
        if status_code == 200 and chunk and self._gzipping and self.state and state == self.state:
            self.sent = True
            headers["Content-Encoding"], headers["Vary"] = "gzip", "Accept-Encoding"
            headers["Content-Length"] = str(len(whole))
            return status_code, headers, whole
        if status_code == 200 and chunk and self.state:
            self.pieces = []
        return super().transform_first_chunk(status_code, headers, chunk, finishing)

    def transform_chunk(self, chunk: bytes, finishing: bool) -> bytes:
        """Compress the next piece, and remember it where it is of a file."""
        if self.sent:
            return b""
        chunk = super().transform_chunk(chunk, finishing)
        if self._gzipping and self.pieces is not None:
            self.pieces.append(chunk)
            if finishing:
                self.files[self.path] = (self.state, b"".join(self.pieces))
        return chunk


def receive(handler: RequestHandler, **notebook: Any) -> None:
    """What is done for each visitor before a kernel is started.

    The token, a cookie, lets the page end its kernel when it is left. Voila has no setting for what follows
    the handlers, so the application learns here, with the first page, to compress what it sends.

    Raises:
        Finish: there is no room for one more kernel, or for its files, and the visitor has been told.
    """
    _ = handler.xsrf_token
    if Compressed not in handler.application.transforms:
        handler.application.transforms.append(Compressed)
    kernels = handler.settings.get("kernel_manager")
    if not isinstance(kernels, PageKernels):
        return
    if kernels.is_full():
        refuse(handler, FULL)
    if not is_writable(kernels.connection_dir):
        kernels.log.error("Nothing can be written to %s: make room there.", kernels.connection_dir)
        refuse(handler, NO_DISK)


def refuse(handler: RequestHandler, page: str) -> None:
    """Answer with a page that comes again by itself.

    Raises:
        Finish: always.
    """
    handler.set_status(503)
    handler.set_header("Retry-After", str(AGAIN))
    raise Finish(page)


def is_writable(folder: str) -> bool:
    """Whether there is room for the small file that a kernel begins with."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(bytes(4096))
    except OSError:
        return False
    return True


class AtOnce(ZMQChannelsWebsocketConnection):
    """The connection of a kernel's page, which holds no message back, and drops what is none.

    Otherwise TCP keeps a small one until the one before is acknowledged, 40 ms later, which a dragged slider
    feels.
    """

    def connect(self) -> Any:
        self.websocket_handler.set_nodelay(True)
        return super().connect()

    def write_message(self, message: str | bytes, binary: bool = False) -> None:
        """Send what a kernel says to its page; what is on its way when a page goes is for nobody."""
        with suppress(WebSocketClosedError):
            sending: asyncio.Future[None] = self.websocket_handler.write_message(message, binary)
            sending.add_done_callback(lambda sent: sent.cancelled() or sent.exception())

    def handle_incoming_message(self, incoming_msg: str | bytes) -> None:
        """Hand a message on to the kernel, whose page shows with it that somebody is there."""
        if isinstance(self.multi_kernel_manager, PageKernels):
            self.multi_kernel_manager.note_life(self.kernel_id)
        try:
            require_few_parts(incoming_msg, self.subprotocol is not None)
            super().handle_incoming_message(incoming_msg)  # type: ignore[arg-type]
        except (ValueError, LookupError, TypeError, AttributeError, struct.error) as error:
            self.log.info("What is no message was dropped: %s.", error)


def require_few_parts(message: str | bytes, is_newer: bool) -> None:
    """Judge the number of parts that bytes begin with: the server would count up to it, even to 2^64.

    The newer protocol writes it in 8 bytes, the lowest first, the older one in 4, the highest first.

    Raises:
        ValueError: it is more than a page sends.
        TypeError: a text, which the newer protocol has none of.
    """
    if is_newer and isinstance(message, str):
        raise TypeError("a text")
    if isinstance(message, bytes):
        number = int.from_bytes(message[:8], "little") if is_newer else int.from_bytes(message[:4], "big")
        if number > MOST_PARTS:
            raise ValueError(f"{number} parts")
