"""The description of a game: its packs, its settings, and a round as a script that asks for what is due."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Literal
from unicodedata import east_asian_width

from msgspec import Raw, Struct

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_rounds import Net, Unit
from firmware_bridge.facts.wire import Hand
from firmware_bridge.games.guest import Guest
from firmware_bridge.games.layout import Ended, Layout, Nothing, Placed, Result, Script, Start
from firmware_bridge.games.moves import LOT, Mark
from firmware_bridge.games.payouts import Payouts
from firmware_bridge.games.prompts import Question
from firmware_bridge.games.strategy import Strategy, first_offered

__all__ = ["Ended", "Game", "Layout", "Nothing", "OddsBook", "Placed", "Result", "Script", "Start", "Terms", "Topic"]


class Terms(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of one game: its part of a table's, `[game]` in the config. Each game has its own."""


class Topic(Struct, frozen=True, eq=False):
    """A retained topic of a game's own, built up round by round: `empty(terms)`, `grow`, `show`.

    body: the struct of its JSON; a shown value does not change later. grow: the next build from the last one, which it
    may change, and a round that counts.
    """

    name: str
    body: type[Struct]
    empty: Callable[[Any], Any]
    grow: Callable[[Any, Ended], Any]
    show: Callable[[Any], Any]


class Wording(Struct, frozen=True, eq=False):
    """The language of lines for a terminal.

    named: the name in this language, of those in English, traditional and simplified Chinese. say: the text of an id in
    this language, else the English one that is given, with its values put in.
    """

    named: Callable[[tuple[str, str, str]], str] = lambda names: names[0]
    say: Callable[..., str] = lambda id, english, **values: english.format(**values)


ENGLISH: Final = Wording()

SHOE_ID, SHOE = "odds.shoe", "{size} cards in {decks} decks, {left} left. "
"""The first words of a table of odds: their id, and the English text."""


class OddsBook(Struct, frozen=True, eq=False):
    """The odds of a game, each from packs, cards already seen, and terms. They raise BridgeError.

    of: bet -> its odds, in a form that can be encoded. deviation: bet -> how much more it returns than with a full
    shoe. table: the odds in lines for a terminal, in a language.
    """

    of: Callable[[int, Sequence[Card], Any], Mapping[str, Any]]
    deviation: Callable[[int, Sequence[Card], Any], Mapping[str, Fraction]]
    table: Callable[[int, Sequence[Card], Any, Wording], Iterator[str]]


def padded(text: str, width: int) -> str:
    """Return `text` with spaces behind it up to `width` cells of a terminal."""
    return text + _gap(text, width)


def flush_right(text: str, width: int) -> str:
    """Return `text` with spaces before it up to `width` cells of a terminal."""
    return _gap(text, width) + text


def _gap(text: str, width: int) -> str:
    """Return the spaces that `text` leaves of `width` cells, of which a Chinese character takes two."""
    return " " * (width - sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text))


def _bets(_: Layout, start: Start) -> dict[str, Net]:
    return {f"S{seat}": bet for seat, bet in start.bets.items()}


def _no_answer(question: Question, *_: Any) -> str:
    raise LookupError(f"{question.what}: this game asks no questions")


class Play(Struct, frozen=True, eq=False, kw_only=True):
    """The rules of a round, and of the packs that it is dealt from."""

    round: Callable[[Any, Start], Script]
    """The script of a round under these terms."""
    judge: Callable[[tuple[Card | Mark, ...], Any, Start], Layout] | None = None
    """For a correction: the layout of the cards that were played, where that is not simply the round again."""
    fewest: Callable[[Any], int] = lambda terms: 1
    """How many cards the shortest round takes under these terms."""
    first: str = ""
    """The slot a new round begins with, "" if it varies."""
    reserves: Callable[[Any], tuple[str, ...]] = lambda terms: ()
    """The slots of cards that wait to open the next round."""
    carries: int = 0
    """The most cards that may wait for the next round, those drawn too many included."""
    has_third: bool = False
    """Whether a hand may need a third card, which a dealer may forget: NEXT before it is `missing_third`."""
    words: tuple[str, ...] = ()
    """Every word a mark may have."""
    seatless: tuple[str, ...] = (LOT,)
    """The words that mean something without a seat; a mark of another word without one is refused as `unknown`."""
    anytime: tuple[str, ...] = ()
    """The words that a seat may say while another one is asked."""
    lifts: tuple[str, ...] = ()
    """The words by which a guest sees cards: the dealer's keys do not take such a mark back."""
    players: range = range(1, 100)
    """How many seats may take part in a round."""
    answer: Callable[[Question, Mapping[int, Card], Layout], str] = _no_answer
    """The answer of cards lying face down; their faces by the number (from 0) of the card in the round."""
    burns: Callable[[Card], int] = lambda card: 0
    """How many cards are burned unseen after this exposed one."""
    may_burn: bool = True
    """Whether a house may burn cards of a new pack; not where the rounds of a pack take all of it."""
    one_round_packs: bool = False
    """Whether a pack lasts one round, or one game: the next opens by itself, and a journal holds the packs of many."""
    cut_from_end: tuple[int, int] | None = None
    """Between how many cards from the end the cut card is put; None: the game has none."""
    cut_earliest: Callable[[int], int | None] = lambda cards: None
    """Cards left, in a shoe of so many, above which a house does not believe in a cut card; None: it always does."""
    close: Callable[[Any], Literal["auto", "next"]] = lambda terms: "auto"
    """How rounds end by default."""
    ends: Callable[[Any, Start], bool] = lambda terms, start: False
    """Whether no further round can begin under these terms from this start, which has no bets yet."""
    keys: tuple[str, ...] = ()
    """The dealer's keys for a result: each is the outcome of its name."""
    verdict: Callable[[str, Raw], tuple[str, ...]] | None = None
    """The words of a judging reader for an outcome and the game's own part; None where no reader judges the game."""
    unjudged: Callable[[Any], Mapping[str, str]] = lambda terms: {}
    """Terms that such a reader does not deal under: key -> why."""
    secret: tuple[str, ...] = ()
    """Slots where a card may give away sealed ones: a sensor there is ignored before all are open."""
    sensed: bool = False
    """Whether a sensor in a slot can detect a card, because a slot takes one card only."""
    squeezed: bool = False
    """Whether a house that seals deals every card face down, for guests to squeeze; else only what the rules hide."""
    ceremony: str = "in_order"
    """The phrase (`PHRASES`) that says in which order cards that lie face down are opened."""


