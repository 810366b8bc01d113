"""`shoe calibrate codebook`: records which code is which card, by pulling a sorted deck."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Final

from firmware_bridge import codes
from firmware_bridge.calibration import Count, CountSection, Value
from firmware_bridge.cards import FACES
from firmware_bridge.cli.calibrate.loan import Loan
from firmware_bridge.cli.calibrate.visit import Visit
from firmware_bridge.errors import ConfigError
from hardware.calibrate import Refusal
from hardware.calibrate.bench import Bench, Passed
from hardware.reads import Read

ORDER: Final = "spades, hearts, diamonds, clubs, each from ace to king"
KNOW_THEIR_CARDS: Final = ("native", "angel-eye")
"""Protocols whose codes mean the same in every pack."""

LOOK_S: Final = 0.5
"""How often a letter typed meanwhile is looked for."""

CUT_CARD_S: Final = 5.0
"""How long the cut card is waited for: many have no code."""


def run(visit: Visit) -> int:
    """Record the book and write its file; 0. Raises Refusal, Refused, or ConfigError."""
    path = _path(visit)
    with visit.borrowed("reader", open_shoe=False) as loan:
        book = asyncio.run(_work(visit, loan))
        before = _kept_aside(path)
        codes.save(path, book)
        codes.load(path)
    measured = Count(tried=len(book), good=len(book))
    after: dict[str, Value] = {"file": str(path), "codes": len(book)}
    visit.keep(CountSection(at=visit.now, by=visit.by, before=before, after=after, measured=measured))
    return visit.done(f"kept: {len(book)} codes in {path}", after=after)


def undo(visit: Visit) -> int:
    """Put back the book from before the last recording; 0."""
    path, last = _path(visit), visit.last
    with visit.borrowed("reader", open_shoe=False):
        if last.before:
            _aside(path).replace(path)
        else:
            path.unlink(missing_ok=True)
    visit.forget()
    return visit.done(f"{path} is as it was before" if last.before else f"{path} is gone, as before")


async def _work(visit: Visit, loan: Loan) -> codes.CodeBook:
    async with visit.bench(loan) as bench:
        await bench.drain()
        visit.guide.say(f"pull 52 cards of a sorted deck: {ORDER}" + ("" if visit.guide.unattended else "; u: undo"))
        order = [codes.Known(card) for card in FACES]
        book: dict[str, codes.Known] = {}
        while len(book) < len(order):
            card = await _next(visit, bench, book)
            if isinstance(card, str):
                _add(visit, book, card, order[len(book)])
        visit.guide.say("pull the cut card, if it has a code")
        cut = await bench.next_card(min(CUT_CARD_S, visit.patience_s))
        if isinstance(cut, Read) and isinstance(cut.code, str) and cut.code not in book:
            book[cut.code] = codes.CUT_CARD
        return book


async def _next(visit: Visit, bench: Bench, book: dict[str, codes.Known]) -> str | None:
    """The next card's code, None after an undo or a card that was not read. Raises Refusal if none comes."""
    waited = 0.0
    while waited < visit.patience_s:
        card: Passed | None = await bench.next_card(LOOK_S)
        if isinstance(card, Read) and isinstance(card.code, str):
            return card.code
        if card is not None:
            visit.guide.say("not read: pull that card again")
            return None
        if visit.guide.typed() == "u" and book:
            last = book.popitem()[1].card
            visit.guide.say(f"undone: pull {last.value if last else codes.CUT} again")
            return None
        waited += LOOK_S
    raise Refusal(f"only {len(book)} of {len(FACES)} cards passed", "start again with the ace of spades")


def _add(visit: Visit, book: dict[str, codes.Known], code: str, known: codes.Known) -> None:
    if code in book:
        was = book[code].card
        visit.guide.say(f"this code is recorded as {was.value if was else codes.CUT}: pull the next card")
        return
    book[code] = known
    face = known.card.value if known.card else codes.CUT
    visit.guide.bar(len(book) / len(FACES), len(book), len(FACES), f"{face} = {code}")


def _path(visit: Visit) -> Path:
    reader = visit.config.reader
    if reader.protocol in KNOW_THEIR_CARDS:
        raise Refusal(f"{reader.protocol} readers know the cards themselves", "they need no code book")
    if reader.code_book is None:
        raise ConfigError("[reader] code_book is missing", 'name the file it is written to: code_book = "cards.csv"')
    return Path(reader.code_book)


def _aside(path: Path) -> Path:
    return path.with_name(f"{path.name}.before")


def _kept_aside(path: Path) -> dict[str, Value]:
    """What was in the file before; a copy of it is kept for `undo`."""
    if not path.exists():
        return {}
    shutil.copy2(path, _aside(path))
    return {"file": str(_aside(path))}
