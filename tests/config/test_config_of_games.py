"""The settings of a game in the config: exact decimals, and mistakes that name their key."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from firmware_bridge.cli import main
from firmware_bridge.cli.check import findings
from firmware_bridge.config.load import load
from firmware_bridge.errors import ConfigError
from firmware_bridge.games.blackjack.rules import Blackjack
from firmware_bridge.games.house import terms_of

TABLE = '[table]\nid = "T1"\ngame = "blackjack"\n'
NEXT = "[pins]\nnext = 22\n"


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return tmp_path / "bridge.toml"


def test_numbers_are_read_as_decimals(written: Path) -> None:
    written.write_text(f"{TABLE}{NEXT}[limits]\nbet = {{ low = 0.1, high = 1000 }}\n[reader]\nhold = 0.25\n")
    config = load(written)
    assert config.game == Blackjack(min=Decimal("0.1"), max=Decimal(1000))
    assert terms_of(config.house) == config.game
    assert config.reader.hold == 0.25


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("min = 5", "[game] min belongs in [limits]: bet = { low = .., high = .. }"),
        ("h17 = true", "[game] h17 cannot be set: shoe help payout"),
        ("tie = 9", "[game] tie cannot be set: shoe help payout"),
        ("[limits]\nbet = { low = nan }", "[limits] bet.low = NaN is not an amount of money"),
        ("[limits]\nbet = { high = inf }", "[limits] bet.high = Infinity is not an amount of money"),
        ("[limits]\nbet = { low = 1e40 }", f"[limits] bet.low = 1{'0' * 40} is not an amount of money"),
        ("[limits]\nbet = { low = 0.0 }", "[limits] bet: low must be more than 0"),
        ("[limits]\nbet = { low = 20.5, high = 20 }", "[limits] bet: low (20.5) is above high (20)"),
        ("[limits]\nbet = { low = 2000 }", "[limits] bet: low (2000) is above high (1000): write both"),
        ("[limits]\nplayer = { low = 2 }", "[limits] player is not a bet of blackjack: use bet or table"),
        ("seats = 8", "[game] seats = 8: write a whole number from 1 to 7"),
        ("max_hands = 0", "[game] max_hands = 0: write a whole number from 1 to 99"),
        ('split_by = "suit"', '[game] split_by = "suit": use one of: "rank", "value"'),
        ("seat = 5", "[game] seat is unknown: did you mean seats?"),
    ],
)
def test_a_mistake_names_its_key(written: Path, line: str, says: str) -> None:
    written.write_text(f"{TABLE}[game]\n{line}\n")
    with pytest.raises(ConfigError) as mistakes:
        load(written)
    assert f"{written}: {says}" in str(mistakes.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "[presence]\nS1 = 14\n",
            "[presence]: a slot of blackjack holds several cards, which no sensor can tell apart",
        ),
        (
            "[mqtt]\nlive_odds = true\n",
            "[mqtt] live_odds = true: blackjack has no live odds; use shoe odds --game blackjack",
        ),
        ('[game]\nprocedure = "six-card"\n', "[game] procedure is unknown"),
        ('[reader]\nprotocol = "angel-eye"\n', '[reader] protocol = "angel-eye": it decides its own games'),
    ],
)
def test_what_another_game_has_is_a_mistake(written: Path, text: str, says: str) -> None:
    written.write_text(f"{TABLE}{text}")
    with pytest.raises(ConfigError) as mistakes:
        load(written)
    assert says in str(mistakes.value)


@pytest.mark.parametrize("line", ["decks = 5", "decks = 7", "decks = 9"])
def test_a_shoe_holds_six_packs_or_eight(written: Path, line: str) -> None:
    written.write_text(f"{TABLE}{line}\n")
    with pytest.raises(ConfigError, match="blackjack is dealt from 6 or 8"):
        load(written)


def test_the_settings_are_shown_as_they_are_written(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written.write_text(f"{TABLE}{NEXT}[limits]\nbet = {{ low = 12.50 }}\n")
    assert main(["config", "--config", str(written)]) == 0
    assert "bet = { low = 12.50, high = 1000 }\n" in capsys.readouterr().out


ONE_PACK = ["niuniu", "zhajinhua", "erbagang"]
WRITTEN = """virtual_cut = 20
after_cut = "one-more"
cut_earliest = 30
[pins]
next = 22
cut_card = 27
[service]
fly_limit = 3
"""


@pytest.mark.parametrize(
    ("game", "keys"),
    [
        ("baccarat", []),
        ("blackjack", ["[service] fly_limit"]),
        *(
            (game, ["[table] after_cut", "[table] virtual_cut", "[table] cut_earliest", "[service] fly_limit"])
            for game in ONE_PACK
        ),
    ],
)
def test_a_key_without_effect_in_this_game_is_named(written: Path, game: str, keys: list[str]) -> None:
    written.write_text(f'[table]\nid = "T1"\ngame = "{game}"\n{WRITTEN}')
    found = [each for each in findings(written) if each.name == "game"]
    expected = [*keys, "[pins] cut_card"] if game in ONE_PACK else keys
    assert [each.text.partition(" is not for ")[0] for each in found] == expected
    assert all(each.level == "WARN" for each in found)


def test_a_burn_of_a_pack_that_lasts_a_round_is_named(written: Path) -> None:
    written.write_text(f'[table]\nid = "T1"\ngame = "niuniu"\nburn = 2\n{NEXT}')
    (found,) = [each.text for each in findings(written) if each.name == "game"]
    assert found == "[table] burn is not for niuniu: each pack would be burned, and only NEXT could open one"


def test_an_exception_to_a_policy_leads_to_the_page(written: Path) -> None:
    written.write_text(f'{TABLE}policy = {{ overdrawn = "burn" }}\n{NEXT}')
    with pytest.raises(ConfigError, match="exceptions to a policy cannot be set: shoe help exceptions"):
        load(written)


def test_an_order_that_two_people_give_is_useless_by_mqtt(written: Path) -> None:
    lists = '[service]\nsecond_person = ["void"]\n[mqtt]\ncommands = ["bets_closed", "mark", "void"]\n'
    written.write_text(f"{TABLE}{NEXT}{lists}")
    (found,) = [each for each in findings(written) if "second_person" in each.text]
    assert (found.level, "[mqtt] commands has void" in found.text) == ("WARN", True)


def test_what_is_enforced_is_shown(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written.write_text(f"{TABLE}{NEXT}[limits]\nbet = {{ high = 500.50 }}\ntable = {{ low = 1, high = 900.5 }}\n")
    assert main(["config", "--config", str(written)]) == 0
    (section,) = re.findall(r"^\[limits\].*(?:\n.+)+", capsys.readouterr().out, re.M)
    assert section.splitlines() == [
        "[limits]  # the shoe enforces bet; the others are shown to backends and guests, and not enforced",
        "bet = { low = 10, high = 500.50 }",
        'table = { low = "1", high = "900.5" }',
    ]
    assert load(written).house.limits == {"table": {"low": "1", "high": "900.5"}}
