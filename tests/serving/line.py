"""A line between browser and server that a test cuts and mends."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

RESET = struct.pack("ii", 1, 0)
"""Of SO_LINGER: who is closed is told so at once."""


class Line:
    """Carries bytes from a port of its own to that of a server.

    Attributes:
        port: its own.
    """

    def __init__(self, to: int) -> None:
        self.to = to
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
                other.sendall(piece)
        self.close(one, other)

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
def line(to: int) -> Iterator[Line]:
    """A line to a port of this machine."""
    made = Line(to)
    try:
        yield made
    finally:
        made.mend()
        made.close(made.door, *list(made.ends))
