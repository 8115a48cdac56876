"""Kernels that are forked from the zygote, as jupyter_client starts and ends them."""

from __future__ import annotations

import asyncio
import atexit
import json
import logging
import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import EntryPoint
from threading import Lock
from time import monotonic
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

NAME = "polyak-forked"
COMMAND = (sys.executable, "-m", "polyak_widgets.serving.zygote")
PATIENCE = 30.0
"""Seconds that a visitor waits for the zygote, which needs one or two to be ready."""
PAUSE = 60.0
"""Seconds after which a zygote that has ended is tried again."""


class NotForkedError(RuntimeError):
    """There is no zygote, or it did not answer."""


class Zygote:
    """The process that kernels are forked from, seen from the server.

    Kernels live on when it ends, and another one takes its place after a pause.
    """

    def __init__(self, log: logging.Logger | logging.LoggerAdapter[Any]) -> None:
        self._log = log
        self._turn = Lock()
        self._all: list[
            subprocess.Popen[bytes]
        ] = []  # of former ones the pipes stay open: kernels hang on them
        self._begun = 0.0
        self._begin()
        atexit.register(self.end)

    def _begin(self) -> None:
        self._begun = monotonic()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        # In a session of its own, for Ctrl+C is meant for the server, which ends everything in order.
        self._all.append(subprocess.Popen(COMMAND, start_new_session=True, **pipes))  # type: ignore[call-overload]

    def fork(self, arguments: Sequence[str], environment: dict[str, str], folder: str) -> int:
        """The process number of a new kernel; blocks until it is there.

        Raises:
            NotForkedError: why there is none.
        """
        order = {"arguments": arguments, "environment": environment, "folder": folder}
        with self._turn:
            process = self._all[-1]
            if process.poll() is not None and monotonic() > self._begun + PAUSE:
                self._begin()  # for the next visitor: this one need not wait for it
            try:
                return _answer(process, json.dumps(order))
            except (OSError, ValueError) as error:
                process.kill()
                raise NotForkedError(f"the zygote {process.pid} has ended ({error})") from None

    def end(self) -> None:
        """End it, and with it what was forked: the server is ending."""
        for process in self._all:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()


def _answer(process: subprocess.Popen[bytes], order: str) -> int:
    """What the zygote says to an order.

    Raises:
        OSError: it is gone, or says nothing.
        ValueError: it says something else than a number.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{order}\n".encode())
    process.stdin.flush()
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    if not ready:
        raise TimeoutError(f"no answer in {PATIENCE:g} seconds")
    return int(process.stdout.readline())


class Forked:
    """A forked kernel, with what `LocalProvisioner` asks of a process of its own: a few names of `Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._handle: int | None = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """None while it runs. With what code it has ended only its parent knows, the zygote."""
        if self._handle is not None and select.select([self._handle], [], [], 0)[0]:
            os.close(self._handle)
            self._handle = None
        return None if self._handle is not None else 0

    def wait(self) -> int:
        """Whoever calls this has polled before."""
        return 0

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it is still there."""
        if self._handle is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)


class ForkedProvisioner(LocalProvisioner):
    """Has the kernel of this Python forked; any other, and all where there is no zygote, are started anew."""

    async def launch_kernel(self, cmd: list[str], **named: Any) -> KernelConnectionInfo:
        """Start the kernel of a page."""
        zygote = getattr(getattr(self.parent, "parent", None), "zygote", None)
        if zygote is None or cmd[0] != sys.executable or "ipykernel_launcher" not in cmd:
            return await super().launch_kernel(cmd, **named)
        arguments = cmd[cmd.index("ipykernel_launcher") + 1 :]
        folder = os.path.abspath(named.get("cwd") or os.getcwd())
        try:
            pid = await asyncio.to_thread(zygote.fork, arguments, dict(named["env"]), folder)
            self.process = Forked(pid)  # type: ignore[assignment]
        except (NotForkedError, ProcessLookupError) as error:
            self.log.warning("A kernel is started anew, since none could be forked: %s.", error)
            return await super().launch_kernel(cmd, **named)
        self.pid = self.pgid = pid  # it leads a group of its own
        self.cwd = folder
        return self.connection_info


def offer_forks() -> None:
    """Let the settings of this process name this provisioner, which no other Jupyter server has a use for."""
    entry = EntryPoint(NAME, f"{__name__}:{ForkedProvisioner.__name__}", KernelProvisionerFactory.GROUP_NAME)
    KernelProvisionerFactory.provisioners[NAME] = entry
