"""Begins and ends rounds and shoes: by orders, by cards, by NEXT, and by the cut card."""

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from typing import Final, Literal

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from firmware_bridge import __version__
from firmware_bridge.facts import events
from firmware_bridge.facts.book.refusals import Phrase, Refused, phrase
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.house import House
from firmware_bridge.facts.inputs import CardRead, CardUnread, Ordered, Pressed
from firmware_bridge.facts.orders import Pack
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import cut_place, size_of, terms_of, with_decks
from firmware_bridge.shoe import state
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.evolve import evolve
from firmware_bridge.shoe.handlers.card_checks import is_of_this_shoe
from firmware_bridge.shoe.handlers.closing import OUTLIVE_A_SHOE, closed_round, dealt_in, played
from firmware_bridge.shoe.handlers.disclosure import revealed, waits_for_reveal
from firmware_bridge.shoe.handlers.shuffle import patterns
from firmware_bridge.shoe.policy import policy_of
from firmware_bridge.shoe.round import layout, opens_itself, phase, rules, start
from firmware_bridge.shoe.state import Phase, Shoe

SENSOR: Final = "cut_card"
"""The name of the cut card's sensor among those that are stuck."""

PACKS_IN_A_JOURNAL: Final = 256
"""The most shoes in one journal, in games where a pack lasts one round."""

DAY_MS: Final = 86_400_000

SAME_PRESS_MS: Final = 2_000
"""After NEXT closed a pack's last round, how long a further press counts as the same one: the old cards still lie."""

OUTLIVE_A_ROUND: Final = (*OUTLIVE_A_SHOE, "cut_card_early", "cut_card_missing", "lid_opened", "unshuffled")
"""Irregularities that a void does not close: of devices, and of the whole shoe."""

_NOTHING: Final[dict[events.Unit, events.Net]] = {"stake": 0, "money": "0"}
"""The net of each bet of a voided round, in the type that the unit has."""


def open_shoe(draft: Draft, pack: Pack, nonce: str, dealer: str = "", confirmed_by: str = "") -> None:
    """Open a shoe under the settings now configured, with a new journal unless packs last one round.

    nonce: random hex digits; the first 12 are published, in the journal's name.
    """
    before = draft.shoe
    house = before.device.next_house
    house = house if pack.decks is None else with_decks(house, pack.decks)
    number = before.number + 1
    journal = _journal(before, house, draft.at, nonce)
    is_asked_for = before.device.dealer_change and dealer in ("", before.dealer)
    taken = replace(before.device, dealer_change=is_asked_for, lent="", turn=before.turn, closed=UNSET)
    draft.add(
        events.ShoeOpened(
            number=number,
            journal=journal,
            house=house,
            policy=policy_of(house.policy, GAMES[house.game]),
            version=__version__,
            digest=_digest(house),
            pack=Pack(pack.lot, house.decks, pack.left),
            dealer=dealer or before.dealer,
            confirmed_by=confirmed_by,
            device=None if journal == before.journal else taken,
        )
    )
    if before.device.lid_open:
        draft.open_irregularity("lid_opened", shoe=number)
    if draft.shoe.burn_left == 0 and house.betting == "required":
        draft.add(events.BetsOpened(round=1))


def _journal(before: Shoe, house: House, at: int, nonce: str) -> str:
    """Return the journal of the next shoe, opened at wall time `at` (ms): a new one, or the one of a pack before."""
    is_same_game = before.packs > 0 and before.house.game == house.game
    is_day_over = not 0 <= at - before.begun < DAY_MS
    is_short = GAMES[house.game].play.one_round_packs
    if is_short and is_same_game and before.packs < PACKS_IN_A_JOURNAL and not is_day_over:
        return before.journal
    number = before.journal.partition("-")[0]
    return f"{int(number) + 1 if number.isdecimal() else before.number + 1}-{nonce[:12]}"


def _digest(house: House) -> str:
    """Return hex SHA-256 of the settings, the published rows of the policy, and the software version."""
    return sha256(msgspec.json.encode((house, policy_of(house.policy, GAMES[house.game]), __version__))).hexdigest()


def publish_happened(draft: Draft) -> None:
    """Publish the words of `did` that are not published yet."""
    if draft.shoe.status != "open" or phase(draft.shoe) in (Phase.BURNING, Phase.BETTING):
        return  # it depends on bets that are not closed yet
    did = layout(draft.shoe).did
    if news := did[draft.published :]:
        draft.add(events.Happened(round=draft.shoe.round, did=news))
    draft.published = len(did)


