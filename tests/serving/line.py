"""A line between browser and server that a test cuts and mends."""

import math
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

RESET = struct.pack("ii", 1, 0)
"""Of SO_LINGER: who is closed is told so at once."""


class Line:
    """Carries bytes from a port of its own to that of a server.

    Attributes:
        port: its own.
        carried: bytes, in both directions.
    """

    def __init__(self, to: int, rate: float) -> None:
        self.to, self.rate, self.carried = to, rate, 0
        self.turn = threading.Lock()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        self.refuses = False
        self.flows = threading.Event()
        self.flows.set()
        self.ends: set[socket.socket] = set()
        threading.Thread(target=self.open_door, daemon=True).start()

    def open_door(self) -> None:
        with suppress(OSError):  # the door has been closed
            while True:
                here, _ = self.door.accept()
                if self.refuses:
                    self.close(here)
                    continue
                try:
                    there = socket.create_connection(("localhost", self.to))
                except OSError:
                    self.close(here)
                    continue
                self.ends |= {here, there}
                for one, other in ((here, there), (there, here)):
                    threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while piece := one.recv(65536):
                self.flows.wait()
                self.slow_down(len(piece))
                other.sendall(piece)
        self.close(one, other)

    def slow_down(self, size: int) -> None:
        """All that comes at a time shares the line."""
        with self.turn:
            self.carried += size
            time.sleep(size / self.rate)

    def close(self, *ends: socket.socket) -> None:
        for end in ends:
            self.ends.discard(end)
            with suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def cut(self, silently: bool) -> None:
        """From now on nothing gets through; silently, or whoever is connected or comes is told."""
        if silently:
            self.flows.clear()
            return
        self.refuses = True
        self.close(*list(self.ends))

    def mend(self) -> None:
        self.refuses = False
        self.flows.set()


@contextmanager
def line(to: int, rate: float = math.inf) -> Iterator[Line]:
    """A line to a port of this machine, of so many bytes a second."""
    one = Line(to, rate)
    try:
        yield one
    finally:
        one.mend()
        one.close(one.door, *list(one.ends))
