"""Hundreds of slips of the keyboard: commands, options, choices, config keys and orders, each misspelt in one place."""

import argparse
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from firmware_bridge import cli
from firmware_bridge.config.load import load
from firmware_bridge.config.toml_text import as_written
from firmware_bridge.daemon.table.validation import mistake
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.orders import ORDERS, tag_of
from firmware_bridge.floor import cli as floor_cli
from firmware_bridge.floor.config import SECTIONS as FLOOR
from firmware_bridge.floor.config import parse as parse_floor
from firmware_bridge.floor.config import place as floor_place
from firmware_bridge.games import GAMES
from firmware_bridge.topics.texts.refusals import words_of
from tests.config.configs import EVERY_KEY
from tests.kit.daemon_table import toml
from tests.kit.nightly import some

RAW: Final = ("Traceback", "[Errno", "choose from", "invalid literal", "KeyError", "<class", "None of")
"""What no message for a person may contain."""

Words = tuple[str, ...]


def slips(word: str) -> Iterator[str]:
    """The word with two letters swapped, with one doubled, and without one."""
    rng = random.Random(word)
    n = rng.randrange(len(word) - 1)
    yield word[:n] + word[n + 1] + word[n] + word[n + 2 :]
    yield word[: n + 1] + word[n:]
    yield word[:n] + word[n + 1 :]


def misspelt(word: str, known: set[str]) -> Iterator[str]:
    """Those slips of a word of four letters or more that are no other known word, nor the begin of one."""
    if len(word.strip("-")) >= 4:
        yield from (slip for slip in slips(word) if slip != word and not any(each.startswith(slip) for each in known))


def parsers(parser: argparse.ArgumentParser, words: Words = ()) -> Iterator[tuple[Words, argparse.ArgumentParser]]:
    """Each parser with the words that lead to it."""
    yield words, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, each in action.choices.items():
                yield from parsers(each, (*words, name))


def command_slips(parser: argparse.ArgumentParser) -> Iterator[tuple[Words, str]]:
    """Words of a command line with one slip, and the word that was meant."""
    for words, each in parsers(parser):
        names = {name for action in each._actions for name in action.option_strings}
        for action in each._actions:
            if isinstance(action, argparse._SubParsersAction):
                known = set(action.choices)
                yield from (((*words, slip), name) for name in known for slip in misspelt(name, known))
                continue
            for name in action.option_strings:
                if name.startswith("--"):
                    yield from (((*words, f"--{slip}"), name) for slip in misspelt(name[2:], {n[2:] for n in names}))
            if action.choices:
                known, option = set(map(str, action.choices)), action.option_strings[-1:]
                before = ("it",) if words[-2:] == ("do", "resolve") else ()
                line = (*words, *before, *option)
                yield from (((*line, slip), name) for name in known for slip in misspelt(name, known))


def shoe_slips() -> list[tuple[Words, str]]:
    return sorted(command_slips(cli.parser_of(cli.COMMANDS)))


def floor_slips() -> list[tuple[Words, str]]:
    return sorted(command_slips(floor_cli._parser()))


