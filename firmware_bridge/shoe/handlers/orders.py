"""Handles orders and keys of dealer, pit and guests: each acts, or is refused with a reason."""

from firmware_bridge.facts import events, orders
from firmware_bridge.facts.book import standing as when
from firmware_bridge.facts.book.refusals import Phrase, Refused, Value, phrase
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.inputs import Ordered, Pressed
from firmware_bridge.facts.names import as_seen, one_person
from firmware_bridge.games import GAMES
from firmware_bridge.shoe import state
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.handlers import rounds
from firmware_bridge.shoe.handlers.closing import changes_nothing, corrected_round
from firmware_bridge.shoe.handlers.dealing import place
from firmware_bridge.shoe.handlers.disclosure import reveal
from firmware_bridge.shoe.handlers.pit import two_people
from firmware_bridge.shoe.handlers.read_again import say_same
from firmware_bridge.shoe.round import copies, due, layout, phase, rules, unread_needed
from firmware_bridge.shoe.standing import refusal_of, refuse
from firmware_bridge.shoe.state import Phase


def order_shoe(draft: Draft, fact: Ordered, order: orders.OpenShoe) -> None:
    """Open a shoe, where the house wants it confirmed by the pit boss."""
    if draft.shoe.device.next_house.confirm_shuffle and not order.confirmed_by.strip():
        raise Refused("shuffle_unconfirmed")
    game = GAMES[draft.shoe.device.next_house.game]
    if order.pack.decks is not None and order.pack.decks not in game.packs:
        raise Refused("wrong_decks", count=order.pack.decks, fit=_fitting(game.packs))
    refuse(draft.shoe, when.READER_HERE)
    rounds.open_shoe(draft, order.pack, fact.nonce, order.dealer, order.confirmed_by)


def _fitting(packs: range) -> Phrase:
    """Return how many decks a shoe may hold."""
    if len(packs) == 1:
        return phrase("use_deck", decks=packs[0])
    if packs.step == 1:
        return phrase("from_to_decks", least=packs[0], most=packs[-1])
    return phrase("use_decks", decks=tuple(map(str, packs)))


def close_shoe(draft: Draft, fact: Ordered, order: orders.CloseShoe) -> None:
    """End the shoe between rounds."""
    rounds.end_shoe(draft, phrase("closed", by=fact.by), order.why)


def close_table(draft: Draft, fact: Ordered, order: orders.CloseTable) -> None:
    """Close the table between two shoes, until the next one is opened."""
    draft.add(events.TableClosed(by=fact.by, why=order.why))


def void(draft: Draft, fact: Ordered, order: orders.Void) -> None:
    """Void the open round."""
    two_people(draft.shoe, fact, order.second, "void")
    rounds.void_round(draft, Reason("floor", {"says": order.why, "by": fact.by}), fact.by, second=order.second)


def enter(draft: Draft, fact: Ordered, order: orders.Enter) -> None:
    """Enter a card that two people name: the unread one, or one drawn while the reader is away.

    Raises Refused for a face of which every copy lies open. Sealed copies are not counted: else an entry could find
    out which they are.
    """
    if not as_seen(order.second) or one_person(order.second, fact.by):
        raise Refused("same_person_enters")
    shoe = draft.shoe
    refuse(shoe, when.CARD_TO_ENTER)
    commit, secret = draft.seal(order.card, fact.nonce)
    entered = events.CardEntered(commit=commit, secret=secret, held=bool(shoe.held), by=fact.by, second=order.second)
    first = state.oldest_held(shoe)
    if (n := unread_needed(shoe)) is not None and state.is_open(shoe, "unreadable"):
        if state.disclosed(shoe).count(order.card) >= copies(shoe, order.card):
            raise Refused("no_more_of_card")
        _look_at(draft, n, entered)
    elif state.is_open(shoe, "unreadable") and first and first.card is None:
        draft.add(entered)
        draft.close_irregularity("unreadable", "entered", fact.by)
    else:
        draft.add(entered)
        place(draft, state.HeldCard(order.card, fact.nonce, manual=True), held=False)


def _look_at(draft: Draft, n: int, entered: events.CardEntered) -> None:
    """Enter card `n` of the round, which two people have looked at, away from the table."""
    laid, placed = draft.shoe.laid[n], layout(draft.shoe).placed[n]
    draft.add(
        events.CardLookedAt(
            commit=entered.commit,
            secret=entered.secret,
            round=draft.shoe.round,
            slot=placed.slot,
            seq=laid.seq,
            n=laid.n,
            by=entered.by,
            second=entered.second,
        )
    )
    draft.close_irregularity("unreadable", "entered", entered.by)


