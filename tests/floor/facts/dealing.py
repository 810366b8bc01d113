"""Deals thousands of rounds of a game at a table in memory, with voids and corrections, into journals on disk."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from firmware_bridge.demo.memory_table import MemoryTable
from firmware_bridge.demo.seats import next_order, pack_number
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events import CommandAnswered, MarkGiven, RoundClosed, RoundVoided, ShoeOpened
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import house_of, usual
from firmware_bridge.journal.files import file_name
from firmware_bridge.journal.line import DAY_MS, FIRST_CHAIN, Line
from firmware_bridge.record.signer import signer
from firmware_bridge.shoe import Phase, Shoe, phase
from firmware_bridge.shoe.round import coming, rules
from firmware_bridge.shoe.state import blockers, cards_left

BEGAN: Final = 1_795_207_500_000
"""2026-11-20T20:45:00Z, in ms since 1970."""

STAFF: Final[dict[str, Any]] = {"pit": "Pit 3", "shifts": {"day": "08:00", "evening": "16:00", "night": "00:00"}}
DEALERS: Final = ("LI", "WU", "=ANNA()", "Zoe, née O'Hara")
"""Two of them are what a spreadsheet would calculate, and what CSV must quote."""

UNKNOWN: Final = "??"
FACES: Final = frozenset(each.value for each in Card)
KINDS: Final = {orders.tag_of(each): each for each in orders.ORDERS}
VOID, UNREAD = 0.002, 0.002
"""Chances before each card: of a void, and that it is not read."""

CORRECT, AGAIN, BREAK, CHANGE = 0.05, 0.3, 0.005, 0.05
"""Chances after each round: of a correction, and of another of the same round; of a break of hours; of a new dealer."""

MOST_SEATS: Final = 4
"""Seats that play at most: with more a round takes longer, and its sums say no more."""

TRIES: Final = 8
"""Corrections that are tried: not all pairs of cards can change places."""


class Dealing:
    """A table of one game, its dealers, guests and pit. rounds: how many have ended.

    Its house has shifts, or not; its clock stands in UTC, west or east of it.
    """

    def __init__(self, table: str, game: str, folder: Path, seed: int) -> None:
        self._random, self._folder, self.rounds = Random(f"{table} {game} {seed}"), folder / table, 0
        self._folder.mkdir(parents=True)
        self._memory, self._at = MemoryTable(Shoe(), table, "b007", f"{table} {seed}"), BEGAN
        key = signer(f"shoe.invalid/{table}/b007", bytes(range(32)))
        self._memory.tree.coming = (key,)
        self._offset = self._random.choice((-300, 0, 330))
        self._at += self._random.randrange(DAY_MS)
        self._words, self._past = list[str](), dict[int, list[str]]()
        self._cards, self._pack, self._cut_at = list[Card](), -1, 0
        house = house_of(game, **usual(game) | {"burn": "none"} | (STAFF if self._random.random() < 0.7 else {}))
        begun = inputs.NewRecord(key.key.name, key.key.vkey, inputs.Follows(None, 0, FIRST_CHAIN, 0))
        self._take(inputs.Started(at=0, version="0", house=house, nonce=self._memory.nonce(), record=begun))

    def play(self, rounds: int) -> None:
        """Deal until so many rounds have ended."""
        while self.rounds < rounds:
            before = self.rounds
            self._act(self._memory.shoe)
            if self.rounds > before:
                self._after_a_round()

    def _act(self, shoe: Shoe) -> None:
        if blockers(shoe):
            self._settle(shoe)
        elif phase(coming(shoe)) in (Phase.EMPTY, Phase.ENDED):
            self._order(orders.OpenShoe())
        elif order := next_order(shoe, self._random, self._seats(shoe)):
            self._order(msgspec.convert(order, KINDS[order["do"]]))
        elif phase(shoe) is Phase.COMPLETE:
            self._take(inputs.Pressed(at=0, key="next", nonce=self._memory.nonce()))
        elif phase(shoe) is Phase.DEALING and self._random.random() < VOID:
            self._order(orders.Void("misdeal"))
        else:
            self._draw(shoe)

    def _settle(self, shoe: Shoe) -> None:
        """Two people enter the card that was not read; NEXT closes anything else."""
        alarm = next(each for each in shoe.device.irregular if each.id == blockers(shoe)[0])
        if alarm.id == "unreadable":
            self._order(orders.Enter(self._cards.pop(), "BO"))
        else:
            self._take(inputs.Pressed(at=0, key="next", nonce=self._memory.nonce()))

    def _draw(self, shoe: Shoe) -> None:
        if not self._cards or pack_number(shoe) != self._pack:
            self._shuffle(shoe)
        if shoe.last_round is None and cards_left(shoe) == self._cut_at and rules(shoe).play.cut_from_end:
            self._take(inputs.CutCardSeen(at=0, by="sensor"))
        if self._random.random() < UNREAD:
            self._take(inputs.CardUnread(at=0, reason="unreadable", nonce=self._memory.nonce()))
        else:
            self._take(inputs.CardRead(at=0, card=self._cards.pop(), nonce=self._memory.nonce()))

    def _shuffle(self, shoe: Shoe) -> None:
        house = shoe.house if shoe.status == "open" else shoe.device.next_house
        game = GAMES[house.game]
        self._cards = [card for card, count in game.pack.items() for _ in range(count * house.decks)]
        for card in shoe.seen if shoe.status == "open" else ():
            self._cards.remove(card)
        self._random.shuffle(self._cards)
        self._pack = pack_number(shoe)
        self._cut_at = self._random.randint(*game.play.cut_from_end) if game.play.cut_from_end else 0

    def _seats(self, shoe: Shoe) -> int | None:
        most = GAMES[shoe.device.next_house.game].play.players
        return self._random.randint(most[0], min(most[-1], MOST_SEATS)) if most else None

    def _after_a_round(self) -> None:
        chance = self._random.random
        if self._past and chance() < CORRECT:
            number = self._random.choice(list(self._past))  # any of its shoe, also one of another shift
            self._correct(number, self._past[number])
            if chance() < AGAIN:
                self._correct(number, self._past[number])
        if chance() < CHANGE:
            self._order(orders.DealerIn(self._random.choice(DEALERS)))
        if chance() < BREAK:
            self._at += self._random.randrange(14 * 3_600_000)

    def _correct(self, number: int, words: list[str]) -> None:
        pairs = list(combinations([at for at, word in enumerate(words) if word in FACES], 2))
        for one, other in self._random.sample(pairs, min(TRIES, len(pairs))):
            swapped = list(words)
            swapped[one], swapped[other] = swapped[other], swapped[one]
            if self._order(orders.Correct(number, tuple(swapped), "misread")):
                self._past[number] = swapped
                return

    def _order(self, order: orders.Order) -> bool:
        """Give an order; whether it was obeyed."""
        nonce = self._memory.nonce()
        line = self._take(inputs.Ordered(at=0, order=order, by="EVE", nonce=nonce, id=nonce))
        assert line
        assert line.entry
        return [each.answer.ok for each in line.entry.events if isinstance(each, CommandAnswered)][-1]

    def _take(self, came: inputs.AnyInput) -> Line | None:
        self._at += self._random.randrange(500, 9_000)
        salt = self._memory.nonce()
        line = self._memory.handle(
            replace(came, at=self._at, mono=self._at - BEGAN, salt=salt, utc_offset=self._offset)
        )
        if line:
            with (self._folder / file_name(line.public.journal)).open("ab") as file:
                file.write(line.data)
            self._see(line)
        return line

    def _see(self, line: Line) -> None:
        assert line.entry
        match line.entry.input:
            case inputs.CardRead(card=card):
                self._words.append(card.value)
            case inputs.CardUnread():
                self._words.append(UNKNOWN)
            case inputs.Ordered(order=orders.Enter(card=card)):
                self._words[self._words.index(UNKNOWN)] = card.value
        for event in line.entry.events:
            match event:
                case ShoeOpened():
                    self._words.clear()
                    self._past.clear()
                case MarkGiven(seat=seat, word=word, value=value):
                    self._words.append(f"{f'{seat}:' if seat else ''}{word}{'' if value is None else f'={value}'}")
                case RoundClosed(round=number):
                    self._past[number] = list(self._words)
                    self._words.clear()
                    self.rounds += 1
                case RoundVoided():
                    self._words.clear()
                    self.rounds += 1


def deal(folder: Path, rounds: int, *, tables: int = 1, seed: int = 1) -> list[Path]:
    """Deal so many rounds, shared by all games and so many tables of each; the folders of their journals."""
    games = [name for _ in range(tables) for name in reversed(GAMES)]  # first those that take longest
    share = rounds // len(games)
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(_dealt, [(folder, number, game, share, seed) for number, game in enumerate(games)]))


def _dealt(asked: tuple[Path, int, str, int, int]) -> Path:
    folder, number, game, rounds, seed = asked
    Dealing(f"T{number:02}", game, folder, seed).play(rounds)
    return folder / f"T{number:02}"
