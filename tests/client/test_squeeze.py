"""Who squeezes what: rule book section 7."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.client import Wager, squeeze
from tests.client.wagers import wagers

# accepted bets -> who squeezes the player's cards, who the banker's
LARGEST = [
    ("", "", ""),
    ("ann player 100", "ann", ""),
    ("ann banker 100", "", "ann"),
    ("ann player 100, bo banker 50", "ann", "bo"),
    ("ann player 100, bo player 200", "bo", ""),
    ("ann player 100, bo player 100", "ann", ""),
    ("bo player 100.0, ann player 100.00", "bo", ""),
    ("ann player 100, ann banker 100", "ann", ""),
    ("ann player 100, ann banker 100, bo banker 10", "ann", "bo"),
    ("ann banker 100, bo player 50, ann player 60, cy banker 20, di banker 20", "ann", "cy"),
    ("ann banker 100, ann player 10, bo player 50", "bo", "ann"),
    ("ann player 60, bo player 100, ann player 50", "ann", ""),
    ("ann player 50, bo player 100, ann player 50", "bo", ""),
    ("ann banker 60, bo banker_no_commission 50, bo banker 20", "", "bo"),
    ("ann tie 9000, bo player 1, cy player_pair 9000, di banker_dragon_bonus 9000", "bo", ""),
    ("ann player 0.1, bo player 0.10000000000000000000000000000000000000001", "bo", ""),
]

ANY = [
    ("", ""),
    ("ann tie 10", "ann"),
    ("ann player 100, bo banker 1, ann tie 5, cy wu_dalang 1", "ann bo cy"),
]


@pytest.mark.parametrize(("accepted", "player", "banker"), LARGEST)
def test_the_largest_stake_squeezes(accepted: str, player: str, banker: str) -> None:
    assert squeeze(wagers(accepted)) == (tuple(player.split()), tuple(banker.split()))


@pytest.mark.parametrize(("accepted", "who"), ANY)
def test_whoever_bets_squeezes_both(accepted: str, who: str) -> None:
    assert squeeze(wagers(accepted), "any-bettor") == (tuple(who.split()), tuple(who.split()))


accepted_bets = st.lists(
    st.builds(
        Wager,
        st.sampled_from(["ann", "bo", "cy"]),
        st.sampled_from(["player", "banker", "banker_no_commission", "tie"]),
        st.decimals("0.01", "9", places=2),
    ),
    max_size=12,
)


@given(accepted_bets)
def test_nobody_squeezes_both_and_who_squeezes_has_a_stake_there(accepted: list[Wager]) -> None:
    player, banker = squeeze(accepted)
    assert len(player) <= 1
    assert len(banker) <= 1
    assert not set(player) & set(banker)
    assert set(player) <= {each.person for each in accepted if each.bet == "player"}
    assert set(banker) <= {each.person for each in accepted if each.bet.startswith("banker")}
