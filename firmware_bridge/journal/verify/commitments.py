"""Whether the cards of a journal that were sealed are the cards that were committed to."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from firmware_bridge.client import EventMessage, MessageError, Verdict, Verifier, commitment
from firmware_bridge.errors import JournalError
from firmware_bridge.facts.events import Secret
from firmware_bridge.journal.line import Line

_MARKS: Final = (b'"commit"', b'"nonce"', b'"held"', b'"manual"', b'"CardRevealed"', b"\\")
"""An event without these speaks of no card that was sealed; a backslash may hide one of the others."""


class Commitments:
    """Collects the commitments of one whole journal and compares what opens them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._verifier = Verifier()

    def check(self, line: Line) -> None:
        """Take the next line. Raises JournalError if a sealed or a named card is not the one committed to."""
        for n, raw in enumerate(line.public.events, 1):
            secret = getattr(line.entry.events[n - 1], "secret", None) if line.entry else None
            if not secret and not any(mark in bytes(raw) for mark in _MARKS):
                continue
            event = msgspec.json.decode(raw)
            self._compare_sealed(line, n, event, secret)
            for verdict in self._verdicts(line, n, event):
                if verdict.proof != "opened":
                    raise self._fault(line, self._told(verdict))

    def _verdicts(self, line: Line, n: int, event: dict[str, Any]) -> tuple[Verdict, ...]:
        public = line.public
        head = (public.v, public.table, public.shoe, public.journal, public.seq, public.at, public.boot)
        message = msgspec.structs.asdict(EventMessage(*head, head=line.chain, n=n, of=len(public.events), event=event))
        try:
            return self._verifier.take(message)
        except MessageError as error:
            raise self._fault(line, error.what) from None

    def _compare_sealed(self, line: Line, n: int, event: dict[str, Any], secret: Secret | None) -> None:
        seq = line.public.seq
        if secret and event.get("commit") != commitment(line.public.journal, seq, n, secret.card.value, secret.nonce):
            raise self._fault(line, f"a card is not the one that line {seq} committed to")

    def _told(self, verdict: Verdict) -> str:
        if verdict.names is None:
            return "a card that was held or entered is not one that a line before committed to"
        return f"a card is not the one that line {verdict.names.seq} committed to"

    def _fault(self, line: Line, what: str) -> JournalError:
        return JournalError(f"{self._name}, line {line.public.seq}: {what}", "the record was changed: restore the file")
