"""A table that starts on what a power cut left: what it sends, and what it says of its record."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from pathlib import Path
from typing import Final, Literal, get_args

import msgspec

from firmware_bridge.config.sections import RecordConfig
from firmware_bridge.daemon.table import journal_writer
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.recorder import Recorder
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import cards
from firmware_bridge.facts.house import House
from firmware_bridge.facts.orders import Answer
from firmware_bridge.facts.wire import Stored
from firmware_bridge.journal.cursor import read_cursor
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.record_tiles import leaves_of, tiles_of
from firmware_bridge.record.tiles import WIDTH
from firmware_bridge.record.verify import Checkpoint, Key, grow, parse_note, root_of, verified_checkpoint
from tests.kit.delivered_record import NoLamps
from tests.record.exports import KEYS, ORIGIN, cosigned

DEVICE: Final = ORIGIN.split("/")[-2]

WITNESS: Final = "w1"

Source = Literal["witness", "broker", "store"]
SOURCES: Final[tuple[Source, ...]] = get_args(Source)

vars(journal_writer)["PATIENCE_S"] = 60.0  # the loop does not run: an entry that is late would never be finished


class Restarted:
    """A table with its recorder on a directory, until `close`.

    sent: lines as they are published, once they are on disk. Raises JournalError for a journal that is refused.
    """

    def __init__(self, directory: Path, key_file: Path, loop: asyncio.AbstractEventLoop) -> None:
        self.directory, self.sent = directory, list[Line]()
        self.journal = Journal(directory).open(read_cursor(directory / "cursor"))
        table = Table(
            self.journal,
            "T07",
            NoLamps(),
            lambda _: None,
            lambda line: lambda: self._published(line),
            lambda: None,
            loop,
            looks_ahead=False,
        )
        self.table = table
        config = RecordConfig(key_file=str(key_file), witnesses=(KEYS[WITNESS].vkey,))
        self.recorder = Recorder(table, config, DEVICE)
        self.retained = list[str]()
        table.start(House(burn="none"), record=self.recorder.begin())
        self._retain()

    @property
    def notes(self) -> list[str]:
        """All notes that were sent: in events, and on their topic."""
        return [*(line.proof.note for line in self.sent if line.proof.note), *self.retained]

    def stated(self, key: Key) -> list[Checkpoint]:
        """What the notes of a key say. Raises Refused where it did not sign one of them."""
        parsed = [parse_note(each) for each in self.notes]
        return [verified_checkpoint(each, [key]) for each in parsed if each.text.startswith(f"{key.name}\n")]

    def deal(self, text: str) -> None:
        """Draw these cards."""
        for card in cards(text):
            self.table.handle(inputs.CardRead(**now(), card=card, nonce=nonce()))
        self._retain()

    def order(self, order: orders.Order) -> Answer:
        """Give an order."""
        given = self.table.order(inputs.Ordered(**now(), order=order, by="floor", nonce=nonce(), id=nonce()))
        self._retain()
        return given

    def hear(self, note: str, source: Source) -> None:
        """Let the table hear of a note: a witness cosigned it, the broker has kept it, or the store has verified it."""
        match source:
            case "witness":
                self.recorder.witness(cosigned(note, [WITNESS]).encode())
            case "broker":
                self.recorder.receive(note.encode(), is_retained=True)
            case "store":
                self.recorder.stored(msgspec.json.encode(Stored("0-00", 1, "floor", checkpoint=note)))

    def alarms(self) -> set[str]:
        """The names of the open alarms."""
        return {each.id for each in self.table.alarms().open}

    def begin_record(self) -> Answer:
        """End the shoe, and begin another record with the next key."""
        self.order(orders.Void("the power was cut"))
        self.order(orders.CloseShoe())
        fields = {"do": "begin_record", "second": "bo", "why": "the disk lost entries"}
        given = self.recorder.order(fields, "anna")
        self._retain()
        return given

    def root(self, origin: str, size: int) -> bytes | None:
        """The root of the first entries of a record by the journals, b"" if these begin later; None if they end before.

        Journals that are gone count as the first line of the next one states.
        """
        edge, count, is_first = list[bytes](), 0, True
        for leaf in (leaf for path in journal_files(self.directory) for leaf in leaves_of(path)):
            if leaf.origin == origin and is_first:
                edge, count, is_first = [b64decode(each) for each in leaf.edge or ()], leaf.number, False
            if leaf.origin == origin and count < size:
                grow(edge, count, leaf.hash)
                count += 1
        return root_of(edge) if count == size else b"" if count > size else None

    def missing_in_tiles(self, origin: str) -> list[int]:
        """The entries that are in no tile, of journals that may be deleted once nothing waits."""
        while step := self.journal.preparation(self.table.shoe.status == "open"):
            self.journal.prepare(step)
        may_go = [path for path in self.journal.files if self.journal.tiles.secure(path)]
        tiles = tiles_of(self.directory, origin)
        leaves = [leaf for path in may_go for leaf in leaves_of(path) if leaf.origin == origin]
        return [
            leaf.number
            for leaf in leaves
            if tiles.leaves(leaf.number // WIDTH)[leaf.number % WIDTH :][:1] != (leaf.hash,)
        ]

    def close(self) -> None:
        """Leave the table."""
        self.table.close()
        self.journal.close()

    def _published(self, line: Line) -> None:
        self.sent.append(line)
        self.recorder.added(line)

    def _retain(self) -> None:
        if note := self.recorder.checkpoint().decode():
            self.retained.append(note)