def ended(main: Callable[[list[str]], int], words: Words, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code of a command, and what it wrote."""
    try:
        code = main(list(words))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    out, err = capsys.readouterr()
    return code, out + err


@pytest.mark.parametrize("program", ["shoe", "shoe-floor"])
def test_each_misspelt_word_of_a_command_is_answered_with_the_right_one(
    program: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    parser_of = cache(cli.parser_of)
    monkeypatch.setattr(cli, "parser_of", lambda known: parser_of(tuple(known)))
    monkeypatch.setattr(floor_cli, "_parser", cache(floor_cli._parser))
    main, cases = (cli.main, shoe_slips()) if program == "shoe" else (floor_cli.main, floor_slips())
    failed = []
    for words, meant in some(cases, 11):
        code, text = ended(main, words, capsys)
        is_answered = meant in text or "did you mean" in text
        if code != 2 or not is_answered or len(text.splitlines()) > 1 or any(raw in text for raw in RAW):
            failed.append(f"{program} {' '.join(words)} ({meant}): {code} {text.strip()}")
    assert not failed, "\n".join(failed)


def config_slips() -> Iterator[tuple[dict[str, Any], str]]:
    """Sections with one slip, and what the message must name."""
    sections = set(EVERY_KEY)
    for section, keys in EVERY_KEY.items():
        yield from (({"table": {"id": "T"}, slip: {}}, section) for slip in misspelt(section, sections))
        for key, value in keys.items():
            if section in ("limits", "presence", "lamps"):
                continue
            for slip in misspelt(key, set(keys)):
                rest = {name: each for name, each in keys.items() if name != key}
                yield _with(section, rest | {slip: value}), key
            wrong: Any = [value, 1] if isinstance(value, str) else "seven!"
            yield _with(section, keys | {key: wrong}), key
            if isinstance(value, str):
                continue
            yield _with(section, keys | {key: {"a": True}}), key


def _with(section: str, keys: dict[str, Any]) -> dict[str, Any]:
    return {"table": {"id": "T"}} | {section: keys}


def test_each_misspelt_key_or_wrong_value_of_the_config_is_named(tmp_path: Path) -> None:
    failed = []
    for sections, meant in config_slips():
        path = tmp_path / "bridge.toml"
        path.write_text(toml(sections))
        try:
            load(path)
            failed.append(f"{path.read_text()}: taken")
        except ConfigError as error:
            text = str(error)
            if meant not in text or any(raw in text for raw in RAW) or "True" in text or "'a'" in text:
                failed.append(f"{sections}: {text}")
    assert not failed, "\n".join(failed)


def section_of(key: str) -> str:
    """A section of EVERY_KEY that has not this key."""
    return next(section for section in ("journal", "mqtt", "table") if key not in EVERY_KEY[section])


def config_places() -> Iterator[tuple[dict[str, Any], str]]:
    """A config with one key in another section, before all sections, or as a section; and where it belongs."""
    for section, keys in EVERY_KEY.items():
        for key, value in keys.items() if section != "limits" else ():
            place = f"[{section}]"
            wrong = section_of(key)
            yield _with(wrong, {key: value}), place
            if key not in EVERY_KEY:
                yield {key: value} | {"table": {"id": "T"}}, place
                yield _with(key, {"a": 1}), place
    for section in EVERY_KEY:
        yield _with(section_of(section), {section: {"a": 1}}), f"write [{section}]"
    for name, game in GAMES.items():
        for other in GAMES.values():
            own, strange = (set(each.terms.__struct_fields__) - {"good_roads"} for each in (game, other))
            strange -= own | set(other.money.bet_range or ())
            for key in strange - set(game.terms.__struct_fields__):
                yield {"table": {"id": "T", "game": name}, "game": {key: 1}}, f"[game] of {other.name}"


def _is_placed(text: str, place: str) -> bool:
    """Whether a message names the place, as one of several too: "[game] of niuniu and erbagang"."""
    head, _, game = place.partition(" of ")
    return f"{head} of " in text and game in text.partition(f"{head} of ")[2] if game else place in text


def test_each_key_in_a_wrong_place_is_shown_the_right_one(tmp_path: Path) -> None:
    failed, cases = [], list(config_places())
    for sections, place in cases:
        path = tmp_path / "bridge.toml"
        tables = {name: keys for name, keys in sections.items() if isinstance(keys, dict)}
        above = [f"{name} = {as_written(value)}" for name, value in sections.items() if name not in tables]
        path.write_text("\n".join([*above, toml(tables)]))
        try:
            load(path)
            failed.append(f"{path.read_text()}: taken")
        except ConfigError as error:
            if not _is_placed(str(error), place) or any(raw in str(error) for raw in RAW):
                failed.append(f"{sections} ({place}): {error}")
    assert not failed, "\n".join(failed)
    assert len(cases) >= 150


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('[table]\nid = "T"\nhost = "h"\n', "[table] host is unknown here: it belongs in [mqtt]"),
        (
            '[table]\nid = "T"\nport = "/dev/x"\n',
            "[table] port is unknown here: it belongs in [reader], [[keypad]] or [mqtt]",
        ),
        ('[table]\nid = "T"\nhsot = "h"\n', "[table] hsot is unknown: did you mean host, in [mqtt]?"),
        ('host = "h"\n[table]\nid = "T"\n', "host stands in no section: it belongs in [mqtt]"),
        ('hsot = "h"\n[table]\nid = "T"\n', "hsot is unknown: did you mean host, in [mqtt]?"),
        ('[host]\na = 1\n[table]\nid = "T"\n', "[host] is no section: host is a key, and belongs in [mqtt]"),
        ('[table]\nid = "T"\n[table.mqtt]\nhost = "h"\n', "[table] mqtt is a section of its own: write [mqtt]"),
        ('[table]\nid = "T"\nmin = 5\n', "it belongs in [limits]: table = { low = .., high = .. }"),
        ('[table]\nid = "T"\npassword = "x"\n', 'and password_file = ".." in [mqtt]'),
        ('[table]\nid = "T"\n[game]\nseats = 5\n', "it belongs in [[keypad]] or [game] of blackjack"),
        ('[table]\nid = "T"\n[pins]\nready = 5\n', "it belongs in [lamps]"),
        ('[table]\nid = "T"\n[lamps]\nstuck_after = 5\n', "it belongs in the braces { } of a wire"),
        ('[table]\nid = "T"\n[[keypad]]\nhost = "h"\n', "[[keypad]] host is unknown here: it belongs in [mqtt]"),
    ],
)
def test_the_place_of_a_key_is_named(text: str, where: str, tmp_path: Path) -> None:
    (tmp_path / "bridge.toml").write_text(text)
    with pytest.raises(ConfigError) as raised:
        load(tmp_path / "bridge.toml")
    assert where in str(raised.value)


@pytest.mark.parametrize("game", list(GAMES))
@pytest.mark.parametrize("key", ["seats", "colour", "roads", "good_road"])
def test_a_key_with_a_section_of_its_own_is_no_key_of_the_game(key: str, game: str, tmp_path: Path) -> None:
    (tmp_path / "bridge.toml").write_text(f'[table]\nid = "T"\ngame = "{game}"\n[game]\n{key} = "x"\n')
    with pytest.raises(ConfigError) as raised:
        load(tmp_path / "bridge.toml")
    assert "good_roads" not in str(raised.value)


def test_each_key_of_the_floor_in_a_wrong_place_is_shown_the_right_one() -> None:
    for section, kind in FLOOR.items():
        for key in kind.__struct_fields__:
            wrong = next(name for name, each in FLOOR.items() if key not in each.__struct_fields__)
            for raw in ({wrong: {key: 1}}, {key: 1}, {key: {"a": 1}}):
                with pytest.raises(ConfigError) as raised:
                    parse_floor(raw)
                assert floor_place(section) in str(raised.value)


RIGHT: Final = {
    "word": "S",
    "irregularity": "duplicate",
    "choice": "void",
    "round": 1,
    "cards": ["As"],
    "why": "x",
    "dealer": "x",
}
CALLED: Final = {"confirmed_by": "the pit boss's name", "why": "the reason", "second": "the second name"}
"""Field -> its name in messages, where it is not its own."""


def order_slips() -> Iterator[tuple[type[Any], dict[str, Any], str]]:
    """The type of an order, its fields with one slip, and the field that was meant."""
    for order in ORDERS:
        known = {each.encode_name for each in msgspec.structs.fields(order)}
        right = {each.encode_name: RIGHT[each.encode_name] for each in msgspec.structs.fields(order) if each.required}
        for name in known:
            yield from ((order, right | {slip: 1}, name) for slip in misspelt(name, known))
            yield order, right | {name: {"a": True}}, CALLED.get(name, name)
            yield order, right | {name: [[]]}, CALLED.get(name, name)


def test_each_wrong_field_of_an_order_is_named() -> None:
    failed = []
    for order, given, meant in order_slips():
        found = mistake(order, given)
        text = " ".join(words_of("en", msgspec.to_builtins(found._asdict()))) if found else "taken"
        if meant not in text or any(raw in text for raw in RAW):
            failed.append(f"{tag_of(order)} {given}: {text}")
    assert not failed, "\n".join(failed)


def test_there_are_hundreds() -> None:
    counted = len(shoe_slips()) + len(floor_slips()) + len(list(config_slips())) + len(list(order_slips()))
    assert counted >= 300, counted
