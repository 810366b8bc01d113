"""`shoe wiring` and the picture in the docs, against the example config."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli import main

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "systemd/bridge.toml"


def pins(capsys: pytest.CaptureFixture[str], config: Path) -> dict[int, dict[str, Any]]:
    assert main(["wiring", "--config", str(config), "--json"]) == 0
    return {pin["number"]: pin for pin in map(json.loads, capsys.readouterr().out.splitlines())}


def test_each_wire_is_at_its_pin(capsys: pytest.CaptureFixture[str]) -> None:
    found = pins(capsys, EXAMPLE)
    assert len(found) == 40
    assert found[13]["name"] == "GPIO27"
    assert found[13]["wires"] == ["cut-card sensor"]
    assert found[13]["active_low"]
    assert found[29]["wires"] == ["lamp P1"]
    assert not found[29]["active_low"]
    assert {number for number, pin in found.items() if pin["kind"] == "ground"} == {6, 9, 14, 20, 25, 30, 34, 39}


def test_lamps_that_share_a_pin_are_told_together(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text('[table]\nid = "T1"\n[lamps]\nR1 = 5\nR2 = {pin = 5, active_low = false}\n')
    assert pins(capsys, config)[29]["wires"] == ["lamp R1", "lamp R2"]


def test_the_header_is_printed_two_pins_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wiring", "--config", str(EXAMPLE)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "            NEXT key (low) GPIO22 [15|16] GPIO23 REVEAL key (low)" in lines


def test_the_picture_in_the_docs_is_that_of_the_example_config(tmp_path: Path) -> None:
    drawn = tmp_path / "wiring.svg"
    assert main(["wiring", "--config", str(EXAMPLE), "--svg", str(drawn)]) == 0
    remedy = "draw it again: shoe wiring --config systemd/bridge.toml --svg docs/wiring.svg"
    assert drawn.read_text() == (ROOT / "docs/wiring.svg").read_text(), remedy


@pytest.mark.parametrize("document", ["README.md", "docs/technician.md"])
def test_tables_of_wires_name_the_right_pins(capsys: pytest.CaptureFixture[str], document: str) -> None:
    found = {pin["name"]: number for number, pin in pins(capsys, EXAMPLE).items()}
    rows = re.findall(r"^\| [^|]+ \| ([\d, ]+) \| ([\d, ]+) \|", (ROOT / document).read_text("utf-8"), re.M)
    assert rows or document == "docs/technician.md"
    for gpios, numbers in rows:
        told = dict(zip(gpios.split(","), numbers.split(","), strict=True))
        assert {gpio: found[f"GPIO{int(gpio)}"] for gpio in told} == {gpio: int(n) for gpio, n in told.items()}


def test_before_installing_the_example_is_named(
    capsys: pytest.CaptureFixture[str], mocker: MockerFixture, tmp_path: Path
) -> None:
    mocker.patch("firmware_bridge.cli.wiring.DEFAULT_CONFIG", tmp_path / "bridge.toml")
    assert main(["wiring", "--config", f"{tmp_path}/bridge.toml"]) == 78
    told = f"shoe: there is no {tmp_path}/bridge.toml yet; before installing: --config systemd/bridge.toml\n"
    assert capsys.readouterr().err == told


def test_a_picture_that_cannot_be_written_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["wiring", "--config", str(EXAMPLE), "--svg", str(tmp_path)]) == 1
    assert "name a file that may be written" in capsys.readouterr().err