def press_next(draft: Draft, fact: Ordered | Pressed, order: orders.Next | None = None) -> None:
    """Handle NEXT in its six meanings (irregularities.md)."""
    shoe = draft.shoe
    if refusal := refusal_of(shoe, when.NEXT):
        _report_missing(draft, refusal.code)
        raise refusal
    by = fact.by if isinstance(fact, Ordered) else "dealer"
    waiting = [each.id for each in shoe.device.irregular if state.row(shoe, each.id).confirm]
    if state.is_open(shoe, "read_again") and not state.is_open(shoe, "reader_lost"):
        say_same(draft, by)
    elif waiting and not state.is_open(shoe, "reader_lost"):
        for each in waiting:
            draft.close_irregularity(each, "confirm", by)
    elif rounds.next_opens(shoe):
        rounds.open_with_next(draft, fact)
    else:
        rounds.close_round(draft)


def _report_missing(draft: Draft, code: str) -> None:
    """Report the cards that are missing where NEXT came too early, in the burn or in a round."""
    left, slot = draft.shoe.burn_left, due(draft.shoe) if code == "slot_due" else None
    if code == "burn_unfinished":
        missing: dict[str, Value] = {"why": phrase("burn_first_hidden")} if left is None else {"missing": left}
        draft.open_irregularity("burn_short", **missing)
    elif slot and rules(draft.shoe).play.has_third:
        draft.open_irregularity("missing_third", slot=slot)


def press_result(draft: Draft, fact: Pressed) -> None:
    """Compare the dealer's result key with the result of the complete round, or else of the last one closed."""
    shoe = draft.shoe
    now = phase(shoe)
    if fact.key not in rules(shoe).play.keys:
        raise Refused("no_such_key", game=shoe.house.game, key=fact.key)
    if refusal := refusal_of(shoe, when.ROUND_OVER):
        _report_missing(draft, refusal.code)
        raise refusal
    result = layout(shoe).result if now is Phase.COMPLETE else None
    ours = result.outcome if result else shoe.rounds[-1].outcome if shoe.rounds else None
    if ours is None:
        raise Refused("no_result")
    if fact.key == ours:
        draft.add(events.Noted(code="result_agrees", values={"by": "dealer", "outcome": ours}))
    else:
        draft.open_irregularity("result_mismatch", "dealer", said=fact.key, cards=ours)


def correct(draft: Draft, fact: Ordered, order: orders.Correct) -> None:
    """Correct the cards of a closed round: a revision with its new result is published."""
    past = next((each for each in draft.shoe.rounds if each.round == order.round), None)
    if past is None or past.outcome is None:
        code = "round_voided" if past else "round_not_closed"
        raise Refused(code, round=order.round, why=_uncorrected(draft, order, past))
    two_people(draft.shoe, fact, order.second, "correct")
    corrected = corrected_round(draft.shoe, past, order, fact.by)
    if changes_nothing(past, corrected):
        raise Refused("changes_nothing", round=order.round)
    draft.add(corrected)


def _uncorrected(draft: Draft, order: orders.Correct, past: state.PastRound | None) -> Phrase:
    """Return the reason for a round that cannot be corrected: it may be one of the shoe before."""
    is_open_now = order.round == draft.shoe.round and (draft.shoe.laid or draft.shoe.held or draft.shoe.replies)
    if past or is_open_now or draft.shoe.number == 1:
        return phrase("only_closed")
    return phrase("shoe_before")


def reveal_order(draft: Draft, fact: Ordered, order: orders.Reveal) -> None:
    """Open sealed cards by order."""
    reveal(draft, order.slots)


def press_reveal(draft: Draft, fact: Ordered | Pressed) -> None:
    """Handle the REVEAL key: open the next step of the ceremony."""
    reveal(draft)


def fly(draft: Draft, fact: Ordered, order: orders.Fly) -> None:
    """Start a round without a bet, opened at once."""
    shoe = draft.shoe
    draft.add(events.Flown(round=shoe.round, in_a_row=shoe.device.flown + 1))
    if phase(shoe) is Phase.BETTING:
        draft.add(events.BetsClosed(round=shoe.round))
        rounds.reveal_carried(draft)
        if not state.row(draft.shoe, "drawn_before_bets_closed").blocks:
            draft.close_irregularity("drawn_before_bets_closed", "kept")


def request_shoe_change(draft: Draft, fact: Ordered, order: orders.RequestShoeChange) -> None:
    """Request another shoe."""
    draft.add(events.ShoeChangeRequested(until=draft.mono + draft.shoe.house.shoe_change_minutes * 60_000))


def request_dealer_change(draft: Draft, fact: Ordered, order: orders.RequestDealerChange) -> None:
    """Request another dealer; the present one goes on until relieved."""
    draft.add(events.DealerChangeRequested())


def dealer_in(draft: Draft, fact: Ordered, order: orders.DealerIn) -> None:
    """Sign a dealer in."""
    if not order.dealer.strip():
        raise Refused("dealer_missing")
    draft.add(events.DealerSignedIn(dealer=order.dealer))
