"""Draws the past of a table from the store: shoes, rounds with their cards, ended alarms, and how each is proved."""

import re
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Final, NamedTuple

from firmware_bridge.client.payload import MessageError
from firmware_bridge.facts.bounds import MOST
from firmware_bridge.facts.wire import ClosedRound, RoundMessage, VoidedRound
from firmware_bridge.floor.facts.answers import AlarmAt, giver, spans
from firmware_bridge.floor.latest import milliseconds
from firmware_bridge.floor.page.document import address
from firmware_bridge.floor.page.markup import Html, Part, macro, moment
from firmware_bridge.floor.page.round_summary import RoundSummary, read, summarised
from firmware_bridge.floor.page.tile import chip_class, game
from firmware_bridge.floor.record import before_codes
from firmware_bridge.floor.store import Reader
from firmware_bridge.floor.store.past_queries import Dealt, PastRound, PastShoe
from firmware_bridge.games import GAMES
from firmware_bridge.topics.texts import Language, known, names, text

SHOES: Final = 20
"""Shoes of a page of the history."""

RECENT: Final = 6
"""Shoes, and ended alarms, on a table's own page."""

ASKED: Final = re.compile(r"\s*(?:(\d{1,15})\s*[-–—/ ]\s*)?(\d{1,15})\s*")
"""A round as people write it: `12-41`, or `41` of the newest shoe."""

Span = tuple[AlarmAt, AlarmAt | None]


class Version(NamedTuple):
    """What was recorded about a round. seq: its entry. result: None where this page cannot read it.

    person: for whom an order of it was given, "" where not known.
    """

    journal: str
    seq: int
    message: RoundMessage | None
    result: RoundSummary | None
    person: str = ""

    @property
    def by(self) -> tuple[str, ...]:
        """Who corrected or voided it."""
        if self.message is None or type(self.message) is ClosedRound:
            return ()
        by = giver(getattr(self.message, "by", ""), self.person)
        return tuple(each for each in (by, getattr(self.message, "second", "")) if each)

    def why(self, lang: Language) -> list[str]:
        """Return why it was voided, in words."""
        if not isinstance(found := self.message, VoidedRound):
            return []
        return names.voided(lang, found.why, found.reasons or before_codes.voided(found.why))

    @property
    def cards(self) -> list[str]:
        """The cards of a voided round; none in a game that keeps hands hidden."""
        if not isinstance(self.message, VoidedRound) or (kind := GAMES.get(self.message.game)) is None:
            return []
        return [] if kind.guest.hidden else [each.card.value for each in self.message.cards]


class Shoes(NamedTuple):
    """Shoes of a table, and the alarms in their journals. is_more: whether there are earlier ones."""

    shoes: list[PastShoe]
    alarms: list[Span]
    is_more: bool


class Dealing(NamedTuple):
    """A shoe with its rounds, each by its versions, the newest first."""

    shoe: PastShoe
    rounds: list[list[Version]]
    alarms: list[Span]


def shoes(reader: Reader, table: str, last: int = MOST, most: int = SHOES) -> Shoes:
    """Return the shoes of a table from a number back. Raises StoreError."""
    found = reader.shoes_back(table, most + 1, last)
    return Shoes(found[:most], _alarms(reader, table, found[:most]), len(found) > most)


def dealings(reader: Reader, table: str, shoe: int | None, round: int | None = None) -> list[Dealing]:
    """Return the shoes of a number, each with its rounds or with one of them; None for the newest. Raises StoreError.

    A replaced device counts its shoes from 1 again: then there are several of a number.
    """
    found = reader.shoes_back(table, 1) if shoe is None else reader.shoes_back(table, SHOES, shoe, shoe)
    bounds = (0, MOST) if round is None else (round, round)

    def rounds(each: PastShoe) -> list[list[Version]]:
        return _versions(reader.rounds_of(table, each.journal, each.shoe, *bounds))

    return [Dealing(each, rounds(each), _alarms(reader, table, [each])) for each in found]


def asked(words: str) -> tuple[int | None, int] | None:
    """Return shoe and round of a search, the shoe None for the newest; None for words that name no round."""
    found = ASKED.fullmatch(words)
    return (int(found[1]) if found[1] else None, int(found[2])) if found else None


def recent(table: str, found: Shoes, lang: Language) -> Html:
    """Return what a table's own page has of its past: ended alarms and shoes."""
    ended = [each for each in found.alarms if each[1]][:RECENT]
    return _macro("recent")(lang, address(table), _listed(ended, lang), _rows(found.shoes, lang))


def page(table: str, found: Shoes, looked: Html | str, words: str, lang: Language) -> Html:
    """Return the page of a table's past. looked: what a search found. words: what was searched."""
    last = found.shoes[-1].shoe - 1 if found.is_more else None
    ended = [each for each in found.alarms if each[1]]
    return _macro("page")(lang, address(table), _listed(ended, lang), _rows(found.shoes, lang), looked, words, last)


