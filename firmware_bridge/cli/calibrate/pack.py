"""`shoe calibrate pack`: pulls whole packs to their last card, and one more if there is one, and counts every face."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from firmware_bridge.cli.calibrate.lease import Borrowed
from firmware_bridge.cli.calibrate.session import Session
from firmware_bridge.config.calibration import Count, CountSection
from firmware_bridge.daemon.devices import code_books
from firmware_bridge.facts.cards import Card
from hardware.calibrate.bench import Passed
from hardware.calibrate.figures import Refusal
from hardware.readers.messages import Read

NAMED: Final = 8
"""Faces named in a refusal, at most; with more of them something else is wrong."""


MOST: Final = 2
"""Times the wanted cards after which pulling ends: something else is in the shoe."""

NUMBERS: Final = {1: "one", 2: "two", 3: "three", 4: "four"}

Faces = list[tuple[Card, int]]
"""Faces, each with how many of it."""

SEVERAL: Final = 3
"""Unread cards in a row that point to the reader, not to the cards."""


@dataclass
class Pulled:
    """Cards pulled so far; `in_a_row`: unread cards since the last read one."""

    faces: Counter[Card] = field(default_factory=Counter)
    lots: set[int] = field(default_factory=set)
    unread: int = 0
    unknown: int = 0
    in_a_row: int = 0

    @property
    def count(self) -> int:
        return self.faces.total()

    @property
    def taken(self) -> int:
        """Cards that left the shoe, known or not."""
        return self.count + self.unknown


def run(session: Session) -> int:
    """Count `--cards` cards, by default one pack; return 0 if each face came as often as it must. Raises Refusal."""
    pack = session.config.rules.pack
    size = session.config.rules.size
    count = session.cards or size
    if count % size:
        raise Refusal(f"{count} cards are not whole packs", f"use --cards {size}, {2 * size}, ..")
    with session.borrow("reader", open_shoe=False) as borrowed:
        pulled = asyncio.run(_work(session, borrowed, count))
    _judge(pulled, {face: copies * (count // size) for face, copies in pack.items()})
    lot = pulled.lots.pop() if pulled.lots else None
    rate = pulled.count / (pulled.count + pulled.unread)
    measured = Count(tried=count, good=pulled.count, decode_rate=round(rate, 4), lot=lot)
    session.keep(CountSection(at=session.now, by=session.by, measured=measured))
    whole = f"{count // size} whole packs" if count > size else "a whole pack"
    text = f"kept: {count} cards, {whole}, {100 * rate:.1f} % read at the first try"
    return session.done(text + (f", batch {lot}" if lot is not None else ""), measured=measured)


async def _work(session: Session, borrowed: Borrowed, count: int) -> Pulled:
    config = session.config
    book = code_books.of_reader(config.reader, config.table.decks, config.rules.pack)
    pulled = Pulled()
    async with session.bench(borrowed) as bench:
        await bench.drain()
        session.guide.say(f"pull {count} cards in any order")
        is_last = False
        while True:
            if pulled.taken >= count and not is_last:
                session.guide.say("pull once more: no card may be left in the shoe")
                is_last = True
            card = await bench.next_card(session.patience_s)
            if card is None or pulled.taken > MOST * count:
                break
            _count(session, pulled, card, book)
            session.guide.bar(min(1.0, pulled.count / count), pulled.count, count, f"{pulled.unread} not read")
        if not pulled.taken:
            reason = "no card was read" if pulled.unread else "no card came"
            raise Refusal(reason, "pull the cards past the reader; calibrate it first if none is read")
    return pulled


def _count(session: Session, pulled: Pulled, card: Passed, book: code_books.CodeBook) -> None:
    if not isinstance(card, Read):
        pulled.unread += 1
        pulled.in_a_row += 1
        hint = "; stop with Ctrl-C and calibrate the reader first: sudo shoe calibrate reader --by NAME"
        session.guide.say(f"not read: pull that card again{hint if pulled.in_a_row >= SEVERAL else ''}")
        return
    pulled.in_a_row = 0
    known = code_books.native(card.code) if isinstance(card.code, int) else book.get(card.code)
    if known is None:
        pulled.unknown += 1
        session.guide.say("unknown code: remove that card, or record the code book again")
    elif known.card is not None:
        pulled.faces[known.card] += 1
        pulled.lots |= {known.lot} if known.lot is not None else set()


def _judge(pulled: Pulled, wanted: Mapping[Card, int]) -> None:
    """Raise Refusal for missing, surplus or unread cards, unknown codes, or packs of several batches."""
    missing = [(card, count - pulled.faces[card]) for card, count in wanted.items() if pulled.faces[card] < count]
    surplus = [
        (card, count - wanted.get(card, 0)) for card, count in pulled.faces.items() if count > wanted.get(card, 0)
    ]
    wrong = [f"missing: {_named(missing)}"] * bool(missing) + [f"too many: {_named(surplus)}"] * bool(surplus)
    wrong += [f"not of these packs: {pulled.unknown}"] * bool(pulled.unknown)
    beyond = bool(pulled.in_a_row) and pulled.taken >= sum(wanted.values())
    wrong += ["too many: a card that was not read"] * beyond
    todo = [f"tear {_counted(surplus)}"] * bool(surplus)
    todo += ["take out the card that is unknown, or record the code book again"] * bool(pulled.unknown)
    todo += ["take out the card that was not read"] * beyond
    if wrong:
        todo += ["complete the pack"] * bool(missing)
        raise Refusal(f"{pulled.taken} cards, {'; '.join(wrong)}", f"{', '.join(todo)}, then pull all of it again")
    if len(pulled.lots) > 1:
        raise Refusal(
            f"packs of batches {', '.join(map(str, sorted(pulled.lots)))} are mixed", "use packs of one batch only"
        )


def _named(faces: Faces) -> str:
    return " ".join(_first([card.value for card, _ in faces]))


def _counted(faces: Faces) -> str:
    return ", ".join(_first([f"{NUMBERS.get(count, count)} {card.value}" for card, count in faces]))


def _first(texts: list[str]) -> list[str]:
    return texts[:NAMED] + [f"and {len(texts) - NAMED} more"] * (len(texts) > NAMED)
