"""The simulated Angel Eye shoe judges by rules of its own: they are ours when it is set right, and differ when not."""

from itertools import product
from random import Random
from typing import Any

import pytest

from firmware_bridge.facts.cards import FACES, Card
from hardware.readers.angel_eye import AngelEyeDecoder
from hardware.readers.messages import CutCard, Message, Notice, Read, Unread, Verdict
from hardware.sim.angel_eye import WRONG_OPENING, AngelEyeShoe, points, right_rules, wrong_rules
from tests.kit.baccarat import layout
from tests.kit.cable import BadCable


def dealt(shoe: AngelEyeShoe, cards: list[str], cable: BadCable | None = None) -> list[Message]:
    """What a host hears while the cards are drawn."""
    decoder, cable = AngelEyeDecoder(), cable or BadCable()
    messages: list[Message] = []
    for card in cards:
        shoe.pull(card)
        messages += decoder.feed(cable.carry(shoe.tick(0)))
    return messages


def rounds(messages: list[Message]) -> list[tuple[list[Read], Verdict]]:
    """The cards of each whole round, and its verdict."""
    whole: list[tuple[list[Read], Verdict]] = []
    cards: list[Read] = []
    for message in messages:
        if isinstance(message, Read) and message.slot != "burn":
            cards.append(message)
        elif isinstance(message, Verdict):
            whole.append((cards, message))
            cards = []
    return whole


def drawn(seed: int) -> list[str]:
    """Cards of eight packs."""
    cards = 8 * [face.value for face in FACES]
    Random(seed).shuffle(cards)
    return cards


def differs(cards: list[Read], verdict: Verdict) -> bool:
    """Whether our rules say another slot or result than the shoe."""
    ours = layout(tuple(Card(str(card.code)) for card in cards), "on-demand")
    slots = list(ours.slots)
    if ours.result is None or slots != [card.slot for card in cards]:
        return True
    pairs = {"player": verdict.player_pair, "banker": verdict.banker_pair}
    return (ours.result.outcome, ours.result.pairs) != (verdict.outcome, pairs)


@pytest.mark.parametrize("seed", range(10))
def test_two_rule_books_agree(seed: int) -> None:
    played = rounds(dealt(AngelEyeShoe(), drawn(seed)))
    assert len(played) > 60
    assert not any(differs(*each) for each in played)


@pytest.mark.parametrize("wrong", [{"rules": wrong_rules}, {"opening": WRONG_OPENING}])
def test_a_shoe_set_wrong_is_caught(wrong: dict[str, Any]) -> None:
    assert any(differs(*each) for each in rounds(dealt(AngelEyeShoe(**wrong), drawn(1))))


def test_third_cards_by_every_total() -> None:
    """Against the banker's table of the printed rules."""
    draws = {3: set(range(10)) - {8}, 4: set(range(2, 8)), 5: set(range(4, 8)), 6: {6, 7}, 7: set()}
    faces = ["Ts", "As", *(f"{n}s" for n in range(2, 10))]
    for total, third in product(range(8), range(10)):
        hands = (["2h", "3h", faces[third]], ["Kd", faces[total]])
        assert points(hands[1]) == total
        assert (right_rules(hands) is not None) == (third in draws.get(total, set(range(10))))


def test_the_burn_is_as_many_as_the_first_card_says() -> None:
    reads = [m for m in dealt(AngelEyeShoe(), ["3s", "2d", "2h", "2c", "8s"]) if isinstance(m, Read)]
    assert [(m.code, m.slot) for m in reads] == [(c, "burn") for c in ("3s", "2d", "2h", "2c")] + [("8s", "P1")]


def test_the_cut_card_and_the_button() -> None:
    shoe, decoder = AngelEyeShoe(burns=False), AngelEyeDecoder()
    shoe.cut_card()
    shoe.pull("8s")
    shoe.unreadable()
    shoe.repeat()
    shoe.quit()
    messages = [*decoder.feed(shoe.tick(0))]
    assert messages == [
        Notice("the shoe starts", gap=True), CutCard(), Read("8s", slot="P1"), Unread("unreadable"), Verdict("forced"),
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(10))
def test_a_bad_cable_costs_no_card_unsaid(seed: int) -> None:
    """Some reports lose two copies of three: what is missing is said, and nothing is made up."""
    cards = Random(seed).sample([face.value for face in FACES], 52)
    shoe = AngelEyeShoe(burns=False)
    messages = dealt(shoe, cards, BadCable(seed, flipped=0.01, dropped=0.005))
    rest, warned = iter(enumerate(cards)), False
    last = -1
    for message in messages:
        warned = warned or getattr(message, "gap", False) or isinstance(message, Unread)
        if isinstance(message, Read):
            at = next(at for at, card in rest if card == message.code)
            assert at == last + 1 or warned
            last, warned = at, False
    assert last > 30
