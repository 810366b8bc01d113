"""Finds messages on the table's own streams that its journals do not hold: somebody else sent them."""

import re
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

from msgspec import Struct

from firmware_bridge.facts.decoding import Undecodable, json_of
from firmware_bridge.facts.printable import escaped
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import file_name
from firmware_bridge.journal.messages import messages
from firmware_bridge.journal.resend import Range, lines_of

KNOWN: Final = 1_024
"""Own messages that are recognised without a look at the disk."""

A_SECOND: Final = 20
"""Other messages that are looked up in the journals; more in a second are only counted."""

ENTRIES: Final = range(2**53)
"""Numbers of entries that an alarm names: JSON has no other integers for sure."""

_JOURNAL: Final = re.compile(r"[0-9]{1,16}-[0-9a-f]{1,64}")


class _Named(Struct):
    """The identity of a message."""

    journal: str
    seq: int


_decode: Final = json_of(_Named)


class ForgedMessages:
    """Compares what comes on `event` and `round` with what was sent, then with the journals in `directory`.

    found: called with the entry that a message names, None for none, and how many such messages there were: for the
    1st, 2nd, 4th, 8th.., so that who sends many fills no log. `passed_over`: messages beyond `A_SECOND`.
    """

    def __init__(self, directory: Path, found: Callable[[Cursor | None, int], None]) -> None:
        self._directory, self._found = directory, found
        self._sent = deque[int](maxlen=KNOWN)
        self._second, self._looked = 0, 0
        self.count = self.passed_over = 0

    def sent(self, topic: str, payload: bytes) -> None:
        """Note a message that is published."""
        self._sent.append(hash((topic, payload)))

    def heard(self, topic: str, payload: bytes) -> None:
        """Look at a message that comes; by MQTT 3.1.1 own ones come too."""
        if hash((topic, payload)) in self._sent:
            return
        if not self._may_look():
            self.passed_over += 1
        elif not self._is_ours(topic, payload):
            self.count += 1
            if self.count.bit_count() == 1:
                self._found(_name_of(payload), self.count)

    def _may_look(self) -> bool:
        second = int(monotonic())
        if second != self._second:
            self._second, self._looked = second, 0
        self._looked += 1
        return self._looked <= A_SECOND

    def _is_ours(self, topic: str, payload: bytes) -> bool:
        """Return whether a journal holds this message, byte for byte."""
        with suppress(Undecodable, OSError):
            named = _decode(payload)
            if not _JOURNAL.fullmatch(named.journal) or not (self._directory / file_name(named.journal)).is_file():
                return False
            part = Range(named.journal, max(1, named.seq), named.seq)
            lines = lines_of(self._directory, part, lambda _: None)
            return any((each.topic, each.payload) == (topic, payload) for line in lines for each in messages(line))
        return False


def _name_of(payload: bytes) -> Cursor | None:
    with suppress(Undecodable):
        named = _decode(payload)
        if named.seq in ENTRIES:
            return Cursor(escaped(named.journal[:40]), named.seq)
    return None
