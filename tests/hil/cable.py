"""The far end of the reader's USB plug: a simulated board that lives on while the machine is off."""

import contextlib
import select
import socket
import threading
import time

from hardware.sim.board import NativeBoard

TICK_S = 0.01


class Cable:
    """Lets a board speak over whatever socket is plugged in, on a thread of its own, until `close`."""

    def __init__(self, board: NativeBoard) -> None:
        self.board = board
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._began = time.monotonic()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._live)
        self._thread.start()

    def plug(self, plugged: socket.socket | None) -> None:
        """Another machine, or none."""
        with self._lock:
            self._socket = plugged

    def pull(self, code: int, now: bool = False) -> None:
        """A card passes; `now`: its report has left when this returns."""
        with self._lock:
            self.board.pull(code)
            if now:
                self._speak()

    def close(self) -> None:
        """End the board's life."""
        self._closed.set()
        self._thread.join()

    def _live(self) -> None:
        while not self._closed.wait(TICK_S):
            with self._lock:
                self._hear()
                self._speak()

    def _hear(self) -> None:
        if self._socket and select.select([self._socket], [], [], 0)[0]:
            with contextlib.suppress(OSError):
                self.board.receive(self._socket.recv(4096))

    def _speak(self) -> None:
        said = self.board.tick(int(1000 * (time.monotonic() - self._began)))
        if self._socket and said:
            with contextlib.suppress(OSError):  # a full or dead line drops what is said, as a cable does
                self._socket.send(said)
