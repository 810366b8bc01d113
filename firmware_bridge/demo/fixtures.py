"""Wires, packs and config of a simulated table, and the injection of faults."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from firmware_bridge.config.load import parse
from firmware_bridge.config.sections import Config, ReaderConfig
from firmware_bridge.daemon.devices.code_books import FACE_BITS, Known, native_code, save
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.house import House
from firmware_bridge.facts.orders import BY_MQTT
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game
from firmware_bridge.games.house import usual
from hardware.pins.pin import Pin
from hardware.readers import READERS
from hardware.sim.angel_eye import AngelEyeShoe, Rules
from hardware.sim.board import NativeBoard
from hardware.sim.boards import BOARDS
from hardware.sim.code_boards import CodeBoard
from hardware.sim.dealer import Paper
from hardware.sim.pins import MockPins
from hardware.sim.pty import PtyBoard

TABLE: Final = "DEMO"
CUT_CARD, NEXT, LID = Pin(27), Pin(22), Pin(17)
READY, FAULT = 12, 25
FREE: Final = (5, 6, 13, 19, 26, 21, 20, 16, 4, 18, 23, 24, 7, 8, 9, 10, 11, 2, 3)
"""GPIOs for the lamps of a game, in its order."""

LOT: Final = 7
OTHER_LOT: Final = 1 << FACE_BITS
"""Added to a native code, this makes it a code of the next lot."""


OTHER_CODE: Final = "FFFFFFFFFF"
"""A code, and a tag, that is in no code book."""


@dataclass(frozen=True, slots=True)
class Play:
    """Settings of a demo. procedure: of a game with several, None for the usual one.

    house: keys of `[table]` such as `disclose` -> value. seats: how many play, None for as many as possible. table:
    its id. stored: the receiver with the decisive `stored`, None if the broker's acknowledgement counts.
    """

    rounds: int = 10
    speed: float = 1.0
    reader: str = ReaderConfig().protocol
    game: str = House().game
    procedure: str | None = None
    fault: str | None = None
    seed: int = 0
    broker: str = "auto"
    port: int = 0
    house: Mapping[str, str] = field(default_factory=dict)
    seats: int | None = None
    table: str = TABLE
    stored: str | None = None


def places(slots: Iterable[str]) -> tuple[str, ...]:
    """The lamps of these slots: split hands share their seat's lamp."""
    return tuple(dict.fromkeys(slot.partition(".")[0] for slot in slots))


def lamps(game: Game) -> dict[str, int]:
    """The GPIO of each lamp: the places for cards, the seats, READY and FAULT. Raises ConfigError for too many."""
    named = places((*game.slots, *game.seats))
    if len(named) > len(FREE):
        raise ConfigError(f"{game.name} has {len(named)} lamps, and the header pins for {len(FREE)}")
    return dict(zip(named, FREE, strict=False)) | {"ready": READY, "fault": FAULT}


def faces(reader: str, game: Game, decks: int) -> dict[int | str, Card]:
    """Code of the reader -> card; a tag is in one card only, a printed code on every card of a face."""
    match BOARDS[reader].papers:
        case "lots":
            return {native_code(card, LOT): card for card in game.pack}
        case "tags":
            pack = [card for card, copies in game.pack.items() for _ in range(copies)]
            return {f"{number:02X}0000{n:04X}": card for number in range(decks) for n, card in enumerate(pack)}
        case "labels":
            return {f"SHOE-{n:02}-{card.value.upper()}": card for n, card in enumerate(game.pack)}
        case "names":
            return {card.value: card for card in game.pack}


def packs(reader: str, game: Game, decks: int) -> list[Paper]:
    """The cards of a full shoe, unshuffled."""
    codes = faces(reader, game, decks)
    if BOARDS[reader].papers == "tags":
        return [Paper(code, game.play.burns(card)) for code, card in codes.items()]
    return [Paper(code, game.play.burns(card)) for code, card in codes.items() for _ in range(game.pack[card])] * decks


