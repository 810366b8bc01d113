"""Standard output with a reader that may go before the command has ended, as in `shoe status | head`."""

import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from firmware_bridge.errors import BridgeError


class Output(io.FileIO):
    """Standard output. Once its reader has gone, what is written is discarded, and the command goes on to its code.

    is_cut: whether something was discarded. is_all: whether the output is all that the command is for, so that it
    ends there with BrokenPipeError.
    """

    is_cut = is_all = False

    def write(self, content: Any) -> int:
        """Writes bytes, returns how many. Raises LostOutput if they cannot be written for another reason."""
        try:
            return super().write(content)
        except OSError as error:
            self._cut()
            if not isinstance(error, BrokenPipeError):
                raise LostOutput(f"the output cannot be written: {error.strerror}", "write it elsewhere") from None
            if self.is_all:
                raise
            return len(content)

    def interrupt(self) -> None:
        """Discards what is not written yet where the reader does not read: the command must end all the same."""
        if not select.select([], [self], [], 0)[1]:
            self._cut()

    def _cut(self) -> None:
        self.is_cut = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())


class LostOutput(BridgeError):
    """Standard output that takes nothing, as a file on a full disk."""


@contextmanager
def outlived() -> Iterator[Output]:
    """Standard output as an `Output`; as it is where it was replaced, by a test."""
    given = sys.__stdout__
    if given is None or sys.stdout is not given:
        with Output(os.devnull, "w") as output:
            yield output
        return
    output = Output(given.fileno(), "w", closefd=False)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(output), given.encoding, given.errors, line_buffering=given.line_buffering
    )
    try:
        yield output
    finally:
        with suppress(BrokenPipeError, LostOutput):  # of `--help`, which has nothing more to say
            sys.stdout.flush()
        sys.stdout = given
