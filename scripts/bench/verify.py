"""Lines of exports a second that the verifier checks, with every signature, as a program of its own.

Ends with 1 below --least. Prints the load of the machine, and CPU beside wall time, which is the figure on a busy one.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Final, Literal

from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.events import RevealClockStarted, RoundClosed
from firmware_bridge.games import GAMES
from firmware_bridge.journal.line import Line
from firmware_bridge.record import verify
from tests.kit.journal_record import AT
from tests.record.exports import SignedRecord, device, policy_text

DISCLOSE: Final[tuple[Literal["dealt", "sealed"], ...]] = ("dealt", "sealed")
DECKS: Final = 8
ROUNDS: Final = 70
"""Rounds of a shoe."""


def exported(folder: Path, shoes: int, disclose: Literal["dealt", "sealed"]) -> list[str]:
    """Return the files of a table that dealt shuffled shoes, with the page of its key as `keys.txt`."""
    folder.mkdir()
    record = SignedRecord(folder / "journal", disclose).begin_device()
    for number in range(shoes):
        record.open_shoe()
        play(record, Random(number))
    record.close()
    names = []
    for number, lines in enumerate(record.exports()):
        names.append(f"{number:04}.export")
        (folder / names[-1]).write_bytes(b"".join(lines))
    (folder / "keys.txt").write_text(policy_text(quorum="none"))
    return names


def play(record: SignedRecord, chance: Random) -> None:
    """Play the rounds of a shoe; sealed cards are opened, one side after the other, before the next is drawn."""
    cards = list(GAMES["baccarat"].pack) * DECKS
    chance.shuffle(cards)
    rounds = 0
    while rounds < ROUNDS:
        record.take(inputs.CardRead(at=AT, card=cards.pop(), nonce=record.nonce()))
        sides = 2 if said(record.lines[-1], RevealClockStarted) else 0
        while sides and not said(record.lines[-1], RoundClosed):
            record.order(orders.Reveal(()))
            sides -= 1
        rounds += said(record.lines[-1], RoundClosed)


def said(line: Line, kind: type) -> bool:
    """Return whether an event of this kind is in an entry."""
    return any(isinstance(event, kind) for event in (line.entry.events if line.entry else ()))


def seconds(folder: Path, *arguments: str) -> tuple[float, float, str]:
    """Return the seconds by the clock, and of CPU, that the verifier takes, and what it counts, in its second line."""
    before, began = os.times(), time.perf_counter()
    done = subprocess.run([sys.executable, verify.__file__, *arguments], cwd=folder, capture_output=True, text=True)
    wall, after = time.perf_counter() - began, os.times()
    assert done.returncode == 0, done.stdout + done.stderr
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, used, done.stdout.splitlines()[1].strip()


def signature_us() -> float:
    """Return the microseconds of CPU for one signature, alone: it says how fast this machine is just now."""
    key, message, best = device(), bytes(600), float("inf")
    signature = key.sign(message)
    for _ in range(20):
        began = time.process_time()
        assert all(verify.is_signed(key.key.public, signature, message) for _ in range(100))
        best = min(best, time.process_time() - began)
    return best * 1e6 / 100


def main() -> int:
    """Verify some days of a table, the best of some runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--least", type=int, default=0, metavar="N", help="lines a second by the clock")
    parser.add_argument("--shoes", type=int, default=50, metavar="N")
    parser.add_argument("--runs", type=int, default=5, metavar="N")
    arguments = parser.parse_args()
    slowest = float("inf")
    for disclose in DISCLOSE:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / disclose
            files = exported(folder, arguments.shoes, disclose)
            start, start_cpu, _ = min(seconds(folder, "--help") for _ in range(arguments.runs))
            wall, cpu, counts = min(
                seconds(folder, "--policy", "keys.txt", "--no-witness", *files) for _ in range(arguments.runs)
            )
        count = int(counts.split()[0])
        print(f"{disclose}: {counts}; {len(files)} files, start {start:.2f} s")
        print(f"load {os.getloadavg()[0]:.1f}, a signature {signature_us():.0f} us")
        print(f"{count / (wall - start):,.0f} lines/s by the clock, {count / (cpu - start_cpu):,.0f} of CPU")
        slowest = min(slowest, count / (wall - start))
    return 0 if slowest >= arguments.least else 1


if __name__ == "__main__":
    raise SystemExit(main())