def shoe_page(table: str, found: list[Dealing], lang: Language) -> Html:
    """Return the page of the shoes of a number."""
    drawn = [
        (_facts(each.shoe, lang), each.rounds, _listed(each.alarms, lang), each.shoe.journal, each.shoe.shoe)
        for each in found
    ]
    return _macro("shoe")(lang, address(table), table, drawn, chip_class)


def round_found(table: str, found: list[Dealing], lang: Language) -> Html:
    """Return a round that was searched: its versions with cards, who dealt, and how it is proved; empty without one."""
    return _macro("found")(
        lang, address(table), table, [(each.shoe, one) for each in found for one in each.rounds], chip_class
    )


def fault(id: str, lang: Language) -> Html:
    """Return why there is no past to see. id: `no_store`, `unread` and others of the texts."""
    return macro("markup.html", "muted")(text(lang, f"history.{id}"))


def _versions(messages: Iterable[PastRound]) -> list[list[Version]]:
    """Return the versions of each round, the newest round first, and of each the newest version first."""
    made = [_version(each) for each in messages]
    rounds = [list(some)[::-1] for _, some in groupby(made, lambda each: each.message.round if each.message else -1)]
    return rounds[::-1]


def _version(found: PastRound) -> Version:
    try:
        message, own = read(found.body)
    except MessageError:
        return Version(found.journal, found.seq, None, None)
    return Version(
        found.journal, found.seq, message, summarised(message, own, milliseconds(message.at) or 0), found.person
    )


def _alarms(reader: Reader, table: str, shoes: Iterable[PastShoe]) -> list[Span]:
    """Return the alarms in the journals of shoes, the newest first."""
    found = spans(reader.alarms_in(table, (each.journal for each in shoes)))
    return sorted(found, key=lambda each: (each[1] or each[0]).at, reverse=True)


def _listed(alarms: Iterable[Span], lang: Language) -> list[tuple[str, str, Part, Part, str, str, str]]:
    """Return for each alarm: id, name, begin and end, what ended it, by whom, and what it was about."""
    return [
        (
            began.id,
            known(lang, f"alarm.{began.id}") or began.id,
            _moment(began.at),
            _moment(ended.at) if ended else None,
            names.alarm_ended(lang, ended.choice) if ended else "",
            _people(lang, ended.given_by, ended.second) if ended else "",
            began.about(lang),
        )
        for began, ended in alarms
    ]


def shoe_ended(shoe: PastShoe, lang: Language) -> str:
    """Return how a shoe ended, and what was typed with it; "" for one that has not ended."""
    return names.shoe_ended(lang, shoe.code or "", shoe.alarm or "", shoe.by or "", shoe.why or "")


def _people(lang: Language, *people: str) -> str:
    return text(lang, "between.names").join(each for each in people if each)


def _rows(shoes: Iterable[PastShoe], lang: Language) -> list[tuple[PastShoe, Part, Part, str, str, str]]:
    """Return for each shoe: when it was opened and ended, its rounds in words, who dealt it, how it ended."""
    return [
        (
            each,
            _moment(each.opened_at),
            _moment(each.ended_at),
            _counts(each.dealt, lang),
            _dealers(each.dealt, lang),
            shoe_ended(each, lang),
        )
        for each in shoes
    ]


def _counts(dealt: Iterable[Dealt], lang: Language) -> str:
    """Return how many rounds, and how many of them void or corrected."""
    counts = [sum(column) for column in zip(*(each[1:] for each in dealt), strict=True)] or [0, 0, 0]
    others = zip(("voided", "corrected"), counts[1:], strict=True)
    more = [text(lang, f"history.{id}", count=count) for id, count in others if count]
    return text(lang, "between.names").join([str(counts[0]), *more])


def _dealers(dealt: Iterable[Dealt], lang: Language) -> str:
    return text(lang, "between.names").join(each.dealer or text(lang, "history.nobody") for each in dealt)


def _facts(shoe: PastShoe, lang: Language) -> list[tuple[str, Part]]:
    """Return what is known of a shoe, with labels."""
    return [
        (text(lang, "page.game"), game(lang, shoe.game) if shoe.game else None),
        (text(lang, "history.decks"), shoe.decks),
        (text(lang, "history.opened"), _moment(shoe.opened_at)),
        (text(lang, "history.ended"), _moment(shoe.ended_at) or text(lang, "history.not_ended")),
        (text(lang, "history.why"), shoe_ended(shoe, lang) or None),
        (text(lang, "history.rounds"), _counts(shoe.dealt, lang)),
        (text(lang, "history.dealers"), _dealers(shoe.dealt, lang) or None),
    ]


def _moment(at: str | None) -> Part:
    found = milliseconds(at) if at else None
    return None if found is None else moment(found)


def _macro(name: str) -> Callable[..., Html]:
    return macro("history_parts.html", name)