def reveal_carried(draft: Draft) -> None:
    """Name the cards that opened this round, after the close of betting; sealed ones stay sealed."""
    moves = draft.shoe.laid
    if not any(not laid.shown and not laid.drawn for laid in moves):
        return
    if draft.shoe.house.disclose == "sealed":
        draft.close_irregularity("overdrawn", "kept")
        return
    placed = layout(draft.shoe).placed
    for laid, each in zip(moves, placed, strict=False):  # a round that cannot go on has placed fewer
        if not laid.shown and not laid.drawn and each.plays is not None and not each.down:
            draft.add(revealed(laid, draft.shoe.round, each.slot))
    draft.close_irregularity("overdrawn", "kept")


def close_round(draft: Draft) -> None:
    """Close the complete round: publish it, keep carried cards, and end the shoe if it was the last."""
    closed = closed_round(draft.shoe, **dealt_in(draft))
    publish_happened(draft)
    draft.add(closed)
    _watch_shuffle(draft, len(closed.cards))
    _after_round(draft)


def close_complete(draft: Draft) -> bool:
    """Close the complete round where rounds close by themselves; return True if it did."""
    shoe = draft.shoe
    is_complete = phase(shoe) is Phase.COMPLETE and state.blockers(shoe) in ((), ("reader_lost",))
    if shoe.house.close != "auto" or not is_complete:
        return False
    close_round(draft)
    return True


def _watch_shuffle(draft: Draft, new: int) -> None:
    """Check the cards played so far, in the order drawn, for patterns; none of them is sealed."""
    for pattern in patterns(draft.shoe.played, new):
        if not pattern.is_alarm:
            draft.add(events.Noted(code="pattern", values={"pattern": pattern.name, "cards": pattern.length}))
        else:
            draft.open_irregularity("unshuffled", pattern=pattern.name, cards=pattern.length)


def void_round(draft: Draft, why: Reason, by: str, ends: Phrase | None = None, second: str = "") -> None:
    """Void the round; its cards are discarded and counted. why: a row of `endings.REASONS`.

    ends: how the shoe ends with it, None if it goes on.
    """
    typed = str(why.values.get("says", ""))
    undecided = discard_held(draft)
    publish_happened(draft)
    shoe, money = draft.shoe, rules(draft.shoe).money
    is_disputed = phase(shoe) in (Phase.DEALING, Phase.COMPLETE)  # before, a result is about the last round
    draft.add(
        events.RoundVoided(
            game=shoe.house.game,
            round=shoe.round,
            cards=played(shoe, [each.slot for each in layout(shoe).placed]),
            unit=money.unit,
            stakes={bet: (put, _NOTHING[money.unit]) for bet, put in money.staked(layout(shoe), start(shoe)).items()},
            moved=money.moved(layout(shoe)) or UNSET,
            why=(typed,) if typed else (),
            reasons=(why,),
            by=by,
            last=bool(ends) or state.is_last(shoe),
            prev=shoe.device.prev,
            second=second or UNSET,
            **dealt_in(draft),
        )
    )
    for settled in draft.shoe.device.irregular:
        if settled.id not in OUTLIVE_A_ROUND and (is_disputed or settled.id != "result_mismatch"):
            draft.close_irregularity(settled.id, "void", by)
    if ends:
        end_shoe(draft, ends, typed)
        return
    if undecided:
        draft.add(undecided)
    _after_round(draft, bets_were_open=shoe.betting)


def discard_held(draft: Draft) -> events.CutCardHeld | None:
    """Discard held cards; one that is not of this shoe leaves the count too.

    Return the cut card that the pit has not decided about yet: it waits on, if the shoe goes on.
    """
    undecided = None
    while draft.shoe.held:
        match draft.shoe.held[0]:
            case state.HeldCut() as cut if state.is_open(draft.shoe, "cut_card_early"):
                undecided = events.CutCardHeld(by=cut.by, last_round=cut.last_round or _last_round(draft.shoe))
                draft.add(events.Noted(code="cut_waits", held=True))
            case state.HeldCut() as cut:
                meet_cut_card(draft, cut.by, cut)
            case state.HeldResult():
                draft.add(events.Noted(code="result_discarded", held=True))
            case state.HeldCard() as card:
                discard(draft, card)
    return undecided


