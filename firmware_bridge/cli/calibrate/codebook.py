"""`shoe calibrate codebook`: records which code is which card, by pulling a sorted deck."""

import asyncio
import shutil
from pathlib import Path
from typing import Final

from firmware_bridge.cli.calibrate.lease import Borrowed
from firmware_bridge.cli.calibrate.session import Session
from firmware_bridge.config.calibration import Count, CountSection, Value
from firmware_bridge.daemon.devices import code_books
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.cards import TILES, Card
from hardware.calibrate.bench import Bench, Passed
from hardware.calibrate.figures import Refusal
from hardware.readers import READERS
from hardware.readers.messages import Read

ORDER: Final = "cards of a sorted deck: spades, hearts, diamonds, clubs, each from ace to king"
ORDER_OF_TILES: Final = "sorted tiles: 1 to 9 dots, then white, all copies of each together"
LOOK_S: Final = 0.5
"""Seconds between two looks for a typed letter."""

CUT_CARD_S: Final = 5.0
"""Seconds to wait for the cut card: many have no code."""


def run(session: Session) -> int:
    """Record the book and write its file; return 0. Raises Refusal, LeaseRefused, ConfigError."""
    path = _path(session)
    with session.borrow("reader", open_shoe=False) as borrowed:
        book = asyncio.run(_work(session, borrowed))
        before = _kept_aside(path)
        code_books.save(path, book)
        code_books.of_reader(session.config.reader, session.config.table.decks, session.config.rules.pack)
    measured = Count(tried=len(book), good=len(book))
    after: dict[str, Value] = {"file": str(path), "codes": len(book)}
    session.keep(CountSection(at=session.now, by=session.by, before=before, after=after, measured=measured))
    return session.done(f"kept: {len(book)} codes in {path}", after=after)


def undo(session: Session) -> int:
    """Restore the book from before the last recording; return 0. Raises Refusal if it is no longer kept."""
    path, last = _path(session), session.last
    with session.borrow("reader", open_shoe=False):
        if not last.before:
            path.unlink(missing_ok=True)
        elif _aside(path).exists():
            _aside(path).replace(path)
        else:
            raise Refusal(f"{_aside(path)} is gone: only the last book is kept", "record the code book again")
    session.forget()
    return session.done(f"{path} is restored" if last.before else f"{path} is deleted: there was none before")


async def _work(session: Session, borrowed: Borrowed) -> code_books.CodeBook:
    async with session.bench(borrowed) as bench:
        await bench.drain()
        book: dict[str, code_books.Known] = {}
        if _has_tags(session):
            for number in range(1, session.config.table.decks + 1):
                book |= await _tagged_deck(session, bench, book, number)
        else:
            book |= await _deck(session, bench, {}, "")
        return dict.fromkeys(await _cut_card(session, bench), code_books.CUT_CARD) | book


async def _tagged_deck(
    session: Session, bench: Bench, recorded: code_books.CodeBook, number: int
) -> code_books.CodeBook:
    """Return a deck read twice with the same codes: no tag misread, no card missing or swapped."""
    which = f"deck {number} of {session.config.table.decks}: "
    while True:
        deck = await _deck(session, bench, recorded, which)
        again = await _deck(session, bench, recorded, f"{which}the same again: ")
        if deck == again:
            return {code: known._replace(serial=code) for code, known in deck.items()}
        faces = _sorted(session)
        differ = [face.value for face, one, other in zip(faces, deck, again, strict=True) if one != other]
        session.guide.say(
            f"{which}codes that differ the second time: {len(differ)}, the first at {differ[0]}; "
            "sort it and pull it again"
        )


async def _deck(
    session: Session, bench: Bench, recorded: code_books.CodeBook, which: str
) -> dict[str, code_books.Known]:
    """Return a sorted deck with codes not recorded before. Raises Refusal."""
    undo = "" if session.guide.unattended else "; u: undo"
    faces = _sorted(session)
    order = ORDER_OF_TILES if faces[0] in TILES else ORDER
    session.guide.say(f"{which}pull {len(faces)} {order}{undo}")
    deck: dict[str, code_books.Known] = {}
    while len(deck) < len(faces):
        code = await _next(session, bench, deck)
        if code is not None and (known := recorded.get(code) or deck.get(code)):
            session.guide.say(f"this code is already recorded as {_face(known)}: pull the next card")
        elif code is not None:
            deck[code] = known = code_books.Known(faces[len(deck)])
            session.guide.bar(len(deck) / len(faces), len(deck), len(faces), f"{_face(known)} = {code}")
    return deck


def _sorted(session: Session) -> list[Card]:
    """Return the cards of a sorted pack of the table's game: every card if each has a tag, else one of each face."""
    pack = session.config.rules.pack
    return [face for face, copies in pack.items() for _ in range(copies if _has_tags(session) else 1)]


async def _next(session: Session, bench: Bench, deck: dict[str, code_books.Known]) -> str | None:
    """Return the next card's code, None after an undo or a card that was not read. Raises Refusal if none comes."""
    waited = 0.0
    while waited < session.patience_s:
        card: Passed | None = await bench.next_card(LOOK_S)
        if isinstance(card, Read) and isinstance(card.code, str):
            return card.code
        if card is not None:
            session.guide.say("not read: pull that card again")
            return None
        if session.guide.typed() == "u" and deck:
            session.guide.say(f"undone: pull {_face(deck.popitem()[1])} again")
            return None
        waited += LOOK_S
    if session.guide.unattended or session.guide.ask("no card came: continue?") == "n":
        faces = _sorted(session)
        raise Refusal(f"only {len(deck)} of {len(faces)} cards passed", f"start again with {faces[0].value}")
    return None


async def _cut_card(session: Session, bench: Bench) -> list[str]:
    """Return the cut card's code, if it has one; tags are read twice."""
    session.guide.say("pull the cut card, if it has a code")
    previous: str | int | None = None
    while isinstance(card := await bench.next_card(min(CUT_CARD_S, session.patience_s)), Read):
        if isinstance(card.code, str) and (card.code == previous or not _has_tags(session)):
            return [card.code]
        previous = card.code
        session.guide.say("pull the cut card again")
    return []


def _has_tags(session: Session) -> bool:
    return READERS[session.config.reader.protocol].has_tags


def _face(known: code_books.Known) -> str:
    return known.card.value if known.card else code_books.CUT


def _path(session: Session) -> Path:
    reader = session.config.reader
    if READERS[reader.protocol].has_fixed_codes:
        raise Refusal(f"{reader.protocol} readers recognise the cards themselves", "they need no code book")
    if reader.code_book is None:
        raise ConfigError("[reader] code_book is missing", 'give a file for it: code_book = "cards.csv"')
    return Path(reader.code_book)


def _aside(path: Path) -> Path:
    return path.with_name(f"{path.name}.before")


def _kept_aside(path: Path) -> dict[str, Value]:
    """Return the settings for `undo`, after copying the old file aside; {} if there was none."""
    if not path.exists():
        return {}
    shutil.copy2(path, _aside(path))
    return {"file": str(_aside(path))}
