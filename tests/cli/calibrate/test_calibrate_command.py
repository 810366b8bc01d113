"""`shoe calibrate` as a technician runs it, over SSH or unattended, with and without the daemon."""

from collections.abc import Callable

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli.calibrate.session import Guide
from firmware_bridge.daemon.devices.code_books import NATIVE_CUT_CARD
from hardware.sim.code_boards import LineBoard
from hardware.sim.optics import Light
from tests.cli.calibrate import visit as visits
from tests.cli.calibrate import wired
from tests.cli.calibrate.visit import Visit, lost, puller, record
from tests.kit.daemon_table import BridgeTable

table, wired_table = visits.table, wired.table  # fixtures

WEAK = Light(ink=0.4, noise=25.0)


def test_the_reader_is_calibrated_while_the_daemon_runs(table: Callable[..., BridgeTable]) -> None:
    bridge = table(WEAK)
    bridge.until(lambda: bridge.bridge.table.shoe.device.reader is not None)
    visit = Visit(bridge, "reader", "--yes", "--json", "--cards", 6)
    assert visit.work(puller(bridge)) == 0, visit.story()
    result = visit.json[-1]
    assert (result["step"], result["ok"], result["measured"]["decode_rate"]) == ("reader", True, 1.0)
    assert result["before"]["threshold"] == 512
    assert bridge.board.params[1] == result["after"]["threshold"] != 512
    kept = record(bridge).reader
    assert kept
    assert (kept.by, kept.after, kept.measured.cards) == ("anna", result["after"], 6)
    assert kept.measured.lamp == 198
    bridge.until(lambda: not lost(bridge))
    assert bridge.bridge.table.shoe.number == 0
    bridge.board.reset()
    assert bridge.board.params[1] == result["after"]["threshold"]

    back = Visit(bridge, "reader", "--undo", "--json")
    assert back.end() == 0, back.story()
    assert bridge.board.params[1] == 512
    assert record(bridge).reader is None


def test_a_print_too_weak_is_refused_and_the_board_has_its_settings_from_before(
    table: Callable[..., BridgeTable],
) -> None:
    bridge = table(Light(ink=0.8))
    before = dict(bridge.board.params)
    visit = Visit(bridge, "reader", "--yes")
    assert visit.work(puller(bridge)) == 1
    assert "NOT CALIBRATED: the print is too weak" in visit.story()
    assert bridge.board.params == before
    assert record(bridge).reader is None
    bridge.until(lambda: not lost(bridge))


def test_nobody_pulls_a_card(table: Callable[..., BridgeTable]) -> None:
    visit = Visit(table(WEAK), "reader", "--yes", "--json", "--patience", 0.5)
    assert visit.end() == 1
    assert visit.json[-1]["error"].startswith("the sensor saw no card")


def test_it_is_refused_in_a_round(table: Callable[..., BridgeTable]) -> None:
    bridge = table(Light())
    bridge.board.params |= {1: 1_500, 5: 0}
    bridge.board.pull(3)
    bridge.until(lambda: bridge.bridge.table.shoe.number == 1)
    visit = Visit(bridge, "reader", "--yes")
    assert visit.end() == 1
    assert "round 1 is open; finish or void it, then calibrate" in visit.story()


def test_without_a_daemon_the_device_is_opened_here_and_the_daemon_is_notified(
    table: Callable[..., BridgeTable],
) -> None:
    bridge = table(WEAK, start=False)
    visit = Visit(bridge, "reader", "--yes", "--json", "--cards", 3)
    assert visit.work(puller(bridge)) == 0, visit.story()
    bridge.start()
    bridge.until(lambda: bridge.bridge.table.shoe.device.reader is not None and not lost(bridge))
    events = [event for line in bridge.lines() if line.entry for event in line.entry.events]
    assert {"count": 8, "by": "anna"} in [getattr(event, "values", None) for event in events]
    assert not (bridge.journal_dir / "technician").exists()
    assert bridge.bridge.table.shoe.number == 0
    bridge.board.pull(7)
    bridge.until(lambda: bridge.bridge.table.shoe.seen)
    assert len(bridge.bridge.table.shoe.seen) == 1


