"""`shoe watch` in a terminal: its picture, its keys, and what it does in a small terminal or one without a cursor."""

import fcntl
import os
import pty
import re
import signal
import struct
import termios
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final, get_args

import pytest

from firmware_bridge.cli.watch.health import FORMS, OF_READS, TROUBLE
from firmware_bridge.cli.watch.machine import rows
from firmware_bridge.cli.watch.model import Watched
from firmware_bridge.facts.book.measures import Shown, measures
from firmware_bridge.topics.texts import LANGUAGES
from tests.cli.watch import watched
from tests.kit import broker as real
from tests.kit import command
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import ended, until

broker, brokers, table = real.broker, real.brokers, watched.table  # fixtures


CODE: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""A colour, or a move of the cursor."""


class Terminal:
    """A pseudo-terminal of a size, with `shoe watch` in it."""

    def __init__(self, bridge: DaemonTable, rows: int, columns: int, *words: str, term: str = "xterm-256color") -> None:
        self._bridge = bridge
        self.ours, theirs = pty.openpty()
        self.size(rows, columns)
        self.before = termios.tcgetattr(theirs)
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs, "env": os.environ | {"TERM": term}}
        self.process = command.spawn("watch", "--config", bridge.config_path, *words, **streams)
        self.theirs = theirs
        os.set_blocking(self.ours, False)
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self.forget()

    def forget(self) -> None:
        """Forget what was shown until now."""
        self.shown, self._plain, self._begun = "", "", ""

    def size(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def sees(self, text: str) -> bool:
        with suppress(BlockingIOError):
            came = self._decoder.decode(os.read(self.ours, 65_536))
            self.shown += came
            plain, code, begun = CODE.sub("", self._begun + came).partition("\x1b")
            self._plain, self._begun = self._plain + plain, code + begun
        return text in self._plain

    def until(self, text: str) -> None:
        self._bridge.until(lambda: self.sees(text))

    def until_still(self, text: str) -> None:
        """The same, while the board says nothing that would push it out of the picture."""
        until(lambda: self.sees(text), story=self._bridge.story)

    def close(self) -> None:
        self.process.kill()
        ended(self.process)
        os.close(self.ours)
        os.close(self.theirs)


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    made: list[Terminal] = []

    def make(*arguments: Any, **options: Any) -> Terminal:
        made.append(Terminal(*arguments, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_terminal_shows_it_all_and_q_quits(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table(pins={"next": 22}, lamps={"P1": 5})
    bridge.deal("9s")
    shown = terminal(bridge, 24, 80)
    shown.until("IN ORDER")
    shown.until("inputs   next")
    shown.until("outputs  P1")
    shown.size(60, 80)  # in 24 rows there are the last two frames
    shown.process.send_signal(signal.SIGWINCH)
    bridge.deal("Td")
    shown.until_still("02 01 ?? ..")
    assert "quality" in shown.shown
    shown.forget()
    shown.size(40, 120)
    shown.process.send_signal(signal.SIGWINCH)
    shown.until("table T07")
    os.write(shown.ours, b"q")
    assert ended(shown.process) == 0
    assert termios.tcgetattr(shown.theirs) == shown.before
    assert "Traceback" not in shown.shown


def test_a_terminal_whose_daemon_goes(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table()
    shown = terminal(bridge, 24, 80)
    shown.until("table T07")
    bridge.stop()
    shown.until("NO DAEMON: ")
    shown.process.send_signal(signal.SIGINT)
    assert ended(shown.process) == 0


def test_space_lets_the_picture_stand_still(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table()
    shown = terminal(bridge, 24, 80)
    shown.until("SPACE: pause")
    os.write(shown.ours, b" ")
    shown.until("PAUSED. SPACE: go on; Ctrl-C or q: end")
    shown.forget()
    bridge.deal("9s Td")
    bridge.until(lambda: status(bridge)["table"]["due"] == "P2")
    assert not shown.sees("9♠")
    os.write(shown.ours, b" ")
    shown.until("9♠")
    os.write(shown.ours, b"Q")
    assert ended(shown.process) == 0


def test_the_last_round_stays_on_the_felt_until_the_next_begins(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table()
    shown = terminal(bridge, 40, 120)
    bridge.deal("9s Td Ks Qc")
    shown.until("round 1 over, round 2 ready")
    shown.until("wins")
    shown.until("round 1: PLAYER 9:0, natural")
    shown.until("Big road")
    shown.forget()
    bridge.deal("2h")
    shown.until("║ DRAW ║")


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table()
    shown = terminal(bridge, 24, 80, term="dumb")
    shown.until("this terminal cannot move its cursor (TERM=dumb); showing lines; Ctrl-C: end")
    bridge.deal("9s")
    shown.until("round 1 dealing  Draw a card: Banker card 1  P1 9s")
    shown.process.send_signal(signal.SIGINT)
    assert ended(shown.process) == 0
    assert "\x1b" not in shown.shown


def test_a_small_terminal_gets_the_same_in_lines(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table()
    shown = terminal(bridge, 20, 60)
    shown.until("this terminal is 60x20; the picture needs 80x22; showing")
    shown.until("next     open a shoe: sudo shoe do open-shoe --by NAME")
    shown.size(22, 80)
    shown.until("╭─ table T07")


def test_the_dealer_sees_what_is_due_in_a_language(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table(pins={"next": 22}, lamps={"P1": 5})
    shown = terminal(bridge, 24, 80, "--dealer", "--lang", "zh-Hant")
    shown.until("不要抽牌：等候下一靴")
    bridge.deal("9s")
    shown.until("▶ 發牌：莊第 1 張")
    shown.until("發牌：閒第 1 張")


WELL = {
    "uptime_s": 93_900,
    "reader": {
        "reads": 412,
        "unread": 0,
        "frames_bad": 0,
        "quality": 231.4,
        "lamp": 198,
        "ambient": 12,
        "temperature": 41.5,
        "quality_calibrated": 233.0,
        "lamp_calibrated": None,
        "forecast": None,
    },
    "disk_free_mb": 21_480,
    "temperature": 52.0,
    "under_voltage": False,
    "queue": 0,
    "faults": [],
    "orders_refused": 0,
    "unmarked": {},
}
BAD = {
    "under_voltage": True,
    "faults": ["P1"],
    "queue": 1,
    "orders_refused": 3,
    "unmarked": {"WU": 1, "": 2},
    "reader": {"reads": 1, "unread": 1, "frames_bad": 2, "forecast": "clean the optics within 3 days", "dust": 4},
}


@pytest.mark.parametrize(
    ("health", "said"),
    [
        (
            WELL,
            (
                "412 cards read, all of them well; quality 231.4 (calibrated at 233); its lamp 198; ambient light 12; "
                "reader 41.5 °C; Pi 52 °C; 21,480 MB of disk free; up 1 day 2 h"
            ),
        ),
        (
            BAD,
            (
                "UNDER-VOLTAGE: change the power supply or its cable; failed their test: P1; "
                "clean the optics within 3 days; 3 orders refused: too many came; 1 entry waiting for broker or store; "
                "marks taken back: WU 1, no dealer 2; 1 card read, 1 not read, 2 damaged frames; dust 4"
            ),
        ),
        ({"reader": {"reads": 0, "unread": 0}, "uptime_s": 59}, "0 cards read; up 0 min"),
    ],
)
def test_health_is_said_in_words_what_is_wrong_first(health: dict[str, Any], said: str) -> None:
    assert list(rows({"health": health})) == [("health", said)]


def test_a_number_without_a_sentence_has_its_label_in_each_language() -> None:
    said = [dict(rows({"health": {"certificate_days": 29}}, lang))["health"] for lang in LANGUAGES]
    assert said == ["Days until a certificate ends: 29", "憑證到期前的天數：29", "证书到期前的天数：29"]


def test_every_form_of_a_value_is_said() -> None:
    said_elsewhere = {"heard", "beside"}
    assert set(FORMS) == set(get_args(Shown)) - said_elsewhere
    assert {*TROUBLE, *OF_READS} <= {row.id for row in measures()}


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 10), (132, 50)])
def test_a_screen_fits_its_terminal(table: Any, width: int, height: int) -> None:
    bridge = table(table={"decks": 1}, pins={"next": 22}, lamps={"P1": 5})
    bridge.deal("9s 9s")
    watched = Watched()
    frames = [{"n": n, "at": 0, "way": "in", "hex": "04 " * 60} for n in range(100)]
    seen = {"signal": {}, "good": 1, "bad": 0, "frames": frames, "pins": {"inputs": {}, "outputs": {"P1": None}}}
    watched.update(bridge.ask(do="status") | {"seen": seen})
    lines = [line.plain for line in watched.screen(width, height, "q ends")]
    assert len(lines) == height
    assert max(map(len, lines)) <= width
    if height > 20:
        assert "sudo shoe do resolve duplicate remove --by NAME" in re.sub(r"[│\s]+", " ", " ".join(lines))
