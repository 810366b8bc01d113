"""What a soak comes to: the journal, what arrived, what was drawn and the rule book, laid side by side."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events import CardEvent, RecordBegun
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.messages import messages
from firmware_bridge.record.verify import Refused, parse_note, parse_vkey, verified_checkpoint
from tests.kit.backend import Received

DRAWN: Final = ("CardBurned", "CardDealt", "CardOverdrawn", "CardSetAside")
"""Events that put a card in its last place; a `CardHeld` comes before one of them."""

EXPECTED: Final = ("restarted_mid_round", "reader_lost", "broker_lost", "cut_card_mid_round")
"""What irregularities a soak may cause."""

TIMELESS: Final = ("table", "shoe", "journal", "seq", "head", "n", "of", "prev", "at", "boot", "flags", "sig")
"""Fields of a round that the rule book does not know."""


class Identity(NamedTuple):
    """What a message is: the same identity, the same bytes."""

    topic: str
    journal: str
    seq: int
    n: int


class Account:
    """`faults` in words, none if all is well; `figures` of what was compared."""

    def __init__(
        self,
        lines: list[Line],
        received: Sequence[Received],
        drawn: list[Card],
        rounds: list[dict[str, Any]],
        expected: Sequence[str] = EXPECTED,
    ) -> None:
        self._expected = expected
        self.faults: list[str] = []
        self.figures: dict[str, int] = {"cards drawn": len(drawn), "journal entries": len(lines)}
        self.first: dict[Identity, Received] = {}
        self._arrivals(received)
        self._against_journal(lines)
        self._numbers()
        self._notes(lines, received)
        self._cards(lines, drawn)
        self._rounds(rounds)

    def _count(self, name: str, wrong: Iterable[object]) -> None:
        """A figure that must be 0."""
        found = list(wrong)
        self.figures[name] = len(found)
        self.faults += [f"{name}: {each}" for each in found]

    def _arrivals(self, received: Sequence[Received]) -> None:
        conflicts, repeats = [], 0
        for each in received:
            topic = each.topic.rsplit("/", 1)[-1]
            if topic not in ("event", "round"):
                continue
            name = Identity(topic, each.payload["journal"], each.payload["seq"], each.payload["n"])
            known = self.first.setdefault(name, each)
            repeats += known is not each
            if known.raw != each.raw:
                conflicts.append(name)
        self.figures |= {"messages": len(self.first), "repeats (same identity, same bytes)": repeats}
        self._count("conflicting", conflicts)

    def _against_journal(self, lines: list[Line]) -> None:
        sent = {Identity(*each[:4]): each.payload for line in lines for each in messages(line)}
        self._count("missing", (name for name in sent if name not in self.first))
        self._count("not in the journal", (name for name in self.first if name not in sent))
        self._count("other bytes", (name for name in sent if name in self.first and self.first[name].raw != sent[name]))
        wanted = [name for name in sent if name in self.first]
        came = [name for name in self.first if name in sent]
        self._count("out of order", (pair for pair in zip(wanted, came, strict=True) if pair[0] != pair[1]))

    def _numbers(self) -> None:
        """Each journal's entries count 1, 2, 3, and the events of each 1 to `of`."""
        last: dict[str, tuple[int, int, int]] = {}
        gaps = []
        for name, each in self.first.items():
            if name.topic != "event":
                continue
            seq, n, of = last.get(name.journal, (0, 1, 1))
            if (name.seq, name.n) != ((seq, n + 1) if n < of else (seq + 1, 1)):
                gaps.append(name)
            last[name.journal] = (name.seq, name.n, each.payload["of"])
        self._count("gaps", gaps)
        self.figures["journals"] = len(last)

    def _notes(self, lines: list[Line], received: Sequence[Received]) -> None:
        """All notes that were ever sent, in events and by themselves: signed, in the journal, of one tree each size."""
        kept = {line.proof.note for line in lines if line.proof.note}
        begun = [event for line in lines if line.entry for event in line.entry.events if isinstance(event, RecordBegun)]
        keys = [parse_vkey(each.key) for each in begun]
        roots: dict[tuple[str, int], set[bytes]] = {}
        sent, unsigned = set[str](), []
        for each in received:
            event = each.topic.endswith("/event")
            text = each.payload.get("checkpoint") if event else each.payload.get("note")
            if text and (event or each.topic.endswith("/checkpoint")):
                sent.add(text)
        for note in sorted(sent | kept):
            try:
                stated = verified_checkpoint(parse_note(note), keys)
            except Refused as error:
                unsigned.append(f"{error}: {note}")
                continue
            roots.setdefault((stated.origin, stated.size), set()).add(stated.root)
        self.figures["notes that were sent"] = len(sent)
        self._count("sizes with two roots", (name for name, found in roots.items() if len(found) > 1))
        self._count("notes of no key", unsigned)
        self._count("notes that are not in the journal", sorted(sent - kept))

    def _cards(self, lines: list[Line], drawn: list[Card]) -> None:
        """The cards of the events are the cards drawn, in order; sealed ones as revealed, or as journaled."""
        sealed = {
            (line.public.journal, line.public.seq, n): event.secret.card.value
            for line in lines
            if line.entry
            for n, event in enumerate(line.entry.events, 1)
            if isinstance(event, CardEvent) and event.secret
        }
        faces_at: dict[tuple[str, int, int], str | None] = {}
        for name, each in self.first.items():
            event = each.payload.get("event", {})
            if event.get("type") in DRAWN:
                faces_at[name[1:]] = event.get("card")
            elif event.get("type") == "CardRevealed" and (name.journal, event["seq"], event["n"]) in faces_at:
                faces_at[name.journal, event["seq"], event["n"]] = event["card"]
        self.figures["cards named"] = sum(face is not None for face in faces_at.values())
        faces = [face or sealed.get(place) for place, face in faces_at.items()]
        wanted = [card.value for card in drawn]
        pairs = zip(faces, wanted, strict=False)
        self._count("wrong cards", (place for place, (face, want) in enumerate(pairs) if face != want))
        if len(faces) != len(wanted):
            self.faults.append(f"{len(wanted)} cards were drawn, {len(faces)} told")
        self.figures["cards lost"] = len(wanted) - len(faces)

    def _rounds(self, rounds: list[dict[str, Any]]) -> None:
        irregular = [
            event["id"]
            for event in (each.payload.get("event", {}) for each in self.first.values())
            if event.get("type") == "Irregular"
        ]
        self._count("unexpected irregularities", (name for name in irregular if name not in self._expected))
        self.figures |= {name: irregular.count(name) for name in self._expected}
        came = [_timeless(each.payload) for name, each in self.first.items() if name.topic == "round"]
        wanted = [_timeless(each) for each in rounds]
        self.figures["rounds"] = len(came)
        pairs = zip(came, wanted, strict=False)
        self._count("rounds against the rule book", (f"{one} is not {other}" for one, other in pairs if one != other))
        if len(came) != len(wanted):
            self.faults.append(f"{len(wanted)} rounds were dealt, {len(came)} told")


def _timeless(payload: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in payload.items() if key not in TIMELESS}