def test_without_a_daemon_an_open_shoe_is_refused(table: Callable[..., BridgeTable]) -> None:
    bridge = table(WEAK, start=False)
    bridge.board.optics = None
    bridge.start()
    bridge.deal("9s Td")
    bridge.stop()
    bridge.pull("Ts")  # a real card: it waits for the daemon
    visit = Visit(bridge, "reader", "--yes", "--open-shoe")
    assert visit.end() == 1
    assert "shoe 1 is open, and its cards may wait in the reader" in visit.story()
    assert bridge.board.waiting == 1
    bridge.start()
    bridge.until(lambda: len(bridge.bridge.table.shoe.seen) == 3)


def test_no_code_of_a_card_is_ever_shown(table: Callable[..., BridgeTable]) -> None:
    bridge = table(WEAK)
    visit = Visit(bridge, "reader", "--yes", "--cards", 3)
    code = 0x2AA5

    def pull(_: int) -> None:
        bridge.board.pull(code)
        bridge.pty.tick()

    assert visit.work(pull) == 0, visit.story()
    assert str(code) not in visit.story()
    assert str(NATIVE_CUT_CARD) + " " not in visit.story()


def test_a_string_reader_has_its_test_pass(wired_table: Callable[..., BridgeTable]) -> None:
    bridge = wired_table(LineBoard(), reader=wired.LINE).start()
    visit = Visit(bridge, "reader", "--yes", "--json", "--cards", 3)
    visit.said("pull 3 cards")
    wired.pull(bridge, ["As", "Kd", "7c"])
    assert visit.end() == 0, visit.story()
    assert visit.json[-1]["measured"]["decode_rate"] == 1.0
    again = Visit(bridge, "reader", "--yes", "--cards", 2)
    again.said("pull 2 cards")
    wired.pull(bridge, ["As", "nonsense"])
    assert again.end() == 1
    assert "only 1 of 2 cards were read" in again.story()


def test_the_live_bar_says_what_it_shows(mocker: MockerFixture, capsys: pytest.CaptureFixture[str]) -> None:
    mocker.patch("sys.stdout.isatty", return_value=True)
    guide = Guide("reader", as_json=False, yes=True)
    guide.bar(0.1, 5, 5, "cards", "signal now")
    guide.bar(1.0, 20, 20, "20 read")
    signal, done = capsys.readouterr().out.split("\r\x1b[K")[1:]
    assert signal.startswith("  signal now ███░")
    assert signal.endswith(" 5/5 cards")
    assert done == f"  done {'█' * 30} 20/20 20 read"


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["nothing"], 2, "'nothing' is unknown; use one of: reader, cut-card,"),
        (["reader", "--cards", "0"], 2, "is not a number of cards"),
        (["reader", "--undo"], 1, "never calibrated"),
        (["reader", "--by", "an\x7fna"], 2, "contains the character"),
        (["reader", "--by", "anna\nbo"], 2, "contains the character"),
        (["reader", "--by", "anna\x85"], 2, "contains the character"),
        (["reader", "--by", "anna\udcff"], 2, "contains the character"),
    ],
)
def test_wrong_words(table: Callable[..., BridgeTable], words: list[str], code: int, text: str) -> None:
    visit = Visit(table(WEAK, start=False), *words)
    assert visit.end() == code
    assert text in visit.story()


@pytest.mark.parametrize("damaged", ["[reader", '[reader]\nat = "x"\nby = "y"\n[reader.after]\nmin_quality = 900\n'])
def test_a_damaged_record_is_set_aside_and_calibrated_anew(table: Callable[..., BridgeTable], damaged: str) -> None:
    bridge = table(WEAK, start=False)
    bridge.journal_dir.mkdir()
    (bridge.journal_dir / "calibration.toml").write_text(damaged)
    visit = Visit(bridge, "reader", "--yes", "--cards", 3)
    assert visit.work(puller(bridge)) == 0, visit.story()
    assert "it was moved to" in visit.story()
    assert (bridge.journal_dir / "calibration.toml.damaged").read_text() == damaged
    assert record(bridge).reader
