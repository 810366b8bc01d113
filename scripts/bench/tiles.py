"""The tiles of a table's record after a year: what is in their folder, and how long one takes to write.

Entries a round are counted in shuffled shoes of 70 rounds, cards open and cards sealed, as the rules of the game deal
them, without orders of a backend. The tiles of so many leaves are then written as the daemon does, one after the other.
"""

import argparse
import tempfile
import time
from hashlib import sha256
from pathlib import Path

from firmware_bridge.record.tiles import WIDTH, Tiles
from scripts.bench.verify import DISCLOSE, ROUNDS, exported


def sizes(folder: Path) -> tuple[int, int, int]:
    """Return the files of a folder: how many, their bytes, and the bytes that they and the directories take on disk."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    taken = sum(path.stat().st_blocks * 512 for path in (folder, *folder.rglob("*")))
    return len(files), sum(path.stat().st_size for path in files), taken


def main() -> int:
    """Write the tiles of a year, once for open cards and once for sealed ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60, metavar="N", help="an hour")
    parser.add_argument("--hours", type=int, default=20, metavar="N", help="a day")
    parser.add_argument("--days", type=int, default=365, metavar="N")
    parser.add_argument("--shoes", type=int, default=10, metavar="N", help="in which entries are counted")
    parser.add_argument("--dir", help="where the folder goes, on the file system that counts")
    asked = parser.parse_args()
    for disclose in DISCLOSE:
        with tempfile.TemporaryDirectory(dir=asked.dir) as name:
            played, folder = Path(name) / "played", Path(name) / "tree"
            lines = sum((played / each).read_bytes().count(b"\n") for each in exported(played, asked.shoes, disclose))
            a_round = lines / (asked.shoes * ROUNDS)
            entries = round(a_round * asked.rounds * asked.hours * asked.days)
            tiles, used = Tiles(folder), 0.0
            for number in range(entries // WIDTH):
                leaves = [sha256(b"%d %d" % (number, place)).digest() for place in range(WIDTH)]
                began = time.process_time()
                tiles.append(leaves)
                used += time.process_time() - began
            count, data, taken = sizes(folder)
        print(f"{disclose}: {a_round:.2f} entries a round, {entries / asked.days:,.0f} a day, {entries:,} in all")
        print(f"{count:,} files, {data / 1e6:.1f} MB, {taken / 1e6:.1f} MB on disk, {data / entries:.2f} an entry")
        print(f"{used / (entries // WIDTH) * 1e3:.2f} ms of CPU for {WIDTH} entries")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
