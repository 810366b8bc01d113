"""The simulators a technician can run, and what they refuse."""

import os
import signal
from pathlib import Path
from signal import Signals
from typing import Any

import pytest

from hardware.ports import close_tty, open_tty
from hardware.readers import READERS, ReaderSettings
from hardware.readers.messages import Read, Unread
from hardware.sim.boards import BOARDS
from tests.kit.cable import BadCable
from tests.kit.patience import ended, until
from tests.kit.process import python


def heard(protocol: str, words: str, enough: int, tmp_path: Path, hold: float = 0.0) -> list[int | str]:
    """What a host hears of a simulated reader that is told `words`."""
    link = tmp_path / "reader"
    with python("-m", "hardware.sim", "--link", link, "--protocol", protocol, stdin=-1, stdout=-1, text=True) as sim:
        assert str(link) in sim.stdout.readline()
        port = open_tty(str(link), 115_200)
        decoder = READERS[protocol].decoder(ReaderSettings(hold=hold))
        sim.stdin.write(words)
        sim.stdin.flush()
        messages: list[Read | Unread] = []

        def is_enough() -> bool:
            for message in decoder.feed(port.read(4096)):
                if isinstance(message, Read | Unread):
                    messages.append(message)
                    os.write(port.fileno(), (message.report and decoder.acknowledge(message.report)) or b"")
            return len(messages) >= enough

        until(is_enough, story=lambda: messages)
        close_tty(port)
        sim.stdin.write("quit\n")
        sim.stdin.flush()
        assert ended(sim) == 0
        assert not link.is_symlink()
    return [getattr(message, "code", None) or message.reason for message in messages]


@pytest.mark.parametrize("protocol", READERS)
def test_every_protocol_has_a_simulated_reader_that_it_reads(protocol: str) -> None:
    board: Any = BOARDS[protocol]()
    code = {"lots": 17, "names": "8s", "labels": "A17", "tags": "01006A5344"}[board.papers]
    board.pull(code)
    decoder = READERS[protocol].decoder(ReaderSettings())
    assert code in [getattr(each, "code", None) for each in decoder.feed(board.tick(0) + board.tick(1))]


def test_a_native_board_by_hand(tmp_path: Path) -> None:
    assert heard("native", "17\nnonsense\n0x19\njam\n", 3, tmp_path) == [17, 25, "jam"]


@pytest.mark.parametrize(
    ("protocol", "codes"),
    [
        ("line", ["A17", "B2"]),
        ("grow", ["A17", "B2"]),
        ("ssi", ["A17", "B2", "B2"]),
        ("rdm6300", ["01006A5344", "01006A5345"]),
        ("angel-eye", ["As", "8s", "Kh"]),
    ],
)
def test_a_reader_by_hand(protocol: str, codes: list[str], tmp_path: Path) -> None:
    refused = {"ssi": 99 * "x", "rdm6300": "nonsense", "angel-eye": "nonsense\n8"}.get(protocol, "")
    words = "\n".join((refused, *codes, ""))
    hold = 60.0 if protocol == "rdm6300" else 0.0  # where the simulator waits for a core, its repeats come late
    assert heard(protocol, words, len(codes), tmp_path, hold) == codes


@pytest.mark.parametrize(
    ("harm", "length", "changed"),
    [({}, 10_000, 0), ({"flipped": 0.2}, 10_000, 2_000), ({"flipped": 1.0}, 10_000, 10_000)],
)
def test_a_cable_flips_as_many_bytes_as_it_says(harm: dict[str, Any], length: int, changed: int) -> None:
    out = BadCable(1, **harm).carry(bytes(10_000))
    assert len(out) == length
    assert sum(map(bool, out)) == pytest.approx(changed, rel=0.1)


@pytest.mark.parametrize(("chance", "left"), [(0.0, 10_000), (0.2, 8_000), (1.0, 0)])
def test_a_cable_drops_as_many_bytes_as_it_says(chance: float, left: int) -> None:
    assert len(BadCable(1, dropped=chance).carry(bytes(10_000))) == pytest.approx(left, rel=0.05)


def test_a_cable_does_the_same_for_the_same_seed() -> None:
    assert BadCable(3, flipped=0.3).carry(bytes(99)) == BadCable(3, flipped=0.3).carry(bytes(99))
    assert BadCable(3, flipped=0.3).carry(bytes(99)) != BadCable(4, flipped=0.3).carry(bytes(99))


@pytest.mark.parametrize(
    ("end", "execute"), [(signal.SIGINT, False), (signal.SIGTERM, True), (signal.SIGHUP, False)], ids=str
)
def test_an_end_leaves_no_device_behind_forked_and_started(tmp_path: Path, end: Signals, execute: bool) -> None:
    link = tmp_path / "reader"
    with python("-m", "hardware.sim", "--link", link, execute=execute, stdin=-1, stdout=-1, text=True) as sim:
        sim.stdout.readline()
        sim.send_signal(end)
        assert ended(sim) == 0
    assert not link.is_symlink()
