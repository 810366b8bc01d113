"""Whether the cards that were sealed are the cards that were committed to."""

from hashlib import sha256
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from firmware_bridge.client.ledger import Events
from firmware_bridge.client.payload import MessageError, Payload
from firmware_bridge.facts.orders import Resend
from firmware_bridge.facts.wire import Identity

Proof = Literal["opened", "changed", "uncommitted", "unseen"]
"""Result of checking a sealed card against its commitment.

opened: it is the card that was committed to. changed: the commitment it names is of another card or another nonce.
uncommitted: no earlier message committed to this card. unseen: the message it names, or one before it, has not come
yet: ask for what is missing.
"""


class Verdict(Struct, frozen=True):
    """Message `at` names `card`, written as on the wire.

    names: the message with the commitment that it claims to open; None if it names none, as for a card that was held
    or entered by hand. opened: every message with a commitment that it does open.
    """

    at: Identity
    card: str
    names: Identity | None
    proof: Proof
    opened: tuple[Identity, ...] = ()


def commitment(journal: str, seq: int, n: int, card: str, nonce: str) -> str:
    """Return hex SHA-256 of the ASCII text `journal:seq:n:card:nonce`.

    seq, n: of the message that commits. card: its face as on the wire, `Kc`. nonce: 32 hex digits.
    Raises ValueError (UnicodeEncodeError) where any of it is not ASCII.
    """
    return sha256(f"{journal}:{seq}:{n}:{card}:{nonce}".encode("ascii")).hexdigest()


class Verifier:
    """Checks every sealed card against its commitment. Messages come in any order, repeats too.

    Needs a journal from its first entry on; `gaps` names what is missing.
    """

    def __init__(self) -> None:
        self._events = Events()
        self._made: dict[str, dict[Identity, str]] = {}
        self._judged: dict[str, dict[Identity, tuple[_Named, Verdict]]] = {}

    def take(self, payload: Payload) -> tuple[Verdict, ...]:
        """Return the verdicts from a message of the topic `event`: on the card it names, and on cards that waited for
        it.

        A card that is named as it is drawn was never sealed and needs no verdict. Raises MessageError for any other
        message, and for one that differs from an earlier one with the same identity.
        """
        message = self._events.take(payload)
        if message is None:
            return ()
        event, at = _card_event(message.event), message.identity
        if event.commit:
            self._made.setdefault(message.journal, {})[at] = event.commit
        judged = self._judged.setdefault(message.journal, {})
        late = event.commit is not None
        again = [named for named, before in judged.values() if before.proof == "unseen" or (late and named.at > at)]
        news = [(named, self._judge(named)) for named in (*again, *_named(at, event))]
        news = [each for each in news if judged.get(each[0].at) != each]
        judged.update({named.at: (named, verdict) for named, verdict in news})
        return tuple(verdict for _, verdict in news)

    def verdicts(self, journal: str) -> tuple[Verdict, ...]:
        """Return the latest verdict on each sealed card of a journal that is named by now, in order."""
        judged = self._judged.get(journal, {})
        return tuple(judged[at][1] for at in sorted(judged))

    def closed(self, journal: str) -> dict[Identity, str]:
        """Return the commitments that no message has opened yet, in order: message -> hex commitment.

        After `ShoeEnded` and its reveals only cards that were never part of the shoe, or left it later, stay closed.
        """
        made = self._made.get(journal, {})
        opened = {place for verdict in self.verdicts(journal) for place in verdict.opened}
        return {place: made[place] for place in sorted(made) if place not in opened}

    def gaps(self, journal: str) -> tuple[Resend, ...]:
        """Return what to ask the shoe for again."""
        return self._events.gaps(journal)

    def forget(self, journal: str) -> None:
        """Drop a journal that is finished and checked."""
        self._events.forget(journal)
        self._made.pop(journal, None)
        self._judged.pop(journal, None)

    def _judge(self, named: "_Named") -> Verdict:
        made = {place: commit for place, commit in self._made.get(named.at.journal, {}).items() if place < named.at}
        opened = tuple(sorted(place for place, commit in made.items() if named.opens(place, commit)))
        proof: Proof
        if named.names is None:
            is_whole = self._events.has_all_before(named.at)
            proof = "opened" if opened else "uncommitted" if is_whole else "unseen"
        elif named.names in made:
            proof = "opened" if named.names in opened else "changed"
        else:
            is_known = named.names in self._events or named.names >= named.at
            proof = "uncommitted" if is_known else "unseen"
        return Verdict(named.at, named.card, named.names, proof, opened)


class _Named(Struct, frozen=True):
    """A card as message `at` names it; without a nonce it opens nothing."""

    at: Identity
    card: str
    nonce: str | None
    names: Identity | None

    def opens(self, place: Identity, commit: str) -> bool:
        return self.nonce is not None and commitment(*place, self.card, self.nonce) == commit


class _Event(Struct, frozen=True):
    """The fields of any event that concern a card, limited to faces and nonces that a commitment can be made of."""

    type: str
    commit: str | None = None
    card: Annotated[str, Meta(pattern=r"^[0-9A-Za-z]{2}$")] | None = None
    nonce: Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$")] | None = None
    held: bool = False
    origin: str = "reader"
    seq: int = 0
    n: int = 0


def _card_event(event: dict[str, Any]) -> _Event:
    try:
        return msgspec.convert(event, _Event)
    except msgspec.ValidationError as error:
        raise MessageError(f"not an event of a shoe: {error}", "check which topic it came from") from None


def _named(at: Identity, event: _Event) -> tuple[_Named, ...]:
    """Return the sealed card that an event names: revealed, or held or entered by hand."""
    if event.card is None:
        return ()
    if event.type == "CardRevealed":
        return (_Named(at, event.card, event.nonce, Identity(at.journal, event.seq, event.n)),)
    was_sealed = event.nonce or event.held or event.origin == "manual"
    return (_Named(at, event.card, event.nonce, None),) if was_sealed else ()
