"""The settings of a game in the config: exact decimals, and mistakes that name their key."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from firmware_bridge.cli import main
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
    written.write_text(f"{TABLE}{NEXT}[game]\nmin = 0.1\nmax = 1000\n[reader]\nhold = 0.25\n")
    config = load(written)
    assert config.game == Blackjack(min=Decimal("0.1"), max=Decimal(1000))
    assert terms_of(config.house) == config.game
    assert config.reader.hold == 0.25


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("min = nan", "[game] min = NaN: write an amount such as 12.5"),
        ("max = inf", "[game] max = Infinity: write an amount such as 12.5"),
        ("min = 0.0", "[game] min = 0.0: must be more than 0"),
        ("min = 20.5\nmax = 20", "[game] max = 20: must be at least min, 20.5"),
        ("seats = 8", "[game] seats = 8: write a whole number from 1 to 7"),
        ("max_hands = 0", "[game] max_hands = 0: write a whole number from 1 to 99"),
        ('split_by = "suit"', '[game] split_by = "suit": use one of: rank, value'),
        ("mni = 5", "[game] mni is unknown: did you mean min?"),
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
    written.write_text(f"{TABLE}{NEXT}[game]\nmin = 12.50\n")
    assert main(["config", "--config", str(written)]) == 0
    assert "min = 12.50\n" in capsys.readouterr().out
