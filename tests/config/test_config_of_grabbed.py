"""Config of niu-niu and er ba gang: the examples, what each key may be, mistakes told by their key."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from firmware_bridge.config.load import load, parse
from firmware_bridge.errors import ConfigError
from firmware_bridge.games.erbagang.script import ErBaGang
from firmware_bridge.games.niuniu.script import NiuNiu

SYSTEMD = Path(__file__).parents[2] / "systemd"


@pytest.mark.parametrize(("game", "usual"), [("niuniu", NiuNiu()), ("erbagang", ErBaGang())])
def test_the_example_of_the_game_is_its_usual_table(game: str, usual: object) -> None:
    config = load(SYSTEMD / f"{game}.toml")
    assert config.terms == usual
    assert (config.table.game, config.table.decks, config.table.burn, config.table.new_shoe) == (
        game,
        1,
        "none",
        "auto",
    )
    assert config.table.betting == ("required" if game == "erbagang" else "ignored")


@pytest.mark.parametrize("game", ["niuniu", "erbagang"])
def test_the_keys_and_keypads_in_the_comments_can_be_had(game: str, tmp_path: Path) -> None:
    text, _, comment = (SYSTEMD / f"{game}.toml").read_text("utf-8").partition("# [keys]")
    keys = dict(re.findall(r'("[^"]+") = (\d+)', comment))
    lines = [line.removeprefix("# ") for line in comment.splitlines()[1:]]
    more = "\n".join(["[keys]", *[f"{key} = {pin}" for key, pin in keys.items()], *lines])
    file = tmp_path / "bridge.toml"
    file.write_text(text + more)
    assert len(keys) == 2
    assert load(file).keypad[0].seats == (1, 2, 3, 4)


def test_amounts_are_exact_and_kinds_that_are_not_named_are_usual(tmp_path: Path) -> None:
    file = tmp_path / "bridge.toml"
    table = '[table]\nid = "T"\ngame = "erbagang"\n[pins]\nnext = 22\n'
    file.write_text(table + '[game]\nbase = 0.1\nhand_multiples = { "28" = 2 }\n')
    terms = load(file).terms
    assert isinstance(terms, ErBaGang)
    assert terms.base == Decimal("0.1")
    assert terms.hand_multiples == {"white_pair": 1, "pair": 1, "28": 2, "points": 1}


@pytest.mark.parametrize(
    ("game", "keys", "says"),
    [
        ("niuniu", {"base": 0}, "[game] base: give an amount above 0"),
        ("niuniu", {"bse": 1}, "[game] bse is unknown: did you mean base?"),
        (
            "niuniu",
            {"grab": [0, "x", 2000]},
            '[game] grab = [0, "x", 2000]: "x", 2000: write a whole number from 0 to 1000',
        ),
        (
            "niuniu",
            {"grab": []},
            "[game] grab = []: write a list [ .. ]; for each item write a whole number from 0 to 1000",
        ),
        ("niuniu", {"bet": [0]}, "[game] bet = [0]"),
        ("niuniu", {"hand_multiples": {"bom": 2}}, "[game] hand_multiples.bom is unknown: did you mean bomb?"),
        (
            "niuniu",
            {"hand_multiples": {"bomb": -1}},
            "[game] hand_multiples.bomb = -1: write a whole number from 0 to 1000",
        ),
        ("erbagang", {"order": ["pair"]}, "[game] order: name each of white_pair, pair, 28, points once"),
        ("erbagang", {"ties": "none"}, '[game] ties = "none": use one of: "banker", "high-tile", "push"'),
        ("erbagang", {"grab_max": -1}, "[game] grab_max = -1: write a whole number from 0 to 1000000"),
        ("erbagang", {"banker_per": "day"}, '[game] banker_per = "day"'),
    ],
)
def test_a_mistake_is_reported_by_its_key(game: str, keys: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse({"table": {"id": "T", "game": game}, "game": keys})
    assert says in str(raised.value)


@pytest.mark.parametrize("game", ["niuniu", "erbagang"])
def test_a_second_pack_and_a_reader_that_judges_are_mistakes(game: str) -> None:
    with pytest.raises(ConfigError, match=f"decks = 2: {game} is dealt from 1$"):
        parse({"table": {"id": "T", "game": game, "decks": 2}})
    with pytest.raises(ConfigError, match="angel-eye"):
        parse({"table": {"id": "T", "game": game}, "reader": {"protocol": "angel-eye"}})
    with pytest.raises(ConfigError, match="procedure"):
        parse({"table": {"id": "T", "game": game}, "game": {"procedure": "six-card"}})


@pytest.mark.parametrize("burn", ["first-card", 1])
def test_no_tile_is_burned(burn: str | int) -> None:
    with pytest.raises(ConfigError, match=r"burn = .*: erbagang deals all 40 of a pack: remove burn"):
        parse({"table": {"id": "T", "game": "erbagang", "burn": burn}})
    pins = {"next": 22}
    for none in ("none", 0):
        assert parse({"table": {"id": "T", "game": "erbagang", "burn": none}, "pins": pins}).house.game == "erbagang"
    assert parse({"table": {"id": "T", "game": "niuniu", "burn": burn}, "pins": pins}).house.burn == burn
