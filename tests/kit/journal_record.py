"""A journal kept as the daemon keeps it, without the daemon."""

from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import cards
from firmware_bridge.facts.house import House
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.line import Line
from firmware_bridge.shoe import keeps_its_journal, step

AT = 1_700_000_000_000


class Record:
    """Opens the journal in `directory`; what is told is decided, appended and folded."""

    def __init__(self, directory: Path, cursor: Cursor | None = None) -> None:
        self.journal = Journal(directory).open(cursor)
        self.shoe = self.journal.shoe
        self.lines: list[Line] = []
        self._nonces = 0

    def begin(self, burn: str = "none") -> "Record":
        """The daemon starts and a shoe is opened."""
        return self.begin_device(burn).open_shoe()

    def begin_device(self, burn: str = "none") -> "Record":
        """The daemon starts for the first time."""
        self.take(inputs.Started(at=AT, version="0", house=House(burn=burn), nonce=self.nonce()))  # type: ignore[arg-type]
        return self

    def open_shoe(self) -> "Record":
        """Another shoe, and with it another file."""
        if self.shoe.status == "open":
            self.order(orders.CloseShoe())
        self.order(orders.OpenShoe())
        return self

    def deal(self, text: str) -> "Record":
        """Draw these cards."""
        for card in cards(text):
            self.take(inputs.CardRead(at=AT, card=card, nonce=self.nonce()))
        return self

    def order(self, order: orders.Order) -> None:
        """Give an order."""
        self.take(inputs.Ordered(at=AT, order=order, by="test", nonce=self.nonce()))

    def take(self, fact: inputs.AnyInput) -> None:
        """Judge an input and keep what became true."""
        fact = replace(fact, salt=self.nonce())
        if made := step(self.shoe, fact, "T07", "b007"):
            line = self.journal.seal(made.entry)
            self.journal.append(line)
            self.lines.append(line)
            self.shoe = made.shoe

    def prepare(self) -> "Record":
        """Nothing comes for a while: the journal is made ready for what comes next."""
        while step := self.journal.preparation(keeps_its_journal(self.shoe)):
            self.journal.prepare(step)
        return self

    def close(self) -> list[Path]:
        """Let go of the journal; its files."""
        self.journal.close()
        return sorted(self.journal.directory.glob("*.journal"))

    def nonce(self) -> str:
        """The next nonce, never the same."""
        self._nonces += 1
        return sha256(f"{self.journal.directory} {len(self.lines)} {self._nonces}".encode()).hexdigest()[:32]