class Money(Struct, frozen=True, eq=False, kw_only=True):
    """The bets of a game, and their unit."""

    unit: Unit = "money"
    """The unit of bets: net units per unit staked, or money."""
    stakes: Literal["", "bets", "money"] = ""
    """What `bets_closed` brings."""
    stakes_per: Literal["round", "pack"] = "round"
    """How often bets are closed. With `pack` once; between two rounds they replace the purses worked out."""
    must_bet: bool = False
    """Whether no round can be dealt under `betting = "ignored"`, because `bets_closed` names the seats of a round."""
    bets: tuple[str, ...] = ()
    """Its bets, where they have names of their own: what `[limits]` may name."""
    bet_range: tuple[str, str] | None = None
    """The settings that are the least and the most of a seat's bet, `[limits] bet` in the config; None: neither is."""
    closed_bets: Callable[[int], tuple[str, ...]] = lambda number: ()
    """Bets refused in that round of a shoe."""
    staked: Callable[[Layout, Start], dict[str, Net]] = _bets
    """Bet -> stake so far, for a round that is voided; empty where only the backend knows the wagers."""
    moved: Callable[[Layout], dict[str, Net]] = lambda table: {}
    """Bet -> amount paid so far (below 0: collected), where the table settles before a round is over."""


class Demo(Struct, frozen=True, eq=False, kw_only=True):
    """The part of a game for demonstrations, screens and given rounds."""

    strategy: Strategy = first_offered
    """The moves of a sensible seat, for demonstrations and tests."""
    compare: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    """Compares the hands of one JSON object by the rules: `winner`, `outcome` or `against`; None: no hands compare."""
    summary: Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]] | None = None
    """A game in one JSON object, from the `round` messages of its rounds that count; None: it has no such object."""
    points: Callable[[Layout], Mapping[str, str]] = lambda table: {}
    """Area -> its points so far, from open cards, where the game counts before the result."""
    remarks: Callable[[Mapping[str, Any]], tuple[str, ...]] = lambda message: ()
    """Remarks on a `round` message besides its outcome and its hands."""


class Game(Struct, frozen=True, eq=False, kw_only=True):
    """One game, for the shoe, the topics, the command line and backends. Values and pure functions."""

    name: str
    """The name in `[table] game`."""
    terms: type[Terms]
    """Its settings, `[game]` in the config; frozen when a shoe is opened."""
    pack: Mapping[Card, int]
    """The faces of one pack, and how often each is in it."""
    packs: range = range(1, 2)
    """How many packs a shoe may hold."""
    slots: tuple[str, ...]
    """Every slot a card may lie in: what `[lamps]` and `[presence]` may name."""
    seats: tuple[str, ...] = ()
    """Lamps of seats, where they are not slots."""
    areas: Mapping[str, tuple[str, ...]]
    """Name of a place on the table -> its slots; those of `reserves` under the name `reserve`."""
    hand: type[Struct] = Hand
    """The struct of a hand."""
    own: type[Struct] = Nothing
    """The struct of the fields of a round that only this game has."""
    shows: type[Struct] = Nothing
    """The struct of a running round beside cards, marks and hands (`Shows`)."""
    topics: tuple[Topic, ...] = ()
    """Retained topics of its own."""
    play: Play
    """Its rules."""
    money: Money = Money()
    """Its bets."""
    guest: Guest = Guest()
    """How guests' screens show it."""
    demo: Demo = Demo()
    """Its part of demonstrations and screens."""
    wrong_terms: Callable[[Any], tuple[str, ...]] = lambda terms: ()
    """Mistakes in settings that each are of the right type: a config with one is refused."""
    unusual_terms: Callable[[Any], tuple[str, ...]] = lambda terms: ()
    """What these settings, which a config may have, mean against the usual: for `shoe check`."""
    payouts: Callable[[], Payouts] = Payouts
    """What it pays, in words, imported on demand."""
    odds: Callable[[], OddsBook] | None = None
    """Its odds, imported on demand; None where it has none."""

    @property
    def dealt_from(self) -> str:
        """How many packs a shoe may hold, in words: `1`, `6 or 8`, `1 to 12`."""
        first, *more = self.packs
        return f"{first} to {self.packs[-1]}" if more and self.packs.step == 1 else " or ".join(map(str, self.packs))

    @property
    def size(self) -> int:
        """Cards in one pack."""
        return sum(self.pack.values())
