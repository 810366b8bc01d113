"""The retained state topics `table`, `lamps`, `alarm`, and a game's own: conflated, the latest wins."""

from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, Struct

from firmware_bridge.facts.decoding import own_json
from firmware_bridge.facts.events import Irregular
from firmware_bridge.facts.house import Row
from firmware_bridge.facts.wire_states import Alarm, Alarms, Lamps, Slot, Table
from firmware_bridge.games import GAMES
from firmware_bridge.games.acts import collected, peeked
from firmware_bridge.games.game import Topic
from firmware_bridge.games.house import terms_of
from firmware_bridge.games.layout import Layout, Placed
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.prompts import MarkDue
from firmware_bridge.shoe.expected import expected, pays
from firmware_bridge.shoe.handlers.rounds import is_blind, is_pack_over
from firmware_bridge.shoe.round import coming, due, layout, opens_itself, phase, rules
from firmware_bridge.shoe.standing import decisions_refused, refused, settings
from firmware_bridge.shoe.state import (
    IN_PLAY,
    PastRound,
    Phase,
    Shoe,
    cards_left,
    held_cards,
    is_card_out,
    is_last,
    is_open,
    row,
)
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.offers import offered
from firmware_bridge.topics.texts.alarms import worded


def snapshots(
    shoe: Shoe, shown: Lamps | None = None, raised: Alarms | None = None, own: "OwnTopics | None" = None
) -> dict[str, Any]:
    """Return topic -> its present content (an encodable value without the head).

    shown, raised: lamps and alarms of the table, where they differ from those of the shoe. own: keeps the game's own
    topics from call to call.
    """
    return {
        "table": table(shoe),
        **(own or OwnTopics()).of(shoe),
        "lamps": shown or lamps(shoe),
        "alarm": worded(raised or Alarms(alarms(shoe)), shoe.house.policy),
    }


def table(shoe: Shoe) -> Table:
    """Return the public state of the table (shoe/state.py)."""
    now = phase(shoe)
    guided = now in IN_PLAY
    is_in_use, house = shoe.status == "open", settings(shoe)
    return Table(
        game=shoe.house.game,
        phase=now.value,
        round=coming(shoe).round,
        last=is_in_use and is_last(shoe),
        slots=_slots(shoe),
        due=due(shoe) if guided else None,
        closed_bets=rules(shoe).money.closed_bets(_bet_on_next(shoe)) if is_in_use else (),
        cards_left=max(cards_left(shoe), 0) if is_in_use or is_pack_over(shoe) else None,
        burn_left=shoe.burn_left if now is Phase.BURNING else 0,
        shoe_change=_shoe_change(shoe),
        dealer=shoe.dealer,
        dealer_change=shoe.device.dealer_change,
        flown=shoe.device.flown,
        held=len(shoe.held),
        open=tuple([each.id for each in shoe.device.irregular]),
        limits=house.limits,
        settings=house,
        expected=tuple([each.act for each in expected(shoe)]),
        pays=pays(shoe),
        beside=len(held_cards(shoe)) + len(shoe.overdrawn),
        closed=shoe.device.closed is True,
        orders=refused(shoe),
        **_asked(coming(shoe)),
    )


def _shoe_change(shoe: Shoe) -> str | None:
    """Return the state of a shoe change; None for a pack that is followed by the next one automatically."""
    if opens_itself(shoe):
        return None
    return "due" if shoe.status == "ended" and shoe.change != "overdue" else shoe.change


def _asked(shoe: Shoe) -> dict[str, Any]:
    """Return the questions to the seats, in a game with marks: of the next pack too, where the first mark opens it."""
    if not rules(shoe).play.words:
        return {}
    is_running = phase(shoe) in (Phase.READY, Phase.DEALING, Phase.COMPLETE)
    now = layout(shoe) if is_running else Layout()
    act, anytime = (now.due.act, now.due.anytime) if isinstance(now.due, MarkDue) else ({}, {})
    shows = {"shows": msgspec.to_builtins(now.shows)} if now.shows else {}
    answer = peeked(now.did)
    return {
        "turn": shoe.turn,
        "hands": _hands_of(now),
        "act": offered(act),
        "anytime": offered(anytime),
        "asked_hand": next(iter(act)) if len(act) == 1 and LOT not in act else None,
        **shows,
        **({} if now.playing is None else {"playing": now.playing, "looked": now.looked}),
        "collected": collected(now.did[: shoe.acted]),
        **({"peeked": answer} if answer else {}),
    }


def _hands_of(table: Layout) -> dict[str, tuple[str | None, ...]]:
    """Return slot -> the cards played there, in order; None for one that is face down."""
    hands: dict[str, tuple[str | None, ...]] = {}
    for each in table.placed:
        slot = each.plays or each.slot
        hands[slot] = (*hands.get(slot, ()), _named(table, each))
    return hands


