import json
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli import COMMANDS, daemon_socket
from firmware_bridge.cli.daemon_socket import at_the_table
from firmware_bridge.cli.do import ORDERS, TAKE_BACK
from firmware_bridge.cli.journal import ACTIONS
from firmware_bridge.facts.orders import ALL
from tests.conftest import TERMINAL
from tests.kit import command
from tests.kit.process import ran
from tests.kit.rows import each_row

shoe = command.shoe  # fixture

WORDS = [
    *[[name] for name in COMMANDS],
    *[["do", name] for name in (*ORDERS, TAKE_BACK)],
    *[["journal", name] for name in ACTIONS],
]
ROOMS = ("firmware_bridge.daemon.bridge", "firmware_bridge.daemon.devices")
HEAVY = ("asyncio", "gpiozero", "msgspec", "paho", "rich", "serial", "tomllib", *ROOMS)


@each_row("words", WORDS, ids=" ".join)
def test_every_command_has_a_help_text(shoe: command.Run, words: list[str]) -> None:
    ran = shoe(*words, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"usage: shoe {' '.join(words)} ")
    assert "`" not in ran.out


def test_the_help_names_every_command(shoe: command.Run) -> None:
    assert all(text in " ".join(shoe("--help").out.split()) for text in COMMANDS.values())


@pytest.mark.parametrize(
    ("hint", "here"),
    [
        ("open a shoe first: open_shoe", "open a shoe first: sudo shoe do open-shoe --by NAME"),
        (
            "open the bets first (bets_open), or deal the round",
            "open the bets first (sudo shoe do bets-open --by NAME), or deal the round",
        ),
        ("give the name of the pit boss: confirmed_by", "give the name of the pit boss: --confirmed-by NAME"),
        ("finish the round, or void it first", "finish the round, or void it first"),
    ],
)
def test_hints_name_orders_as_they_are_given_at_the_table(hint: str, here: str) -> None:
    assert at_the_table(hint) == here


def test_every_order_of_the_topic_command_can_be_given_at_the_table() -> None:
    assert {name.replace("-", "_") for name in ORDERS} == set(ALL)


@each_row(
    ("words", "says"),
    [
        (["stauts"], "did you mean status?"),
        (["xyz"], "see shoe --help"),
        ([], "COMMAND"),
        (["do", "next"], "--by"),
        (["do", "void", "--by", "anna"], "--why"),
        (["do", "resolve", "foreign", "shrug", "--by", "anna"], "end-shoe"),
        (["do", "resend", "--by", "anna"], "--since"),
        (["do", "mark", "3", "--by", "anna"], "write [SEAT] WORD [VALUE]: 3 raise 6, lot 3, S"),
        (["do", "mark", "3", "raise", "6", "7", "--by", "anna"], "write [SEAT] WORD [VALUE]"),
        (["do", "mark", "3", "raise", "--turn", "x", "--by", "anna"], "--turn"),
        (["do", "bets-closed", "1=", "--by", "anna"], "'1=' is not a seat with an amount: write 3=12.5"),
        (["do", "bets-closed", "--money", "0=5", "--by", "anna"], "'0=5' is not a seat with an amount"),
        (["do", "bets-closed", "1=5", "2=5", "1=6", "--by", "anna"], "seat 1 appears twice"),
        (["enter", "1s", "--by", "anna", "--second", "ben"], "'1s' is not a card: write a card as rank and suit"),
        (
            ["do", "correct", "1", "K♠x", "--why", "w", "--by", "anna"],
            "'K♠x' is not a card: write a card as rank and suit: As, Td",
        ),
        (["do", "correct", "1", "Ks", "9x", "--why", "w", "--by", "anna"], "'9x' is not a card: write a card"),
        (["do", "correct", "1", "", "--why", "w", "--by", "anna"], "'' is not a card: write a card"),
        (["enter", "", "--by", "anna", "--second", "ben"], "'' is not a card"),
        (["calibrate", "reader", "--by", "Eve\nIN ORDER"], r"the name contains the character \n"),
        (["calibrate", "reader", "--by", "x" * 65], "the name is too long: at most 64 characters"),
        (["enter", "9x", "--by", "anna", "--second", "ben"], "write a card as rank and suit"),
        (["journal", "show", "--seq", "later"], "write 5-9"),
        (["journal", "verify", "--head", "7:abc"], "write SEQ:HASH"),
        (["replay", "--procedure", "both"], "six-card"),
        (["replay", "--game", "rummy"], "baccarat"),
        (["demo", "--game", "rummy"], "baccarat"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_ends_with_2_and_says_what_is_right(shoe: command.Run, words: list[str], says: str) -> None:
    ran = shoe(*words)
    assert ran.code == 2
    assert says in ran.err


@pytest.mark.parametrize("words", [["status"], ["watch"], ["enter", "9s", "--by", "a", "--second", "b"]], ids=" ".join)
def test_without_a_daemon_the_remedy_is_named(shoe: command.Run, tmp_path: Path, words: list[str]) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text(f'[table]\nid = "T07"\n[journal]\ndir = "{tmp_path}"\n')
    ran = shoe(*words, "--config", config)
    assert ran.code == 3
    assert ran.err == (
        f"shoe: no daemon listens at {tmp_path}/control.sock; "
        "see: systemctl status firmware-bridge, or give its --config\n"
    )


@pytest.mark.parametrize(
    ("written", "card"),
    [("Kc", "Kc"), ("kc", "Kc"), ("KC", "Kc"), ("10c", "Tc"), ("tC", "Tc"), ("K♣", "Kc"), ("a♥️", "Ah"), ("wp", "wp")],
)
def test_a_card_is_taken_as_people_write_it(shoe: command.Run, mocker: MockerFixture, written: str, card: str) -> None:
    give = mocker.patch("firmware_bridge.cli.enter.give", return_value=0)
    assert shoe("enter", written, "--by", "anna", "--second", "ben").code == 0
    assert give.call_args.args[2]["card"] == card


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["void", "--why", "a\nb", "--by", "anna"], r"--why contains the character \n"),
        (["void", "--why", "\udcff", "--by", "anna"], r"--why contains the character \udcff"),  # no UTF-8
        (["dealer", "eve", "--by", "\x1b[31m"], r"--by contains the character \x1b"),
    ],
)
def test_an_order_with_what_a_terminal_obeys_is_not_even_sent(shoe: command.Run, words: list[str], says: str) -> None:
    ran = shoe("do", *words)
    assert (ran.code, ran.err) == (2, f"shoe do: {says}; write one short line of printable characters\n")


