"""`shoe wiring` and the picture in the docs, against the example config."""

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli import main
from firmware_bridge.cli.wiring import LOOKS, MARGIN, WIDTH
from firmware_bridge.games.baccarat.drawn.shapes import wide
from tests.kit.contrast import elements, worst

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


def test_the_pins_of_a_hats_eeprom_are_not_offered(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, drawn: str
) -> None:
    assert {n for n, pin in pins(capsys, EXAMPLE).items() if pin["kind"] == "reserved"} == {27, 28}
    assert main(["wiring", "--config", str(EXAMPLE)]) == 0
    assert "HAT EEPROM  GPIO0 [27|28] GPIO1  HAT EEPROM" in capsys.readouterr().out
    assert "for a HAT's EEPROM: leave it free" in [text for _, _, text in elements(drawn)[1]]
    (tmp_path / "mine.toml").write_text('[table]\nid = "T1"\n[lamps]\nR1 = 0\n')
    assert pins(capsys, tmp_path / "mine.toml")[27]["kind"] == "wire"


def test_the_boxes_of_the_legend_do_not_touch(drawn: str) -> None:
    boxes = [tuple(map(float, box)) for box in re.findall(r'y="([\d.]+)" width="28" height="(\d+)" rx="4"', drawn)]
    rows = sorted(set(boxes))
    assert len(boxes) == len(LOOKS)
    assert all(lower[0] - (upper[0] + upper[1]) >= 3 for upper, lower in pairwise(rows))
    columns = sorted({float(x) for x in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="28"', drawn)})
    words = {each.word for each in LOOKS.values()}
    for _, said, text in elements(drawn)[1]:
        if text in words:
            right = float(said["x"]) + wide(text, float(said["font-size"]))
            assert not [left for left in columns if float(said["x"]) < left < right + MARGIN], text


def test_lamps_that_share_a_pin_are_listed_together(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text('[table]\nid = "T1"\n[lamps]\nR1 = 5\nR2 = {pin = 5, active_low = false}\n')
    assert pins(capsys, config)[29]["wires"] == ["lamp R1", "lamp R2"]


def test_the_header_is_printed_two_pins_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["wiring", "--config", str(EXAMPLE)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "            NEXT key (low) GPIO22 [15|16] GPIO23 REVEAL key (low)" in lines
    assert "                              GND [ 9|10] GPIO15" in lines


def test_the_table_of_wires_names_the_right_pins(capsys: pytest.CaptureFixture[str]) -> None:
    found = {pin["name"]: number for number, pin in pins(capsys, EXAMPLE).items()}
    rows = re.findall(r"^\| [^|]+ \| ([\d, ]+) \| ([\d, ]+) \|", (ROOT / "docs/technician.md").read_text("utf-8"), re.M)
    assert len(rows) > 5
    for gpios, numbers in rows:
        by_gpio = dict(zip(gpios.split(","), numbers.split(","), strict=True))
        assert {gpio: found[f"GPIO{int(gpio)}"] for gpio in by_gpio} == {gpio: int(n) for gpio, n in by_gpio.items()}


def test_before_installing_the_example_is_named(
    capsys: pytest.CaptureFixture[str], mocker: MockerFixture, tmp_path: Path
) -> None:
    mocker.patch("firmware_bridge.cli.wiring.DEFAULT_CONFIG", tmp_path / "bridge.toml")
    assert main(["wiring", "--config", f"{tmp_path}/bridge.toml"]) == 78
    error = f"shoe: there is no {tmp_path}/bridge.toml yet; before installing: --config systemd/bridge.toml\n"
    assert capsys.readouterr().err == error


@pytest.fixture
def drawn(tmp_path: Path) -> str:
    """The wiring of a table with every sort of wire."""
    config = tmp_path / "bridge.toml"
    pins = "[pins]\ncut_card = 27\nnext = {pin = 22, active_low = false, pull_up = false}\nbuzzer = 10\nlid = 4\n"
    lamps = "[lamps]\nR1 = 5\nR2 = {pin = 5, active_low = false}\nP1 = {pin = 6, active_low = true}\nready = 12\n"
    config.write_text(f'[table]\nid = "T1"\n{pins}{lamps}')
    assert main(["wiring", "--config", str(config), "--svg", str(tmp_path / "a.svg")]) == 0
    return (tmp_path / "a.svg").read_text()


def test_everything_in_the_picture_can_be_read(drawn: str) -> None:
    pins, text = worst(drawn, {each.pin for each in LOOKS.values()} | {each.wire for each in LOOKS.values()})
    assert (pins >= 3, text >= 4.5) == (True, True), (pins, text)
    assert len({(each.pin, each.wire) for each in LOOKS.values()}) == len(LOOKS)


def test_the_picture_says_what_a_level_means_and_which_ground_to_take(drawn: str) -> None:
    texts = [text for _, _, text in elements(drawn)[1]]
    assert {each.word for each in LOOKS.values()} <= set(texts)
    assert {"lamp R1, lamp R2 (high = lit)", "lamp P1 (low = lit)", "buzzer (high = on)"} <= set(texts)
    assert {"cut-card sensor (to ground)", "NEXT key (high = active)"} <= set(texts)
    assert {"ground for keys and sensors", "ground for lamps"} <= set(texts)


def test_lamps_have_a_ground_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    found = {number: pin["use"] for number, pin in pins(capsys, EXAMPLE).items() if pin["kind"] == "ground"}
    assert {number: use for number, use in found.items() if use} == {14: "input", 34: "output"}


def test_no_text_leaves_the_picture(drawn: str) -> None:
    for _, said, text in elements(drawn)[1]:
        width = wide(text, float(said["font-size"]), "font-weight" in said)
        left = float(said["x"]) - {"middle": width / 2, "end": width}.get(said.get("text-anchor", ""), 0)
        assert left >= 0, text
        assert left + width <= WIDTH, text


def test_a_picture_is_printed_where_the_file_is_a_dash(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["wiring", "--config", str(EXAMPLE), "--svg", "-"]) == 0
    assert capsys.readouterr().out.startswith("<svg ")
    assert not list(tmp_path.iterdir())


def test_a_picture_that_cannot_be_written_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["wiring", "--config", str(EXAMPLE), "--svg", str(tmp_path / "none" / "a.svg")]) == 1
    assert "choose a file that can be written" in capsys.readouterr().err
