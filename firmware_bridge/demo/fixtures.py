"""Wires, packs and config of a simulated table, and the injection of faults."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from firmware_bridge.config.load import parse
from firmware_bridge.config.sections import Config, ReaderConfig, TableConfig
from firmware_bridge.daemon.devices.code_books import FACE_BITS, Known, native_code, save
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.cards import RANKS, Card
from firmware_bridge.facts.house import House
from firmware_bridge.facts.orders import BY_MQTT
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game
from firmware_bridge.games.house import usual
from firmware_bridge.record.signer import write_seed
from hardware.pins.pin import Pin
from hardware.readers import READERS
from hardware.sim.angel_eye import AngelEyeShoe, Rules
from hardware.sim.board import NativeBoard
from hardware.sim.boards import BOARDS
from hardware.sim.code_boards import CodeBoard
from hardware.sim.dealer import Paper

TABLE: Final = "DEMO"
KEYPAD_SEAT: Final = 1
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
    """Return the lamps of these slots: split hands share their seat's lamp."""
    return tuple(dict.fromkeys(slot.partition(".")[0] for slot in slots))


def lamps(game: Game) -> dict[str, int]:
    """Return the GPIO of each lamp: places for cards, seats, READY and FAULT. Raises ConfigError for too many."""
    named = places((*game.slots, *game.seats))
    if len(named) > len(FREE):
        raise ConfigError(f"{game.name} has {len(named)} lamps, and the header pins for {len(FREE)}")
    return dict(zip(named, FREE, strict=False)) | {"ready": READY, "fault": FAULT}


def faces(reader: str, game: Game, decks: int) -> dict[int | str, Card]:
    """Return each code of the reader -> its card; a tag is in one card only, a printed code on every card of a face."""
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


def packs(reader: str, game: Game, table: TableConfig) -> list[Paper]:
    """Return the cards of a full shoe, unshuffled."""

    def burns(card: Card) -> int:
        return table.burn - 1 if isinstance(table.burn, int) and table.burn else game.play.burns(card)

    codes = faces(reader, game, table.decks)
    if BOARDS[reader].papers == "tags":
        return [Paper(code, burns(card)) for code, card in codes.items()]
    return [Paper(code, burns(card)) for code, card in codes.items() for _ in range(game.pack[card])] * table.decks


PIPS: Final = f"1{RANKS}w"
"""Ranks in the order of a new pack, of tiles and of cards."""

Arrange = Callable[[list[Paper], Callable[[Paper], Card]], list[Paper]]
"""`arrange(shuffled, face)`: the cards in the order in which they are drawn. face: of a card in the dealer's hand."""


def as_shuffled(shuffled: list[Paper], face: Callable[[Paper], Card]) -> list[Paper]:
    """Return the cards as they are."""
    return shuffled


def as_bought(shuffled: list[Paper], face: Callable[[Paper], Card]) -> list[Paper]:
    """Return new packs, never shuffled: each in the order of its faces."""
    alike: dict[Card, list[Paper]] = {}
    for paper in sorted(shuffled, key=lambda paper: _place(face(paper))):
        alike.setdefault(face(paper), []).append(paper)
    return [paper for pack in zip_longest(*alike.values()) for paper in pack if paper]


def _place(card: Card) -> tuple[str, int]:
    """Return the place of a face in a new pack: by suit, then rank."""
    rank, suit = card.value
    return suit, PIPS.index(rank)


def one_face_first(shuffled: list[Paper], face: Callable[[Paper], Card]) -> list[Paper]:
    """Return cards among which all of the first one's face come early: two, then another card, and so on."""
    same = [paper for paper in shuffled if face(paper) is face(shuffled[0])]
    ordered = [paper for paper in shuffled if face(paper) is not face(shuffled[0])]
    for n, paper in enumerate(same):
        ordered.insert(n + n // 2, paper)
    return ordered


def code_book(reader: str, game: Game, decks: int, folder: Path) -> dict[str, str]:
    """Write the code book the reader needs into `folder`; return the keys of `[reader]` that name it."""
    papers = BOARDS[reader].papers
    if papers not in ("labels", "tags"):
        return {}
    has_serials = papers == "tags"
    path = folder / "codes.csv"
    coded = {str(code): card for code, card in faces(reader, game, decks).items()}
    save(path, {code: Known(card, serial=code if has_serials else None) for code, card in coded.items()})
    return {"code_book": str(path)}


def config(play: Play, own: Mapping[str, Any], folder: Path, port: int, keypad: bool = False) -> Config:
    """Return the config of a table with all state in `folder` and the broker at `port`.

    own: keys of `[table]`. keypad: whether seat 1, or the dealer where seats decide nothing, has a keypad.
    """
    game = GAMES[play.game]
    table: dict[str, Any] = {"id": play.table, "game": play.game, **usual(play.game), **play.house, **own}
    mqtt = {"port": port, "commands": [*BY_MQTT, "reveal"]} | ({"stored": play.stored} if play.stored else {})
    seats = {"seats": [KEYPAD_SEAT]} if game.play.words else {"dealer": True}
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
            "keypad": [{"port": str(folder / "keypad"), **seats}] if keypad else [],
            "mqtt": mqtt,
            "journal": {"dir": str(folder / "journal")},
            "record": {"key_file": str(_key(folder))},
        }
    )


def _key(folder: Path) -> Path:
    """Return a key of the table's own, so that its record is signed; none where the folder is not there."""
    path = folder / "record-key"
    with suppress(FileExistsError, FileNotFoundError):
        write_seed(path)
    return path


def board(reader: str, rules: Rules) -> NativeBoard | CodeBoard:
    """Return a simulated reader; `rules` are for one that judges the game."""
    made = BOARDS[reader]()
    if isinstance(made, AngelEyeShoe):
        made.rules = rules
    return made


def pull(board: NativeBoard | CodeBoard, paper: Paper, how: str) -> None:
    """Pull a card over a reader; `how` names its fault, if any."""
    if isinstance(board, AngelEyeShoe):
        board.pull(str(paper.code))
    elif not isinstance(board, NativeBoard):
        board.pull({"unreadable": "%\a", "foreign": OTHER_CODE}.get(how, str(paper.code)))
    elif how == "unreadable":
        board.fault(how)
    else:
        code = int(paper.code) + (OTHER_LOT if how == "foreign" else 0)
        board.pull(code, **({how: True} if how in ("face_up", "double_feed", "backwards") else {}))
