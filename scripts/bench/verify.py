"""Lines of exports a second that the verifier checks, with every signature, as a program of its own.

Ends with 1 below --least; prints the load of the machine, and CPU beside wall time, which is the figure on a busy one.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from firmware_bridge.record import verify
from tests.record.exports import SignedRecord, policy_text


def exported(folder: Path, shoes: int) -> list[str]:
    """Files of a table that played, with the page of its key as `keys.txt`."""
    record = SignedRecord(folder / "journal").begin_device()
    for _ in range(shoes):
        record.open_shoe()
        record.play(8)
    record.close()
    names = []
    for number, lines in enumerate(record.exports()):
        names.append(f"{number:04}.export")
        (folder / names[-1]).write_bytes(b"".join(lines))
    (folder / "keys.txt").write_text(policy_text(quorum="none"))
    return names


def seconds(folder: Path, *arguments: str) -> tuple[float, float, str]:
    """Seconds of CPU and by the clock that the verifier takes, and what it prints first."""
    before, began = os.times(), time.perf_counter()
    done = subprocess.run([sys.executable, verify.__file__, *arguments], cwd=folder, capture_output=True, text=True)
    wall, after = time.perf_counter() - began, os.times()
    assert done.returncode == 0, done.stdout + done.stderr
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, wall, done.stdout.splitlines()[0]


def main() -> int:
    """Verifies some days of a table, the best of some runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--least", type=int, default=0, metavar="N", help="lines a second of CPU")
    parser.add_argument("--shoes", type=int, default=200, metavar="N")
    parser.add_argument("--runs", type=int, default=5, metavar="N")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = exported(folder, arguments.shoes)
        start = min(seconds(folder, "--help")[0] for _ in range(arguments.runs))
        runs = [seconds(folder, "--policy", "keys.txt", *files) for _ in range(arguments.runs)]
        cpu, wall, said = min(runs)
        count = int(said.split()[0])
    print(f"{said}; {len(files)} files, load {os.getloadavg()[0]:.1f}, start {start:.2f} s")
    rate = count / (cpu - start)
    print(f"{rate:,.0f} lines/s of CPU, {count / wall:,.0f} by the clock with its start")
    return 0 if rate >= arguments.least else 1


if __name__ == "__main__":
    raise SystemExit(main())
