"""A kernel that one page speaks to, and that does little for each message beside its work.

Jupyter's says before each that it is busy, and after each waits twice for the thread that sends what was
printed, while the work beside it has the interpreter.
"""

from typing import Any

from ipykernel.iostream import OutStream
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
from traitlets import default


class PageOutput(OutStream):
    """What is printed; where nothing is, nobody waits for it."""

    def flush(self) -> None:
        """Send what is there."""
        if getattr(self, "_buffers", True):
            super().flush()  # type: ignore[no-untyped-call]


class PageKernel(IPythonKernel):
    """Says of the messages of widgets only that they are done, which is what widgets wait for."""

    def _publish_status(self, status: str, channel: str, parent: Any = None) -> None:
        message = parent or self.get_parent(channel)  # type: ignore[no-untyped-call]
        header = message.get("header") or {}
        if status != "busy" or header.get("msg_type") != "comm_msg":
            super()._publish_status(status, channel, parent)  # type: ignore[no-untyped-call]


class PageKernelApp(IPKernelApp):
    """A program that is such a kernel."""

    @default("kernel_class")
    def _class_of_kernel(self) -> type[IPythonKernel]:
        return PageKernel

    @default("outstream_class")
    def _class_of_output(self) -> str:
        return f"{__name__}.{PageOutput.__name__}"
