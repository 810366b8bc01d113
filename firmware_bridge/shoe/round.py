"""The round on the table by the script of its game: what is due, and the phase of the shoe."""

from functools import lru_cache

from firmware_bridge.facts.book.refusals import Phrase, phrase
from firmware_bridge.facts.cards import Card
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game, Layout, Start
from firmware_bridge.games.house import terms_of
from firmware_bridge.games.machine import layout as run
from firmware_bridge.games.moves import Dealt, Move
from firmware_bridge.games.prompts import CardDue, Due, MarkDue, OpeningDue, Question
from firmware_bridge.shoe.state import KEPT, Phase, Shoe, left_before


def rules(shoe: Shoe) -> Game:
    """Return the game of the shoe."""
    return GAMES[shoe.house.game]


def copies(shoe: Shoe, card: Card) -> int:
    """Return how many cards of this face the packs hold."""
    return shoe.house.decks * rules(shoe).pack.get(card, 0)


def moves(shoe: Shoe) -> tuple[Move, ...]:
    """Return the moves of this round, in order; the face of a card only if it is open."""
    dealt = [Dealt(laid.card if laid.shown else None) for laid in shoe.laid]
    if not shoe.replies:
        return tuple(dealt)
    placed = [((laid.seq, laid.n), move) for laid, move in zip(shoe.laid, dealt, strict=True)]
    replies = [((each.seq, each.n), each.move) for each in shoe.replies]
    return tuple([move for _, move in sorted([*placed, *replies], key=lambda each: each[0])])


def start(shoe: Shoe) -> Start:
    """Return the state this round begins with."""
    sealed = shoe.house.disclose == "sealed"
    return Start(shoe.bets, shoe.money, shoe.rounds, shoe.house.decks, left_before(shoe), sealed)


def opens_itself(shoe: Shoe, confirmed: bool = False) -> bool:
    """Return whether the next pack opens with its first mark or purse. confirmed: its shuffle is confirmed."""
    house = shoe.device.next_house
    if shoe.status == "open" or house.new_shoe != "auto" or not GAMES[house.game].play.one_round_packs:
        return False
    return confirmed or not house.confirm_shuffle


def coming(shoe: Shoe) -> Shoe:
    """Return the shoe, or the next one if that opens by itself."""
    if not opens_itself(shoe):
        return shoe
    house = shoe.device.next_house
    return Shoe(
        device=shoe.device,
        house=house,
        number=shoe.number,
        status="open",
        betting=house.betting == "required",
        round=1,
        turn=shoe.turn,
    )


@lru_cache(KEPT)
def layout(shoe: Shoe) -> Layout:
    """Return the layout of this round by its game's script, from open cards only."""
    return run(rules(shoe), moves(shoe), terms_of(shoe.house), start(shoe))


def acted(before: Shoe, shoe: Shoe) -> int:
    """Return `Shoe.acted` after an entry: what was shown before it, if it moved the round; before: shoe it came to."""
    if (shoe.laid is before.laid and shoe.replies is before.replies) or moves(shoe) == moves(before):
        return shoe.acted
    now, known = layout(shoe).did, layout(before).did
    if shoe.last_mark and shoe.last_mark.taken:
        return len(now)
    return len(known) if now[: len(known)] == known else 0


def asked(shoe: Shoe) -> Due | None:
    """Return the prompt this round waits for; None when it is complete or stuck."""
    return layout(shoe).due


def asks(question: Due | None) -> tuple[Phrase, ...]:
    """Return a prompt for a seat, as phrases of a refusal."""
    match question:
        case CardDue(slot=slot):
            return (phrase("next_card_to", slot=slot),)
        case OpeningDue():
            return (phrase("open_first"),)
        case MarkDue(act=act):
            return tuple(phrase("asks", slot=slot, words=tuple(words)) for slot, words in act.items())
    return (phrase("nothing_asked"),)


def is_asked(question: Due | None) -> str:
    """Return a prompt in words for a seat."""
    match question:
        case CardDue(slot=slot):
            return f"the next card goes to {slot}"
        case OpeningDue():
            return "cards must be opened first"
        case MarkDue(act=act):
            return "; ".join(f"{slot}: {', '.join(words)}" for slot, words in act.items())
    return "no answer is needed now"


def due(shoe: Shoe) -> str | None:
    """Return the slot that the next card belongs to, None while none is due."""
    question = asked(shoe)
    return question.slot if isinstance(question, CardDue) else None


def unread_needed(shoe: Shoe) -> int | None:
    """Return the first card (from 0) dealt face down, not read, and needed now: to answer, or to be opened."""
    unread = [n for n, laid in enumerate(shoe.laid) if laid.card is None]
    question = asked(shoe) if unread else None
    if isinstance(question, Question):
        needed, only = question.of, tuple[int, ...]()
    elif isinstance(question, OpeningDue):
        needed, only = question.step, question.only
    else:
        return None
    placed = layout(shoe).placed
    meant = (n for n in unread if (not needed or (placed[n].plays or placed[n].slot) in needed))
    return next((n for n in meant if not only or n in only), None)


def is_named(shoe: Shoe, question: CardDue) -> bool:
    """Return whether the card due is named when it is drawn: it is played in this round, and nothing seals it."""
    is_sealed = question.down or (rules(shoe).play.squeezed and shoe.house.disclose == "sealed")
    return question.plays is not None and not is_sealed


@lru_cache(KEPT)
def phase(shoe: Shoe) -> Phase:
    """Return the phase of the shoe."""
    if shoe.status != "open":
        return Phase.EMPTY if shoe.status == "empty" else Phase.ENDED
    if shoe.burn_left != 0:
        return Phase.BURNING
    if shoe.betting:
        return Phase.BETTING
    if not shoe.replies and (not shoe.laid or not shoe.laid[-1].drawn):
        return Phase.READY
    return Phase.COMPLETE if layout(shoe).result else Phase.DEALING
