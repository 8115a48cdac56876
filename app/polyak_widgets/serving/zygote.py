"""A process with everything imported and one picture drawn, from which the kernels of pages are forked.

The server starts it. It reads a line of JSON for each kernel, with the arguments of ipykernel, the
environment and the folder, and answers with a line that holds the number of the new process. What all kernels
read and none writes is in memory once.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from threading import Thread
from typing import Any

OPTIONS = (
    "--HistoryManager.enabled=False",  # nobody types
    "--IPKernelApp.capture_fd_output=False",  # what a library writes goes to the server's log
    "--IPKernelApp.parent_handle=1",  # nothing asks every second who the parent is: `follow` is told
    "--InteractiveShellApp.extra_extensions=ipywidgets",  # imported before there was a kernel
)


OF_EACH_KERNEL = (
    "ipykernel.kernelapp",
    "ipykernel.debugger",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.extensions.storemagic",
    "numpy.random",
    "polyak_widgets.serving.one_reader",
    "tornado.platform.asyncio",
)
"""Modules that a kernel loads when it begins."""
OF_DATA = ("scipy.linalg", "scipy.sparse", "scipy.special")
"""Modules that the first problem on data loads: a quarter of a second, and 17 MB."""


class Nobody:
    """A page that shows nothing."""

    def show(self, name: str, value: Any) -> None:
        """Take no notice."""

    def repeat(self, names: Iterable[str]) -> None:
        """Nothing was missed."""

    def send(self, content: Mapping[str, Any], buffers: Sequence[bytes] = ()) -> None:
        """Take no notice."""


def warm() -> None:
    """Import what a page needs and draw its first picture, so that what is made once is there.

    ipykernel loads a debugger where it can import one, which no page has a use for.
    """
    sys.modules["debugpy"] = None  # type: ignore[assignment]
    for name in OF_EACH_KERNEL + OF_DATA:
        import_module(name)

    from polyak_widgets import Explorer  # noqa: F401
    from polyak_widgets.session.session import Session
    from polyak_widgets.session.slices import Slices

    session = Session()
    slices = Slices(session.work, session.report)
    session.start(Nobody(), slices.submit)
    session.see(page=True, closer_look=True)
    for _ in slices.steps():
        pass


def require_one_thread() -> None:
    """Leave where a fork would miss threads, and hold locks for ever that they had."""
    if (threads := len(os.listdir("/proc/self/task"))) > 1:
        sys.exit(f"No kernel can be forked from a process of {threads} threads.")


def follow(lifeline: int) -> None:
    """End with the server, the only one who has the other end of this pipe open."""
    watch = select.poll()
    watch.register(lifeline, 0)
    watch.poll()
    os._exit(1)


def become_kernel(order: Mapping[str, Any]) -> None:
    """Be a kernel, in the forked process, until it is shut down.

    It leads a group of its own, to be ended with what it starts, in the session of the zygote: Linux shares
    processors out among sessions first, and long work would not step back for the kernels of other sessions.
    """
    os.setpgid(0, 0)
    lifeline = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)  # else what it prints would be an answer to the server
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    Thread(target=follow, args=(lifeline,), daemon=True).start()

    import numpy as np

    from polyak_widgets.serving.one_reader import PageKernelApp

    np.random.seed()  # noqa: NPY002  # what a notebook draws from it is no other kernel's
    PageKernelApp.launch_instance(argv=[*order["arguments"], *OPTIONS])


def main() -> None:
    """Fork a kernel for each line that comes, until the server ends."""
    if sys.path[0] == os.getcwd():
        del sys.path[0]  # as ipykernel does: a file beside the server is no module
    warm()
    require_one_thread()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system buries the kernels
    gc.collect()
    gc.freeze()  # else each kernel would write to all objects, and so have a copy of them
    for line in sys.stdin.buffer:
        if process := os.fork():
            print(process, flush=True)
        else:
            become_kernel(json.loads(line))
            return


if __name__ == "__main__":
    main()
