"""A wrong word of both commands and of the config: what was meant is asked; each exit code has one meaning."""

import argparse
import re
from pathlib import Path

import pytest

from firmware_bridge.cli.help import man
from firmware_bridge.config.arguments import ENVIRONMENT, MEANINGS, Exit
from firmware_bridge.config.bundle import bundle_options
from firmware_bridge.config.load import parse
from firmware_bridge.errors import ConfigError
from firmware_bridge.floor import config as floor_config
from firmware_bridge.floor.cli import main as floor
from tests.kit import command

shoe = command.shoe  # fixture


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("chekc", "check"),
        ("do nxt --by a", "next"),
        ("do opne-shoe --by a", "open-shoe"),
        ("do resolve unreadable viod --by a", "void"),
        ("journal shwo", "show"),
        ("demo --policy macao", "macau"),
        ("demo --game balckjack", "blackjack"),
        ("demo --reader natvie", "native"),
        ("demo --polcy macau", "--policy"),
        ("replay - --gmae niuniu", "--game"),
        ("status --jsno", "--json"),
        ("watch --lang zh-hnat", "zh-Hant"),
        ("odds --game baccrat", "baccarat"),
        ("calibrate cutcard", "cut-card"),
        ("roads --road bgi", "big"),
        ("help --man shoe1", "shoe.1"),
    ],
)
def test_a_misspelt_word_is_asked_about(shoe: command.Run, words: str, meant: str) -> None:
    ran = shoe(*words.split())
    assert (ran.code, ran.out) == (Exit.USAGE, "")
    assert f"did you mean {meant}?" in ran.err
    assert ran.err.count("\n") == 1
    assert re.search(r"\? see shoe [a-z -]*--help\n$", ran.err)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("chekc", "did you mean check?"),
        ("export mesages", "did you mean messages?"),
        ("backup --forec x", "--forec is unknown"),
        ("--cofnig x check", "did you mean --config?"),
    ],
)
def test_so_it_is_by_the_back_office(capsys: pytest.CaptureFixture[str], words: str, said: str) -> None:
    with pytest.raises(SystemExit) as end:
        floor(words.split())
    assert end.value.code == Exit.USAGE
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("status now", "'now' is one word too many"),
        ("status -x", "-x is unknown"),
        ("do open-shoe --lot x --by a", "--lot: 'x' is not a whole number; see shoe do open-shoe --help"),
        ("calibrate reader --patience x", "--patience: 'x' is not a number; see shoe calibrate --help"),
        ("do next --by a --why=x", "--why is unknown"),
        ("frobnicate", "'frobnicate' is not a command; see shoe --help"),
        ("do frobnicate", "'frobnicate' is not an order; see shoe do --help"),
        ("demo --game x\x1b[2J", "use one of: baccarat, "),
    ],
)
def test_where_nothing_is_near_there_is_a_list_or_help(shoe: command.Run, words: str, said: str) -> None:
    ran = shoe(*words.split(" "))
    assert ran.code == Exit.USAGE
    assert said in ran.err
    assert "\x1b" not in ran.err


@pytest.mark.parametrize(
    "words",
    [
        "demo --game baccarat --seats 9",
        "demo --game niuniu --seats 1",
        "demo --game blackjack --procedure six-card",
        "roads PB --road big --size 9x9",
        "roads PB 0 --lang en",
    ],
)
def test_options_that_do_not_fit_together_are_wrong_usage(shoe: command.Run, words: str) -> None:
    ran = shoe(*words.split())
    assert (ran.code, ran.out) == (Exit.USAGE, "")
    assert ran.err.startswith(f"shoe {words.split()[0]}: ")


CONFIGS = [
    ({"mqtt": {"password": "hunter2"}}, 'password_file = "/path/of/the/file"'),
    ({"mqtt": {"pasword": "hunter2"}}, 'password_file = "/path/of/the/file"'),
    ({"mqtt": {"passwd": "hunter2"}}, 'password_file = "/path/of/the/file"'),
    ({"mqtt": {"pasword_file": "/x"}}, "did you mean password_file?"),
    (
        {"mqtt": {"commands": ["next", "voidd"]}},
        '["next", "voidd"]: "voidd" is unknown: did you mean "void"?',
    ),
    ({"roads": {"good": ["dragon"]}}, '[roads] good = ["dragon"]: "dragon" is unknown: use one of: "alt'),
    ({"table": {"id": "T", "policy": "macao"}}, 'policy = "macao": did you mean "macau"?'),
    ({"table": {"id": "T", "policy": {"overdrawn": "burn"}}}, 'policy = { overdrawn = "burn" }: use one of: "'),
    ({"table": {"id": "T", "betting": True}}, "betting = true: "),
    ({"table": {"id": "T", "game": "balckjack"}}, 'did you mean "blackjack"?'),
    ({"table": {"id": "T", "burn": ["a", 1.5, False]}}, 'burn = ["a", 1.5, false]: '),
]


@pytest.mark.parametrize(("raw", "said"), CONFIGS)
def test_a_config_says_what_was_meant_in_its_own_spelling(raw: dict[str, dict[str, object]], said: str) -> None:
    with pytest.raises(ConfigError) as wrong:
        parse({"table": {"id": "T"}} | raw)
    assert said in str(wrong.value)
    assert not re.search(r"\bTrue\b|\bFalse\b|\bNone\b|\[Errno|\{'|\['", str(wrong.value))
    assert "hunter2" not in str(wrong.value)


@pytest.mark.parametrize("section", ["mqtt", "nats", "store", "page"])
@pytest.mark.parametrize("key", ["password", "pasword", "Password", "passwort"])
def test_a_password_has_a_file_in_the_back_office_too(section: str, key: str) -> None:
    with pytest.raises(ConfigError, match='password_file = "/path/of/the/file"') as wrong:
        floor_config.parse({section: {key: "hunter2"}})
    assert "hunter2" not in str(wrong.value)


def test_the_manual_has_every_exit_code_and_variable() -> None:
    page = man.shoe().replace("\\", "")
    assert set(MEANINGS) == set(Exit)
    for code, meaning in MEANINGS.items():
        assert f".B {code.value}\n{meaning}" in page
    assert all(f".B {name}\n" in page for name in ENVIRONMENT)


def test_the_technicians_book_has_the_same_tables() -> None:
    book = (Path(__file__).parents[2] / "docs/technician.md").read_text("utf-8")
    for code, meaning in MEANINGS.items():
        assert f"| {code.value} | {meaning} |" in book
    for name, does in ENVIRONMENT.items():
        assert f"| `{name}` | {does} |" in book


def test_all_words_behind_with_are_the_installers() -> None:
    parser = argparse.ArgumentParser()
    bundle_options(parser)
    read = parser.parse_args(["install", "new.deb", "--unsigned", "--with", "--root", "/mnt", "--unsigned"])
    assert (read.file, read.unsigned, read.options) == (Path("new.deb"), True, ["--root", "/mnt", "--unsigned"])
    assert parser.parse_args(["install", "new.deb"]).options == []