def _named(table: Layout, each: Placed) -> str | None:
    """Return the face of a card that screens may show; None for one face down, or of a hand that stays hidden."""
    slot = each.plays or each.slot
    is_shown = table.result is None or table.result.shown is None or slot in table.result.shown
    return each.card.value if each.card and is_shown else None


def _bet_on_next(shoe: Shoe) -> int:
    """Return the number of the next round open to bets: the following one, once a card of this one is drawn."""
    now = phase(shoe)
    return shoe.round + (now in (Phase.DEALING, Phase.COMPLETE) or (now is Phase.READY and is_card_out(shoe)))


def _slots(shoe: Shoe) -> tuple[Slot, ...]:
    if not shoe.laid:
        return ()
    table = layout(shoe)
    return tuple([Slot(each.slot, _named(table, each) or UNSET) for each in table.placed])


class Ended(Struct, frozen=True):
    """The summary of a round of this shoe; `points`: text for each hand, `cards`: (slot, card)."""

    round: int
    outcome: str | None
    points: dict[str, str]
    revision: int
    cards: tuple[tuple[str, str], ...] = ()
    carried: int = 0
    last: bool = False
    flags: tuple[str, ...] = ()
    own: dict[str, Any] = {}


def last_rounds(shoe: Shoe, count: int = 8) -> tuple[Ended, ...]:
    """Return the newest rounds of this shoe, oldest first; voided ones have no outcome."""
    return tuple(
        Ended(
            round=past.round,
            outcome=past.outcome,
            points={name: hand.points for name, hand in _hands(past.hands).items()},
            revision=past.revision,
            cards=tuple([(each.slot, each.card.value) for each in past.cards]),
            carried=past.carried,
            last=past.last,
            flags=past.flags,
            own=_own(past.own),
        )
        for past in shoe.rounds[-count:]
    )


class _Hand(Struct):
    """The keys of every hand in every game."""

    points: str


_hands = own_json(dict[str, _Hand])
_own = own_json(dict[str, Any])


def alarms(shoe: Shoe) -> tuple[Alarm, ...]:
    """Return the open irregularities."""
    return tuple([_alarm(shoe, each, row(shoe, each.id)) for each in shoe.device.irregular])


def _alarm(shoe: Shoe, each: Irregular, policy: Row) -> Alarm:
    leased = {"to": shoe.device.lent} if each.id == "reader_lost" and shoe.device.lent else {}
    values, choices = {**each.values, **leased}, policy.choices
    not_now = decisions_refused(shoe, each.id, choices)
    return Alarm(
        each.id, each.since, policy.severity, policy.blocks, choices, of=each.of, values=values, refused=not_now
    )


def mode(shoe: Shoe, observing: bool = False, no_journal: bool = False) -> str:
    """Return the mode of operation (irregularities.md, degraded modes): of several modes, the most restricted."""
    if no_journal:
        return "NO_JOURNAL"
    if observing:
        return "OBSERVE"
    if shoe.device.entered:
        return "MANUAL_ENTRY"
    if is_open(shoe, "cut_card_missing") or is_blind(shoe):
        return "VIRTUAL_CUT"
    return "NO_BROKER" if is_open(shoe, "broker_lost") else "FULL"


class _Built(NamedTuple):
    """Cached topic content, and the rounds that it was built from."""

    terms: Any
    rounds: tuple[PastRound, ...]
    built: Any
    shown: Any


class OwnTopics:
    """The game's own topics of one table, updated by new rounds; unchanged content is the same object."""

    def __init__(self) -> None:
        self._last: dict[Topic, _Built] = {}

    def of(self, shoe: Shoe) -> dict[str, Any]:
        """Return topic -> its present content; emptied by a new shoe; before the first, of the next shoe's game."""
        house = shoe.device.next_house if shoe.status == "empty" else shoe.house
        return {topic.name: self._shown(topic, terms_of(house), shoe.rounds) for topic in GAMES[house.game].topics}

    def _shown(self, topic: Topic, terms: Any, rounds: tuple[PastRound, ...]) -> Any:
        last = self._last.pop(topic, None)  # what was built may change now
        if last is None or last.terms != terms or last.rounds != rounds:
            built = _extended(topic, terms, rounds, last)
            last = _Built(terms, rounds, built, topic.show(built))
        self._last[topic] = last
        return last.shown


def _extended(topic: Topic, terms: Any, rounds: tuple[PastRound, ...], last: _Built | None) -> Any:
    """Return the content built from these rounds: from the cache and new rounds, or from the start if corrected."""
    if last and last.terms == terms and rounds[: len(last.rounds)] == last.rounds:
        built, done = last.built, len(last.rounds)
    else:
        built, done = topic.empty(terms), 0
    for round in rounds[done:]:
        built = topic.grow(built, round) if round.outcome else built
    return built
