"""The kernels behind the pages: one for each page that is there, and no more than fit."""

import asyncio
import logging
from collections.abc import Mapping
from traceback import walk_tb
from typing import Any

from jupyter_server import CallContext
from jupyter_server._tz import utcnow
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager, ServerKernelManager
from nbclient.exceptions import DeadKernelError
from tornado.web import Finish, RequestHandler
from traitlets import Bool, Float, Integer, default

from polyak_widgets.serving.forked import Zygote

NAP = 0.05
"""Seconds between two looks at whether a page has come."""
WRITING = 120.0
"""Seconds in which a page is written, however busy the machine is: whoever waits for it has not gone."""


class KernelHandle(ServerKernelManager):
    """What the server has of the kernel of one page; of its events nobody keeps a record.

    Jupyter reads their schemas anew for each kernel, and has a logger for it that stays for good.
    """

    def emit(self, schema_id: str, data: Mapping[str, Any]) -> None:
        """Take no notice."""

    async def _async_interrupt_kernel(self) -> None:
        """Interrupt it, unless it is ended in a moment: one that still starts would begin a traceback."""
        if not self.shutting_down:
            await super()._async_interrupt_kernel()


class PageKernels(AsyncMappingKernelManager):
    """Ends a kernel as soon as it is known that no page will use it.

    Previews of links, health checks and robots ask for the page and never open its socket. A visitor who
    reloads or goes away while the page is still on its way hangs up. Otherwise a kernel of either kind would
    stay until it is culled.

    Attributes:
        most: kernels at a time; 0 for as many as are asked for.
        most_coming: pages on their way to one browser at a time; a reader who reloads in haste asks for more.
        hold: seconds that one more waits for them; then the one that was asked for first is given up.
        patience: seconds in which a page that is written opens its socket, or says that its files are still
            on their way.
        forked: whether they are forked from one process that is ready, instead of started each from nothing.
    """

    most = Integer(0, config=True)
    most_coming = Integer(2, config=True)
    hold = Float(5, config=True)
    patience = Float(25, config=True)
    forked = Bool(False, config=True)

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)  # type: ignore[no-untyped-call]
        for log in (self.log, logging.getLogger("asyncio")):
            log.addFilter(is_news)
        self.zygote = Zygote(self.log) if self.forked else None
        self.starting = 0
        self.waiting: dict[str, asyncio.TimerHandle] = {}  # by kernel: until it is given up
        self.coming: dict[str, str] = {}  # by kernel without a page, in the order of asking: whose it is
        self.ending: set[str] = set()

    @default("kernel_manager_class")
    def _class_of_kernels(self) -> str:
        return f"{__name__}.{KernelHandle.__name__}"

    def is_full(self) -> bool:
        """Whether one more kernel would be one too many."""
        return 0 < self.most <= len(self._kernels) + self.starting

    async def start_kernel(self, **named: Any) -> str:  # type: ignore[override]
        """Start the kernel of a page, which is ended if whoever asked hangs up before the page is whole."""
        handler = CallContext.get(CallContext.JUPYTER_HANDLER)
        kernel: str = named.setdefault("kernel_id", self.new_kernel_id())
        self.starting += 1
        try:
            if isinstance(handler, RequestHandler):
                await self.take_turn(kernel, handler)
            await super().start_kernel(**named)
        except BaseException:
            self.coming.pop(kernel, None)
            raise
        finally:
            self.starting -= 1
        if isinstance(handler, RequestHandler) and (connection := handler.request.connection):
            self.wait_for(kernel, WRITING)
            handler.on_finish = lambda: self.wait_anew(kernel)  # type: ignore[method-assign]
            connection.set_close_callback(lambda: self.give_up(kernel))  # type: ignore[attr-defined]
            if has_hung_up(handler):
                self.give_up(kernel)
                raise Finish
        else:
            self.wait_for(kernel)
        return kernel

    def wait_anew(self, kernel: str) -> None:
        """Give a page that is waited for the whole patience again: it is written, or asks for its kernel."""
        if kernel in self.waiting:
            self.wait_for(kernel)

    async def take_turn(self, kernel: str, handler: RequestHandler) -> None:
        """Wait while as many pages as may are on their way to the same browser, known by its cookie.

        Raises:
            Finish: whoever asked has hung up meanwhile.
        """
        browser = handler.get_cookie("_xsrf") or str(handler.xsrf_token, "ascii")
        clock = asyncio.get_running_loop().time
        end = clock() + self.hold
        while (
            len(before := [one for one, whose in self.coming.items() if whose == browser]) >= self.most_coming
        ):
            if clock() > end:
                self.give_up(before[0])
            await asyncio.sleep(NAP)
            if has_hung_up(handler):
                raise Finish
        self.coming[kernel] = browser

    def wait_for(self, kernel: str, seconds: float | None = None) -> None:
        """Give the page of a kernel so long from now on, or the whole patience."""
        self.wait_no_more(kernel)
        later = asyncio.get_running_loop().call_later
        self.waiting[kernel] = later(self.patience if seconds is None else seconds, self.give_up, kernel)

    def wait_no_more(self, kernel: str) -> None:
        """The page is there, or the kernel has ended."""
        if timer := self.waiting.pop(kernel, None):
            timer.cancel()

    def give_up(self, kernel: str) -> None:
        """End a kernel whose page has not come."""
        if self.waiting.get(kernel) is None:
            return  # the page has come, or the kernel is being ended
        self.wait_no_more(kernel)
        self.log.info("No page has come to kernel %s: it is ended.", kernel)
        ending = asyncio.ensure_future(self.shutdown_kernel(kernel, now=True))
        ending.add_done_callback(lambda ended: ended.cancelled() or ended.exception())

    def notify_connect(self, kernel_id: str) -> None:
        """The page is there: from now on it counts how long it does nothing."""
        self.wait_no_more(kernel_id)
        self.coming.pop(kernel_id, None)
        super().notify_connect(kernel_id)  # type: ignore[no-untyped-call]

    def start_watching_activity(self, kernel_id: str) -> None:
        """What the page sends is a sign of life from now on; what a kernel sends would come here twice."""
        kernel = self._kernels[kernel_id]
        kernel.execution_state, kernel.reason = "idle", ""
        self.note_life(kernel_id)

    def note_life(self, kernel_id: str) -> None:
        """The page of a kernel has sent something."""
        if kernel := self._kernels.get(kernel_id):
            kernel.last_activity = utcnow()

    def kernel_model(self, kernel_id: str) -> Any:
        """What a page is told that asks after its kernel, which it does while its files are on their way."""
        self.wait_anew(kernel_id)
        return super().kernel_model(kernel_id)  # type: ignore[no-untyped-call]

    async def _async_shutdown_kernel(
        self, kernel_id: str, now: bool | None = True, restart: bool | None = False
    ) -> None:
        """End a kernel, whoever wishes it, and at once: it has nothing to put in order.

        One that is asked to end needs a second of a busy machine for it, stays as long beside the one that
        follows it, and may fall over the threads that it still has.
        """
        self.wait_no_more(kernel_id)
        if kernel_id in self.ending:
            return  # a page may say goodbye while its kernel is culled
        self.ending.add(kernel_id)
        try:
            await super()._async_shutdown_kernel(kernel_id, now=True, restart=restart)  # type: ignore[no-untyped-call]
        finally:
            self.ending.discard(kernel_id)
            self.coming.pop(kernel_id, None)

    shutdown_kernel = _async_shutdown_kernel  # type: ignore[assignment]

    def start_buffering(self, kernel_id: str, session_key: str, channels: Mapping[str, Any]) -> None:
        """Keep what a kernel sends while its page is away.

        A page that is left says goodbye and closes its socket at once: where the kernel is being ended, its
        channels would stay open for good.
        """
        if kernel_id not in self.ending:
            super().start_buffering(kernel_id, session_key, channels)  # type: ignore[no-untyped-call]
            return
        for stream in channels.values():
            stream.close()

    async def cull_kernel_if_idle(self, kernel_id: str) -> None:
        """End a kernel without a page; while others are ended one goes by itself, and one has just begun."""
        kernel = self._kernels.get(kernel_id)
        if kernel is not None and kernel.trait_has_value("last_activity"):
            await super().cull_kernel_if_idle(kernel_id)  # type: ignore[no-untyped-call]


def has_hung_up(handler: RequestHandler) -> bool:
    """Whether nobody waits for the answer any more."""
    connection = handler.request.connection
    return connection is not None and bool(connection.stream.closed())  # type: ignore[attr-defined]


def is_news(record: logging.LogRecord) -> bool:
    """Whether the log needs it: no traceback of a page that was left before its kernel had run all cells."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, DeadKernelError):
        return False
    if not isinstance(error, RuntimeError) or error.__traceback__ is None:
        return True
    *_, (frame, _) = walk_tb(error.__traceback__)
    module = str(frame.f_globals.get("__name__"))
    return module.partition(".")[0] != "jupyter_client"  # else a kernel that died before it answered
