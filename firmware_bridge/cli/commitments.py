"""Whether the cards that were sealed are the cards that were committed to."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

import msgspec

from firmware_bridge.errors import JournalError
from firmware_bridge.line import Line

_MARKS: Final = (b'"commit"', b'"CardRevealed"')


class Commitments:
    """Collects the commitments of one journal and compares what opens them (mqtt.md, Disclosure)."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._made: dict[tuple[int, int], str] = {}

    def check(self, line: Line) -> None:
        """Take the next line. Raises JournalError if a sealed or a revealed card is not the one committed to."""
        if not any(mark in line.data for mark in _MARKS):
            return
        seq = line.public.seq
        for n, raw in enumerate(line.public.events, 1):
            event = msgspec.json.decode(raw)
            if commit := event.get("commit"):
                self._made[seq, n] = commit
                self._compare_sealed(line, n)
            elif event["type"] == "CardRevealed":
                self._compare(line, (event["seq"], event["n"]), event["card"], event["nonce"])

    def _compare_sealed(self, line: Line, n: int) -> None:
        secret = getattr(line.entry.events[n - 1], "secret", None) if line.entry else None
        if secret:
            self._compare(line, (line.public.seq, n), secret.card.value, secret.nonce)

    def _compare(self, line: Line, made_at: tuple[int, int], card: str, nonce: str) -> None:
        seq, n = made_at
        text = f"{line.public.journal}:{seq}:{n}:{card}:{nonce}"
        if self._made.get(made_at) != sha256(text.encode()).hexdigest():
            what = f"{self._name}, line {line.public.seq}: a card is not the one that line {seq} committed to"
            raise JournalError(what, "the record was changed: restore the file")