def code_book(reader: str, game: Game, decks: int, folder: Path) -> dict[str, str]:
    """Writes the code book the reader needs into `folder`; returns the keys of `[reader]` that name it."""
    papers = BOARDS[reader].papers
    if papers not in ("labels", "tags"):
        return {}
    has_serials = papers == "tags"
    path = folder / "codes.csv"
    coded = {str(code): card for code, card in faces(reader, game, decks).items()}
    save(path, {code: Known(card, serial=code if has_serials else None) for code, card in coded.items()})
    return {"code_book": str(path)}


def config(play: Play, own: Mapping[str, Any], folder: Path, port: int) -> Config:
    """The config of a table with all state in `folder` and the broker at `port`. own: keys of `[table]`."""
    game = GAMES[play.game]
    table: dict[str, Any] = {"id": play.table, "game": play.game, **usual(play.game), **play.house, **own}
    mqtt = {"port": port, "commands": [*BY_MQTT, "reveal"]} | ({"stored": play.stored} if play.stored else {})
    return parse(
        {
            "table": table,
            "game": {"procedure": play.procedure} if play.procedure else {},
            "reader": {
                "protocol": play.reader,
                "port": str(folder / "reader"),
                "most_a_second": 1_000,
                "pattern": r"(\w+)",
                # At speed the same face may come twice within the usual half second, the same tag cannot.
                "hold": 0.5 if READERS[play.reader].has_tags else 0.0,
                **code_book(play.reader, game, table.get("decks", House().decks), folder),
            },
            "pins": {"factory": "mock", "cut_card": CUT_CARD.number, "next": NEXT.number, "lid": LID.number},
            "lamps": dict(lamps(game)),
            "mqtt": mqtt,
            "journal": {"dir": str(folder / "journal")},
        }
    )


def board(reader: str, rules: Rules) -> NativeBoard | CodeBoard:
    """A simulated reader; `rules` are for one that judges the game."""
    made = BOARDS[reader]()
    if isinstance(made, AngelEyeShoe):
        made.rules = rules
    return made


def pull(board: NativeBoard | CodeBoard, paper: Paper, how: str) -> None:
    """Pulls a card over a reader; `how` names its fault, if any."""
    if isinstance(board, AngelEyeShoe):
        board.pull(str(paper.code))
    elif not isinstance(board, NativeBoard):
        board.pull({"unreadable": "%\a", "foreign": OTHER_CODE}.get(how, str(paper.code)))
    elif how == "unreadable":
        board.fault(how)
    else:
        code = int(paper.code) + (OTHER_LOT if how == "foreign" else 0)
        board.pull(code, **({how: True} if how in ("face_up", "double_feed", "backwards") else {}))


class FaultInjection:
    """Injects faults into the parts of a table.

    stop_broker(seconds): the broker returns by itself. restart_daemon(): ends the daemon in order and starts it again.
    """

    def __init__(
        self,
        board: NativeBoard | CodeBoard,
        pty: PtyBoard,
        pins: MockPins,
        stop_broker: Callable[[float], Awaitable[None]],
        restart_daemon: Callable[[], Awaitable[None]],
    ) -> None:
        self._board, self._pty, self._pins = board, pty, pins
        self.stop_broker, self.restart_daemon = stop_broker, restart_daemon

    async def unplug(self, seconds: float) -> None:
        self._pty.unplug()
        await asyncio.sleep(seconds)
        self._pty.replug()

    def reset_board(self) -> None:
        assert isinstance(self._board, NativeBoard)
        self._board.reset()

    def jam(self) -> None:
        assert isinstance(self._board, NativeBoard)
        self._board.fault("jam")

    def mislay(self) -> None:
        """Makes a shoe that judges the game report the next card on the other side."""
        assert isinstance(self._board, AngelEyeShoe)
        self._board.mislay()

    async def open_lid(self, seconds: float) -> None:
        self._pins.drive(LID, False)
        await asyncio.sleep(seconds)
        self._pins.drive(LID, True)

    async def dirty_sensor(self, seconds: float) -> None:
        self._pins.drive(CUT_CARD, True)
        await asyncio.sleep(seconds)
        self._pins.drive(CUT_CARD, False)
