"""The page from box to first round: each line runs at a daemon with a reader, or says what else runs it."""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.config.load import load
from firmware_bridge.daemon.devices.code_books import native
from tests.docs.pages import DOCS
from tests.kit import broker as real
from tests.kit import command
from tests.kit.broker import Broker
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable, toml

broker, brokers, shoe = real.broker, real.brokers, command.shoe  # fixtures

PAGE: Final = DOCS / "first-round.md"
TEXT: Final = PAGE.read_text("utf-8")
AT_A_SHOE, _, PRACTICE = TEXT.partition("## Practise")
LINES: Final = re.findall(r"^    (\S.*)$", re.sub(r"```.*?```", "", TEXT, flags=re.S), re.M)
WRITTEN: Final[list[dict[str, Any]]] = [tomllib.loads(each) for each in re.findall(r"```toml\n(.*?)```", TEXT, re.S)]

ELSEWHERE: Final = {
    "tar xf firmware-bridge-*-arm64.tar.gz": "scripts/test-package, scripts/hil",
    "sudo firmware-bridge-*-arm64/scripts/install": "scripts/test-package, scripts/hil",
    "sudo nano /etc/firmware-bridge/bridge.toml": "an editor",
    "sudo systemctl enable --now firmware-bridge": "scripts/hil",
    "sudo shoe calibrate reader --by ANN": "scripts/calibration-proof",
    "sudo shoe calibrate lamps --by ANN": "tests/cli/calibrate",
    ".venv/bin/python -m hardware.sim --optics --link /tmp/reader": "tests/hardware",
    ".venv/bin/shoe run --config practice.toml": "every daemon of the tests",
    ".venv/bin/shoe key new --file /tmp/record-key": "tests/cli/test_key.py",
}
"""Line that needs a shoe, a person or a time -> what runs it."""

PASSWORD: Final = next(each for each in LINES if each.startswith("read -rsp"))


def test_it_has_five_hundred_words() -> None:
    assert len(TEXT.split()) <= 600
    assert len(re.sub(r"```.*?```|^    .*$|`[^`]*`", "", TEXT, flags=re.S | re.M).split()) <= 420


def test_what_is_written_is_a_config_and_the_reader_of_the_practice_deals_the_round(tmp_path: Path) -> None:
    step, practice = WRITTEN
    assert (step["record"]["origin"], step["table"]["id"]) == ("casino.example", "T01")
    both = {name: {**keys} for name, keys in (step | practice).items()}
    both["table"]["burn"], both["record"]["key_file"] = "none", "/tmp/record-key"
    (tmp_path / "practice.toml").write_text(toml(both))
    assert load(tmp_path / "practice.toml").record.origin == "casino.example"
    dealt = [native(int(each)) for each in re.findall(r"`(\d+)`", PRACTICE)]
    assert [each and each.card and each.card.value for each in dealt] == ["9s", "Td", "Ts", "Tc"]


def test_each_line_runs_in_its_order_and_says_what_the_page_says(
    tmp_path: Path, broker: Broker, shoe: command.Run
) -> None:
    ours = WRITTEN[0]
    table = ours["table"] | {"new_shoe": "command", "burn": "none"}
    bridge = DaemonTable(tmp_path, broker.port, table=table, record=ours["record"])
    left = [each for each in LINES if each not in ELSEWHERE and each != PASSWORD]

    def run(line: str) -> str:
        assert left.pop(0) == line
        sudo, program, *words = shlex.split(line)
        assert (sudo, program) == ("sudo", "shoe")
        ran = shoe(*words, "--config", bridge.config_path)
        assert ran.err == "", ran.err
        return ran.out

    try:
        out = run("sudo shoe check")
        failed = {line.split()[1] for line in out.splitlines() if line.startswith("FAIL")}
        assert failed <= {"service", "versions", "board"}, out
        bridge.start().ask(do="status")
        bridge.until(lambda: status(bridge)["broker"]["up"] and status(bridge)["reader"]["open"])
        assert run("sudo shoe status").startswith("IN ORDER")
        run("sudo shoe do open-shoe --by ANN")
        bridge.deal("9s Td Ts Tc")
        assert re.search(r"^  rounds +1 player 9:0$", run("sudo shoe status"), re.M)
        run("sudo shoe do close-shoe --by ANN")
        assert run("sudo shoe key show").startswith("casino.example/")
    finally:
        bridge.close()
    assert left == []
    for words in ("IN ORDER", "1 player 9:0", "nothing understood yet"):
        assert f"`{words}`" in AT_A_SHOE


def test_a_line_for_a_secret_is_the_one_of_the_other_page() -> None:
    assert PASSWORD in (DOCS / "small-house.md").read_text("utf-8")


@pytest.mark.parametrize("inline", re.findall(r"`(?:sudo )?(shoe [^`]+)`", AT_A_SHOE))
def test_a_command_within_a_sentence_is_one(inline: str, shoe: command.Run) -> None:
    _, name, *words = inline.split()
    assert shoe(name, *(words if name == "help" else [*words[:1][: name in ("calibrate", "do")], "--help"])).code == 0
