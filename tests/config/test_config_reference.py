"""The reference of the config's keys, and what `shoe config` shows."""

import re
import tomllib
from pathlib import Path

import pytest

from firmware_bridge.cli.check import findings
from firmware_bridge.config.limits import enforced_limit
from firmware_bridge.config.load import load, parse
from firmware_bridge.config.reference import keys, unnamed
from firmware_bridge.config.toml_text import in_toml
from firmware_bridge.games import GAMES
from tests.kit import command

shoe = command.shoe  # fixture
ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "systemd/bridge.toml"


def test_the_document_is_what_the_types_say(shoe: command.Run) -> None:
    """To renew it: `shoe config --reference > docs/config.md`."""
    assert shoe("config", "--reference").out == (ROOT / "docs/config.md").read_text("utf-8")


def test_every_key_has_a_meaning() -> None:
    assert [f"{key.title} {key.name}" for key in keys() if not key.meaning.endswith((".", "?"))] == []


def test_the_example_names_every_key() -> None:
    assert unnamed(EXAMPLE.read_text("utf-8"), GAMES["baccarat"]) == []


def test_a_key_that_is_new_is_reported(shoe: command.Run, tmp_path: Path) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text(re.sub("keep_days = .*", "", EXAMPLE.read_text("utf-8")))
    assert shoe("config", "--unnamed", "--config", config).out == "[journal] keep_days\n"


def test_the_check_tells_new_keys_in_short(tmp_path: Path) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text(re.sub("(keep|fly)_(days|limit) = .*", "", EXAMPLE.read_text("utf-8")))
    missing = "; missing, so at their defaults: [service] fly_limit, [journal] keep_days"
    assert next(findings(config)).text == f"{config}, table T07{missing}"
    config.write_text('[table]\nid = "T07"\n')
    assert re.search(
        r"defaults: \[table\] game, .* and \d\d more \(shoe config --unnamed\)$", next(findings(config)).text
    )
    assert next(findings(EXAMPLE)).text == f"{EXAMPLE}, table T07"


@pytest.mark.parametrize(
    "more", ["", '[limits]\nplayer = { low = "1", high = "10" }\n[presence]\nP1 = { pin = 14, stuck_after = 2.5 }\n']
)
def test_what_is_shown_is_the_same_config(shoe: command.Run, tmp_path: Path, more: str) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text(
        f'[table]\nid = "T07"\n[pins]\nlock = {{ pin = 9 }}\nplayer = 24\n[mqtt]\nusername = "q\\"x"\n{more}'
    )
    shown = tomllib.loads(shoe("config", "--config", config).out)
    assert shown["journal"]["keep_days"] == 90
    assert shown["game"]["procedure"] == "on-demand"
    assert parse(shown).house == load(config).house
    assert parse(shown).pins == load(config).pins
    assert shoe("config", "--json", "--config", config).json[0]["table"]["id"] == "T07"


def test_no_secret_is_shown(shoe: command.Run, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("sesame\n")
    config = tmp_path / "bridge.toml"
    config.write_text(
        '[table]\nid = "T07"\n[reader]\nport = "socket://anna:sesame@10.0.0.7:4001"\n'
        f'[mqtt]\nusername = "sesame"\npassword_file = "{tmp_path}/password"\n'
    )
    said = shoe("config", "--config", config).out
    assert "sesame" not in said
    assert f'password_file = "{tmp_path}/password"' in said


@pytest.mark.parametrize("game", GAMES)
def test_the_defaults_of_the_reference_are_those_of_a_table_of_the_game(game: str) -> None:
    """Where games differ, a value stands behind the names of its games."""
    house = parse({"table": {"id": "T07", "game": game}, "pins": {"next": 22}}).house
    by_name = {key.name: key for key in keys() if key.title == "[table]" and key.name not in ("id", "game", "language")}
    for name, key in by_name.items():
        if key.games and game not in key.games:
            continue
        parts = dict(re.findall(r"([a-z, ]+): ([^;]+)", key.default)) if key.name != "shifts" else {}
        by_game = {each: value for names, value in parts.items() for each in names.strip().split(", ")}
        found = getattr(house, name)
        assert by_game.get(game, key.default) == in_toml("none" if found is None else found), name


def test_the_reference_has_the_bet_that_is_enforced_by_default() -> None:
    (bet,) = [key for key in keys() if (key.title, key.name) == ("[limits]", "bet")]
    assert bet.default == in_toml(enforced_limit(GAMES["blackjack"], GAMES["blackjack"].terms()))
