"""Picks mutations of all rooms of a tree by a fixed seed; the same tree gives the same ones."""

from __future__ import annotations

import ast
import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Final

from tests.tools.mutants.operators import OPERATORS, is_duration, is_unseen
from tests.tools.mutants.places import PACKAGES, Mutation, inside, places, sources

SEED: Final = 47
A_ROOM: Final = 10
"""Mutations a room; one more for each 1,000 lines."""

QUEUE: Final = 80
"""Candidates of a room, far more than are wanted."""

BRIDGE, HARDWARE = PACKAGES
PAGE: Final = f"{BRIDGE}/floor/page"
SKIPPED: Final = (
    *(f"{BRIDGE}/sim/fleet/", f"{BRIDGE}/sim/floor/"),  # demonstrations, which are no part of the product
    *(f"{BRIDGE}/journal/older.py", f"{BRIDGE}/__main__.py"),  # formats of before; one call
    # Run by scripts/test-floor alone: their engines are no dependency of scripts/test.
    *(f"{BRIDGE}/floor/source/nats/", f"{BRIDGE}/floor/store/postgres"),
    *(f"{PAGE}/{name}.py" for name in ("service", "connection", "stream", "guard", "app", "screens")),
    *(f"{BRIDGE}/errors.py", f"{HARDWARE}/errors.py"),  # nothing but names
)
"""Files of d698295: their names stay as they are, wherever these files are today."""

PASSED_OVER: Final = {
    ("act", "worth < 2 and rng.random() < 0.7"): "how bold a guest of the demo is",
    ("read_cursor", "os.close(fd)"): "one descriptor open at most until the process ends",
    ("FAULTS", "13"): "any card near the end does",
    ("dwell", "longest_card * ROOM >= shortest_cut"): "two measured times are never equal",
    ("Uplink.close", "self.outage.close()"): "a timer of a loop that ends",
}
"""Places and texts that were picked and are as good as equivalent, with the reason; the next of the room took over."""


def room(file: str) -> str:
    """The top-level package of a file, or the module beside those packages."""
    package, name, *_ = file.split("/")
    return f"{package}/{name}"


def candidates(root: Path, file: Path) -> list[Mutation]:
    """Every mutation of a file that can be named."""
    name = str(file.relative_to(root))
    found = []
    for qualified, place in places(ast.parse(file.read_bytes())):
        last = qualified.rpartition(".")[2]
        if is_duration(last) or last in ("__repr__", "__str__", "__all__"):
            continue
        unseen: set[int] = set()
        times: Counter[tuple[str, bool]] = Counter()
        for node, parent in inside(place):
            if not isinstance(node, ast.expr | ast.stmt):
                if id(parent) in unseen or is_unseen(node, parent):
                    unseen.add(id(node))
                continue
            was, is_statement = ast.unparse(node), isinstance(node, ast.stmt)
            occurrence = times[was, is_statement]
            times[was, is_statement] += 1
            if id(parent) in unseen or is_unseen(node, parent):
                unseen.add(id(node))
                continue
            for operator, change in OPERATORS.items():
                if (other := change(node, parent)) is not None:
                    found.append(
                        Mutation(
                            room=room(name),
                            file=name,
                            place=qualified,
                            operator=operator,
                            was=was,
                            becomes=ast.unparse(other),
                            occurrence=occurrence,
                            is_statement=is_statement,
                        )
                    )
    return found


def by_room(root: Path) -> dict[str, list[Path]]:
    """The files of each room that are mutated."""
    rooms: dict[str, list[Path]] = defaultdict(list)
    for path in sources(root):
        name = str(path.relative_to(root))
        if path.name != "__init__.py" and not name.startswith(SKIPPED):
            rooms[room(name)].append(path)
    return rooms


def queue(root: Path, files: list[Path], chance: random.Random) -> list[Mutation]:
    """Mutations of one room in the order they are taken: one a file before a second, the rarer operator first."""
    left = [each for file in files for each in candidates(root, file)]
    chance.shuffle(left)
    of_file: Counter[str] = Counter()
    of_operator: Counter[str] = Counter()
    of_place: Counter[tuple[str, str]] = Counter()
    taken: list[Mutation] = []
    while left and len(taken) < QUEUE:
        best = min(left, key=lambda m: (of_place[m.file, m.place], of_operator[m.operator], of_file[m.file]))
        left.remove(best)
        taken.append(best)
        of_place[best.file, best.place] += 1
        of_operator[best.operator] += 1
        of_file[best.file] += 1
    return taken


def queues(root: Path) -> dict[str, tuple[int, list[Mutation]]]:
    """By room: how many are wanted, and the candidates in their order."""
    found = {}
    for name, files in by_room(root).items():
        lines = sum(len(path.read_bytes().splitlines()) for path in files)
        found[name] = A_ROOM + lines // 1000, queue(root, files, random.Random(f"{SEED} {name}"))
    return found
