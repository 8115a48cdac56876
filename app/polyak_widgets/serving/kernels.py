"""The kernels behind the pages: one for each page that is there, and no more than fit."""

import asyncio
import logging
from traceback import walk_tb
from typing import Any

from jupyter_server import CallContext
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from nbclient.exceptions import DeadKernelError
from tornado.web import Finish, RequestHandler
from traitlets import Bool, Float, Integer

from polyak_widgets.serving.forked import Zygote


class PageKernels(AsyncMappingKernelManager):
    """Ends a kernel as soon as it is known that no page will use it.

    Previews of links, health checks and robots ask for the page and never open its socket. Who reloads or
    goes away while the page still comes hangs up. A kernel of neither would else stay until it is culled.

    Attributes:
        most: kernels at a time; 0 for as many as are asked for.
        patience: seconds in which a page opens its socket, or says that its files are still on their way.
        forked: whether they are forked from one process that is ready, instead of started each from nothing.
    """

    most = Integer(0, config=True)
    patience = Float(25, config=True)
    forked = Bool(False, config=True)

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)  # type: ignore[no-untyped-call]
        for log in (self.log, logging.getLogger("asyncio")):
            log.addFilter(is_news)
        self.zygote = Zygote(self.log) if self.forked else None
        self.starting = 0
        self.waiting: dict[str, asyncio.TimerHandle] = {}  # by kernel: until it is given up

    def is_full(self) -> bool:
        """Whether one more kernel would be one too many."""
        return 0 < self.most <= len(self._kernels) + self.starting

    async def start_kernel(self, **named: Any) -> str:  # type: ignore[override]
        """Start the kernel of a page, which is ended if whoever asked hangs up before the page is whole."""
        handler = CallContext.get(CallContext.JUPYTER_HANDLER)
        self.starting += 1
        try:
            kernel = await super().start_kernel(**named)
        finally:
            self.starting -= 1
        self.wait_for(kernel)
        if isinstance(handler, RequestHandler) and (connection := handler.request.connection):
            connection.set_close_callback(lambda: self.give_up(kernel))  # type: ignore[attr-defined]
            if connection.stream.closed():  # type: ignore[attr-defined]
                self.give_up(kernel)
                raise Finish
        return kernel

    def wait_for(self, kernel: str) -> None:
        """Give the page of a kernel the whole patience from now on."""
        self.wait_no_more(kernel)
        later = asyncio.get_running_loop().call_later
        self.waiting[kernel] = later(self.patience, self.give_up, kernel)

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
        super().notify_connect(kernel_id)  # type: ignore[no-untyped-call]

    def kernel_model(self, kernel_id: str) -> Any:
        """What a page is told that asks after its kernel, which it does while its files are on their way."""
        if kernel_id in self.waiting:
            self.wait_for(kernel_id)
        return super().kernel_model(kernel_id)  # type: ignore[no-untyped-call]

    async def shutdown_kernel(self, kernel_id: str, **how: Any) -> None:  # type: ignore[override]
        """End a kernel, whoever wishes it."""
        self.wait_no_more(kernel_id)
        await super().shutdown_kernel(kernel_id, **how)  # type: ignore[no-untyped-call]


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
