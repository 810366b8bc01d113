"""The wires, the packs and the config of a simulated table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from firmware_bridge.config.load import parse
from firmware_bridge.config.sections import Config, ReaderConfig
from firmware_bridge.devices.code_books import FACE_BITS, Known, native_code, save
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games import GAMES
from firmware_bridge.sim.faults import Fault
from hardware.pins.pin import Pin
from hardware.readers import READERS
from hardware.sim.boards import BOARDS
from hardware.sim.dealer import Paper

TABLE: Final = "DEMO"
LAMPS: Final = {"P1": 5, "B1": 6, "P2": 13, "B2": 19, "P3": 26, "B3": 21, "R1": 20, "R2": 16, "ready": 12, "fault": 25}
CUT_CARD, NEXT, LID = Pin(27), Pin(22), Pin(17)

LOT: Final = 7
"""The lot printed on the packs."""

OTHER_LOT: Final = 1 << FACE_BITS
"""Added to a native code, this makes it a code of the next lot."""


OTHER_CODE: Final = "FFFFFFFFFF"
"""A code, and a tag, that is in no code book."""


@dataclass(frozen=True, slots=True)
class Play:
    """The demo asked for on the command line."""

    rounds: int = 10
    speed: float = 1.0
    reader: str = ReaderConfig().protocol
    procedure: str = "on-demand"
    fault: str | None = None
    seed: int = 0
    broker: str = "auto"
    port: int = 0


def faces(reader: str, decks: int) -> dict[int | str, Card]:
    """What the reader says -> the card; a tag is in one card only, a printed code on every card of its face."""
    match BOARDS[reader].papers:
        case "lots":
            return {native_code(card, LOT): card for card in FACES}
        case "tags":
            return {f"{pack:02X}0000{n:04X}": card for pack in range(decks) for n, card in enumerate(FACES)}
        case "labels":
            return {f"SHOE-{n:02}-{card.value.upper()}": card for n, card in enumerate(FACES)}
        case "names":
            return {card.value: card for card in FACES}


def packs(reader: str, decks: int) -> list[Paper]:
    """The cards of a full shoe, unshuffled."""
    codes = faces(reader, decks)
    papers = [Paper(code, GAMES["baccarat"].burns(card)) for code, card in codes.items()]
    return papers * (decks * len(FACES) // len(papers))


def code_book(reader: str, decks: int, folder: Path) -> dict[str, str]:
    """The code book such a reader needs, written into `folder`: the keys of `[reader]` that name it."""
    papers = BOARDS[reader].papers
    if papers not in ("labels", "tags"):
        return {}
    has_serials = papers == "tags"
    path = folder / "codes.csv"
    coded = {str(code): card for code, card in faces(reader, decks).items()}
    save(path, {code: Known(card, serial=code if has_serials else None) for code, card in coded.items()})
    return {"code_book": str(path)}


def config(play: Play, fault: Fault, folder: Path, port: int) -> Config:
    """The config of a table whose state is all in `folder`, reporting to the broker at `port`."""
    table: dict[str, Any] = {"id": TABLE, **fault.table}
    return parse(
        {
            "table": table,
            "game": {"procedure": play.procedure},
            "reader": {
                "protocol": play.reader,
                "port": str(folder / "reader"),
                "pattern": r"(\w+)",
                # At speed the same face may come twice within the usual half second, the same tag cannot.
                "hold": 0.5 if READERS[play.reader].has_tags else 0.0,
                **code_book(play.reader, table.get("decks", 8), folder),
            },
            "pins": {"factory": "mock", "cut_card": CUT_CARD.number, "next": NEXT.number, "lid": LID.number},
            "lamps": dict(LAMPS),
            "mqtt": {"port": port},
            "journal": {"dir": str(folder / "journal")},
        }
    )