def discard(draft: Draft, card: state.HeldCard) -> None:
    """Discard the oldest held card: it counts, unless it is not of this shoe or may be the card before."""
    commit, secret = draft.seal(card.card, card.nonce)
    why: Literal["void", "removed", "read again"] = "void" if is_of_this_shoe(draft.shoe, card) else "removed"
    why = "read again" if card.is_doubtful else why
    draft.add(events.CardSetAside(commit=commit, secret=secret, held=True, why=why, serial=card.serial))


def _after_round(draft: Draft, bets_were_open: bool = False) -> None:
    """End the shoe, or open betting: purses of a whole pack are awaited again where they were when it was voided."""
    shoe = draft.shoe
    draft.published = 0
    if ending := _ends(shoe):
        end_shoe(draft, ending)
    elif shoe.house.betting == "required" and (bets_were_open or rules(shoe).money.stakes_per == "round"):
        draft.add(events.BetsOpened(round=shoe.round))


def _ends(shoe: Shoe) -> Phrase | None:
    """Return how the shoe ends before its next round, None if it goes on."""
    if shoe.last_round is not None and shoe.round > shoe.last_round:
        return phrase("last_round")
    if rules(shoe).play.ends(terms_of(shoe.house), start(shoe)):
        return phrase("pack_over" if rules(shoe).play.one_round_packs else "few_cards")
    return phrase("shoe_empty") if state.is_exhausted(shoe) else None


@lru_cache(state.KEPT)
def is_pack_over(shoe: Shoe) -> bool:
    """Return whether a pack of one game is over, and none of its cards is played; its last round may still be open."""
    now = phase(shoe)
    if not rules(shoe).play.one_round_packs or now not in (Phase.COMPLETE, Phase.ENDED):
        return False
    return now is Phase.ENDED or bool(_ends(evolve(shoe, closed_round(shoe))))


def run_out(draft: Draft) -> None:
    """Void a round that needs a card when none is left, and end the shoe."""
    draft.open_irregularity("shoe_empty", round=draft.shoe.round)
    void_round(draft, Reason("shoe_empty", {}), "shoe")


def end_shoe(draft: Draft, ending: Phrase, typed: str = "") -> None:
    """End the shoe; its sealed cards are disclosed. ending: a row of `endings.SHOES`. typed: what a person wrote."""
    discard_held(draft)
    if draft.shoe.status != "open":
        return  # the cut card was among what was held, and its round is over
    draft.add(events.ShoeEnded(code=ending.code, values=ending.values, why=typed, rounds=draft.shoe.round - 1))
    for laid in draft.shoe.aside:
        if laid.card is not None:
            draft.add(revealed(laid))
    for each in draft.shoe.device.irregular:
        if each.id not in OUTLIVE_A_SHOE:
            draft.close_irregularity(each.id, "shoe_ended")


def cards_open(house: House) -> bool:
    """Return whether the next shoe's first card opens it; never in games with a pack each: it may be the old pack's."""
    return house.new_shoe == "auto" and not GAMES[house.game].play.one_round_packs


def open_with_card(draft: Draft, fact: CardRead | CardUnread) -> None:
    """Open the next shoe with the first card after the end, where the house sets this."""
    house = draft.shoe.device.next_house
    if draft.shoe.status != "open" and cards_open(house) and not house.confirm_shuffle:
        open_shoe(draft, Pack(), _public(fact.nonce))


def _public(nonce: str) -> str:
    """Return hex digits that may be published, from the nonce of a card, which stays secret while the card is sealed.

    A hash is as unique, and known before the card as the nonce is. The salt would be an independent draw, but it is the
    secret of the line's sealed part.
    """
    return sha256(f"journal:{nonce}".encode("ascii")).hexdigest()


def next_opens(shoe: Shoe) -> bool:
    """Return whether the dealer's NEXT opens the next pack."""
    return opens_itself(shoe, confirmed=True) and not shoe.device.lent


def waits_for_next(shoe: Shoe) -> bool:
    """Return whether only the dealer's NEXT opens the next pack: it confirms the shuffle."""
    return next_opens(shoe) and not opens_itself(shoe)


