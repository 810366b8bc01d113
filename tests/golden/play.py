"""The scenarios of the golden digests: deal scripts, whole shoes and wild sequences, played by seeded chance.

Chance is `random.Random.randrange` only, which gives the same on every machine and with every Python.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from firmware_bridge import cli
from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.line import FIRST_CHAIN
from tests.golden import golden_table as t
from tests.golden.dealer import Dealer
from tests.golden.digests import Tape, steady
from tests.golden.golden_table import NAMES, GoldenTable
from tests.golden.wild import Wild

TESTS: Final = Path(__file__).parent.parent
PROCEDURES: Final = ("on-demand", "six-card")
DISCLOSURES: Final = ("dealt", "sealed")
POLICIES: Final = ("keep-order", "us-burn", "macau", "studio")
SHOES: Final = 200
SEQUENCES: Final = 700
REPLAYED: Final = 8
"""One in so many journals also goes through `shoe replay`."""

Scenario = Callable[[Tape], None]


def scenarios() -> dict[str, Scenario]:
    """Name -> what plays it."""
    return dict([*_scripts(), *_vectors(), *_shoes(), *_sequences()])


# ---------------------------------------------------------------- deal scripts and the shoes of the vectors


def _scripts() -> Iterator[tuple[str, Scenario]]:
    for path in sorted((TESTS / "shoes").glob("*.deal")):
        for procedure in PROCEDURES:
            yield f"command-{path.stem}-{procedure}", _command(path, procedure)
            for disclose in DISCLOSURES:
                for policy in POLICIES:
                    given = {"procedure": procedure, "disclose": disclose, "policy": policy}
                    yield f"script-{path.stem}-{procedure}-{disclose}-{policy}", _script(path, given)


def _command(path: Path, procedure: str) -> Scenario:
    def play(tape: Tape) -> None:
        replayed(tape, str(path), "--procedure", procedure)
        replayed(tape, str(path), "--procedure", procedure, "--no-burn")

    return play


def _script(path: Path, given: dict[str, Any]) -> Scenario:
    def play(tape: Tape) -> None:
        settings = json.loads(path.read_text().splitlines()[0].removeprefix("#=").split("|")[0])
        dealt(tape, path.read_text(), **settings | given)

    return play


def _vectors() -> Iterator[tuple[str, Scenario]]:
    for n, line in enumerate((TESTS / "vectors" / "shoes.jsonl").read_text().splitlines()):
        yield f"vector-{n}", _vector(json.loads(line), PROCEDURES[n % 2])


def _vector(shoe: dict[str, Any], procedure: str) -> Scenario:
    order, cut = shoe["order"], shoe["cut_before_index"]
    text = f"shoe {' '.join(order[:cut])} cut {' '.join(order[cut:])}"
    return lambda tape: dealt(tape, text, procedure=procedure)


def dealt(tape: Tape, text: str, **settings: Any) -> None:
    """A deal script as `shoe replay` plays it, under any settings."""
    table = GoldenTable(tape, Random(0), **settings)
    replay = Replay(house_of(**settings), "T07", lambda warning: tape.say("replay", warning))
    table.chain = FIRST_CHAIN
    for line in replay.play(parse(text)):
        table.shoe = replay.shoe
        table.record(line)
        table.record_states()


def replayed(tape: Tape, *words: str) -> None:
    """What the command `shoe replay` prints."""
    out, errors = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = cli.main(["replay", *words])
    out.flush()
    for line in out.buffer.getvalue().splitlines():
        tape.say("replay", steady(line))
    tape.say("replay", [code, errors.getvalue().replace(words[0], "FILE")])


def journal_replayed(tape: Tape, lines: list[bytes]) -> None:
    """Each journal of a table through `shoe replay`."""
    journals: dict[str, list[bytes]] = {}
    for line in lines:
        journals.setdefault(json.loads(line.split(b"\t")[3])["journal"], []).append(line)
    with tempfile.TemporaryDirectory() as directory:
        for data in journals.values():
            path = Path(directory) / "journal"
            path.write_bytes(b"".join(data))
            replayed(tape, str(path))


# ---------------------------------------------------------------- whole shoes


def _shoes() -> Iterator[tuple[str, Scenario]]:
    for n in range(SHOES):
        yield f"shoe-{n:03}", lambda tape, n=n: whole_shoe(tape, n)  # type: ignore[misc]


def whole_shoe(tape: Tape, n: int) -> None:
    """A shuffled shoe from its first card to its end, as a good dealer deals it."""
    chance = Random(n)
    settings = {
        "procedure": PROCEDURES[n % 2],
        "disclose": DISCLOSURES[n // 2 % 2],
        "policy": POLICIES[n // 4 % 4],
        "betting": ("ignored", "required")[n // 16 % 2],
        "close": ("auto", "next", "result")[n // 32 % 3],
        "burn": ("none", "first-card", 0, 1, 7)[chance.randrange(5)],
        "after_cut": ("finish", "one-more")[chance.randrange(2)],
        "virtual_cut": (None, None, 14)[chance.randrange(3)],
        "decks": 1,
    }
    pack = NAMES.copy()
    for last in range(len(pack) - 1, 0, -1):
        other = chance.randrange(last + 1)
        pack[last], pack[other] = pack[other], pack[last]
    table = Dealer(tape, chance, **settings)
    table.pack, cut_at = pack, chance.randrange(10, 60)
    table.order("open_shoe")
    while table.phase != "ended" and table.inputs < 200:
        if table.drawn == cut_at:
            cut_at = -1
            table.take(t.cut_card("sensor"))
        table.step()
    if n % REPLAYED == 0:
        journal_replayed(tape, table.lines)


# ---------------------------------------------------------------- wild sequences


def _sequences() -> Iterator[tuple[str, Scenario]]:
    for n in range(SEQUENCES):
        yield f"sequence-{n:03}", lambda tape, n=n: sequence(tape, n)  # type: ignore[misc]


def sequence(tape: Tape, n: int) -> None:
    """Whatever people and devices do, at a table of any settings."""
    chance = Random(10_000 + n)
    table = Wild(tape, chance, **_any_settings(chance, n))
    table.pack = [] if n % 9 == 0 else [NAMES[chance.randrange(52)] for _ in range(60)] if n % 2 else NAMES.copy()
    table.observing = n % 50 == 49
    begin = 14 if n % 4 == 0 else 0
    while table.inputs < 40:
        if table.inputs < begin:
            table.single()
        else:
            table.act()
    if n % (REPLAYED * 2) == 0:
        journal_replayed(tape, table.lines)


def _any_settings(chance: Random, n: int) -> dict[str, Any]:
    def one_of(*values: Any) -> Any:
        return values[chance.randrange(len(values))]

    return {
        "procedure": PROCEDURES[n % 2],
        "disclose": DISCLOSURES[n // 2 % 2],
        "policy": POLICIES[n // 4 % 4],
        "betting": one_of("ignored", "required"),
        "close": one_of("auto", "next", "next", "result"),
        "burn": one_of("none", "none", "first-card", 1, 3, 30, 44),
        "after_cut": one_of("finish", "one-more"),
        "new_shoe": one_of("command", "command", "auto"),
        "virtual_cut": one_of(None, None, 14, 20, 45),
        "decks": one_of(1, 1, 1, 2),
        "mode": one_of("standard", "vip", "vip", "squeeze"),
        "shoe_change_after": one_of(0, 0, 1),
        "shoe_change_minutes": one_of(1, 5),
        "fly_limit": one_of(1, 2, 5),
        "reveal_timeout": one_of(20, 60),
        "confirm_shuffle": one_of(False, False, False, False, True),
        "leading_ties": one_of("first-bead", "own-column"),
        "row1_limit": one_of("stay", "descend"),
        "good_roads": one_of(None, None, ()),
        "tiger_pair_top": one_of("identical", "same-rank"),
        "natural_bets": one_of("must-win", "any-natural"),
        "squeeze": one_of("largest-stake", "any-bettor"),
        "limits": one_of({}, {"min": 100, "tie": {"min": "5.50", "max": 1000}}),
    }
