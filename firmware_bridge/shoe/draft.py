"""A decision being made: the events so far, and the shoe as they leave it."""

from hashlib import sha256

from msgspec.structs import replace

from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events import AnyEvent, Irregular, IrregularityClosed, Secret
from firmware_bridge.shoe.evolve import evolve
from firmware_bridge.shoe.round import layout, phase
from firmware_bridge.shoe.state import Phase, Shoe, is_open


class Draft:
    """Collects the events of a decision at `at` (wall), `mono` (monotonic), ms. published: how much of `did` is out.

    utc_offset: minutes that local time is ahead of UTC.
    """

    def __init__(self, shoe: Shoe, at: int, mono: int = 0, utc_offset: int = 0) -> None:
        self.shoe, self.at, self.mono, self.utc_offset = shoe, at, mono, utc_offset
        begun = shoe.status == "open" and phase(shoe) not in (Phase.BURNING, Phase.BETTING)
        self.published = len(layout(shoe).did) if begun else 0
        self.events: list[AnyEvent] = []

    def add(self, event: AnyEvent) -> None:
        """Append `event` and apply it to the shoe."""
        self.events.append(event)
        self.shoe = evolve(self.shoe, event)

    def commit(self, card: Card, nonce: str) -> str:
        """Return the commitment that the next event publishes in place of `card`."""
        shoe = self.shoe
        text = f"{shoe.journal}:{shoe.seq + 1}:{shoe.n + 1}:{card.value}:{nonce}"
        return sha256(text.encode("ascii")).hexdigest()

    def seal(self, card: Card | None, nonce: str) -> tuple[str | None, Secret | None]:
        """Return `commit` and `secret` of the next event for a sealed card; (None, None) for an unread one."""
        return (self.commit(card, nonce), Secret(card, nonce)) if card else (None, None)

    def open_irregularity(self, irregularity: str, *of: str, **values: Value) -> bool:
        """Open an irregularity about `of` unless it is open; return True if new. values: disclosed cards only."""
        if is_open(self.shoe, irregularity):
            return False
        self.add(Irregular(id=irregularity, since=self.at, of=of, values=values))
        return True

    def note(self, irregularity: str, **values: Value) -> None:
        """Record an irregularity that needs no attention: open it and close it at once."""
        if self.open_irregularity(irregularity, **values):
            self.close_irregularity(irregularity, "noted")

    def close_irregularity(
        self,
        irregularity: str,
        choice: str,
        by: str = "",
        why: str = "",
        clears: bool = False,
        second: str = "",
        values: dict[str, Value] | None = None,
    ) -> None:
        """Close an irregularity if it is open. clears: the first held card is not checked for it again.

        choice, values: of the pit, or a row of `endings.ALARMS`.
        """
        if is_open(self.shoe, irregularity):
            closed = IrregularityClosed(
                id=irregularity, choice=choice, values=values or {}, by=by, why=why, clears=clears
            )
            self.add(replace(closed, second=second) if second else closed)