def test_a_wrong_config_ends_with_78(shoe: command.Run, tmp_path: Path) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text("[table")
    assert shoe("status", "--config", config).code == 78
    assert "not TOML" in shoe("status", "--config", config).err
    assert shoe("status", "--config", tmp_path / "none").code == 78


def test_a_socket_of_another_user_asks_for_sudo(shoe: command.Run, tmp_path: Path, mocker: MockerFixture) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text("")
    mocker.patch("socket.socket.connect", side_effect=PermissionError(13, "Permission denied"))
    mocker.patch.object(daemon_socket, "is_bound", return_value=True)
    ran = shoe("status", "--config", config)
    assert ran.code == 3
    assert "put sudo before the command" in ran.err


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mocker: MockerFixture) -> Path:
    """A machine whose system paths are below tmp_path; its daemon runs under systemd."""
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    mocker.patch.object(daemon_socket, "RUNTIME", tmp_path / "run" / "control.sock")
    mocker.patch.object(daemon_socket, "DEFAULT_CONFIG", tmp_path / "etc.toml")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "control.sock").touch()
    return tmp_path


def test_the_daemon_of_the_system_is_found_without_its_config(system: Path) -> None:
    assert daemon_socket.socket_path(system / "etc.toml") == system / "run" / "control.sock"


def test_another_config_never_leads_to_the_daemon_of_the_system(system: Path) -> None:
    (system / "other.toml").write_text('[journal]\ndir = "/srv/other"\n')
    assert daemon_socket.socket_path(system / "other.toml") == Path("/srv/other/control.sock")


def test_a_daemon_started_by_hand_listens_beside_its_journal(system: Path) -> None:
    (system / "run" / "control.sock").unlink()
    (system / "etc.toml").write_text("")
    assert daemon_socket.socket_path(system / "etc.toml") == Path("/var/lib/firmware-bridge/control.sock")
    (system / "etc.toml").unlink()
    assert daemon_socket.socket_path(system / "etc.toml") == system / "run" / "control.sock"


def test_a_runtime_directory_is_over_everything(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", "/run/here")
    assert daemon_socket.socket_path(system / "other.toml") == Path("/run/here/control.sock")


def test_commands_see_the_same_terminal_whoever_starts_the_tests() -> None:
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    seen = json.loads(ran("-c", code).stdout)
    assert {name: seen.get(name) for name in TERMINAL} == TERMINAL
    assert not seen.keys() & {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"}


def test_status_loads_next_to_nothing() -> None:
    """A Pi is slow: what is not needed to ask the daemon is not imported."""
    code = (
        "import sys; from firmware_bridge.cli import main; main(['status']); "
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    assert ran("-c", code, execute=True).stdout == "[]\n"