def open_with_next(draft: Draft, fact: Ordered | Pressed) -> None:
    """Open the next pack; where the house asks for it, NEXT confirms that it is shuffled, and lies in the shoe.

    Raises Refused for a second press right after the one that ended the pack before.
    """
    if is_same_press(draft.shoe, draft.mono):
        raise Refused("same_press", seconds=SAME_PRESS_MS // 1000)
    by = fact.by if isinstance(fact, Ordered) else "dealer"
    open_shoe(draft, Pack(), fact.nonce, confirmed_by=by if draft.shoe.device.next_house.confirm_shuffle else "")


def is_same_press(shoe: Shoe, mono: int) -> bool:
    """Return whether a NEXT at monotonic time `mono` is too soon after the one that ended the pack to open the next."""
    return shoe.ended_by_next is not None and 0 <= mono - shoe.ended_by_next < SAME_PRESS_MS


def opening(handler: Callable[..., str | None], while_betting: Callable[..., str | None]) -> Callable[..., str | None]:
    """Return the handler of an order that opens the next pack; if the order is refused there, no pack is opened.

    It is `handler`, or `while_betting` where bets are open in a new shoe.
    """

    def open_for(draft: Draft, fact: Ordered, order: object) -> str | None:
        trial = Draft(draft.shoe, draft.at, draft.mono, draft.utc_offset)
        open_shoe(trial, Pack(), fact.nonce)
        remark = (while_betting if trial.shoe.betting else handler)(trial, fact, order)
        draft.events += trial.events
        draft.shoe, draft.published = trial.shoe, trial.published
        return remark

    return open_for


def is_early(shoe: Shoe) -> bool:
    """Return whether a cut card that comes now is too far from the end to be believed; not one that was seen before."""
    limit = shoe.house.cut_earliest
    is_first = shoe.last_round is None and state.waiting_cut(shoe) is None
    return limit is not None and is_first and state.cards_left(shoe) > limit


def doubt_cut_card(draft: Draft, by: events.CutBy) -> None:
    """Hold an early cut card, and all cards behind it, until the pit has looked: a magnet, or paper, can be one."""
    left, limit = state.cards_left(draft.shoe), draft.shoe.house.cut_earliest or 0
    is_placed = not draft.shoe.held and not waits_for_reveal(draft.shoe)
    draft.add(events.CutCardHeld(by=by, last_round=_last_round(draft.shoe) if is_placed else None))
    draft.open_irregularity("cut_card_early", by=by, left=left, earliest=limit)


def meet_cut_card(draft: Draft, by: events.CutBy, held: state.HeldCut | None = None) -> None:
    """Make the round in progress the last, or between rounds the next one (irregularities.md).

    held: the cut card, if it waited. Where its round was voided before the pit decided, the shoe ends.
    """
    shoe = draft.shoe
    last = (held.last_round if held else None) or _last_round(shoe)
    if phase(shoe) is Phase.DEALING and shoe.last_round is None and last == _last_round(shoe):
        draft.note("cut_card_mid_round", by=by, round=shoe.round)
        shoe = draft.shoe
    if shoe.last_round is not None:
        if by != "virtual":
            draft.close_irregularity("cut_card_missing", "seen")
        again = events.Noted(code="cut_again", values={"by": by, "round": shoe.last_round}, held=held is not None)
        draft.add(again)
        return
    draft.add(events.CutCardMet(by=by, last_round=last, held=held is not None))
    doubt_sensor(draft)
    if last < shoe.round:
        end_shoe(draft, phrase("last_round"))


def _last_round(shoe: Shoe) -> int:
    """Return the last round of a shoe in which the cut card comes now."""
    return shoe.round + (phase(shoe) is Phase.COMPLETE) + (shoe.house.after_cut == "one-more")


def doubt_sensor(draft: Draft) -> None:
    """Open `cut_card_missing` for a stuck sensor that made a round the last: was it dirt? The pit decides."""
    if draft.shoe.status == "open" and draft.shoe.cut_by == "sensor" and SENSOR in state.stuck(draft.shoe):
        draft.open_irregularity("cut_card_missing", why=phrase("cut_sensor_stuck"))


def watch_virtual_cut(draft: Draft) -> None:
    """Meet the virtual cut card if no cut card came at the place where it must have come.

    A stuck sensor may hide the cut card: then its usual place counts, whatever the house sets.
    """
    shoe = draft.shoe
    limit = shoe.house.virtual_cut or (cut_place(shoe.house.game) if is_blind(shoe) else None)
    if limit is None or shoe.last_round is not None or not shoe.cut_watched:
        return
    drawn = len(shoe.seen) + shoe.unknown
    if drawn >= size_of(shoe.house) - limit:
        meet_cut_card(draft, "virtual")
        draft.open_irregularity("cut_card_missing", drawn=drawn)


def is_blind(shoe: Shoe) -> bool:
    """Return whether a stuck sensor may hide the cut card; a stuck key does not."""
    return any(name not in ("next", "reveal", "unmark", *rules(shoe).play.keys) for name in state.stuck(shoe))
