"""Exports that somebody doctored, each with the exit code and the first line of the verdict that an auditor reads.

Those of `test_doctored` and `test_unshown` are among them; here are more, and a table that is in play.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.record import test_doctored as doctored
from tests.record import test_unshown as unshown
from tests.record.doctoring import (
    OF_OTHER,
    OTHER,
    a_note_of_another_key,
    an_early_note_and_another_end,
    another_tables_export,
    another_tables_export_and_key,
    another_tables_shoe_between,
    cut_in_a_line,
    in_order,
    notes,
    notes_by,
    page,
    shorter,
    strange_witnesses,
    tail,
    the_last_checkpoint_is_taken_off,
    without,
)
from tests.record.exports import ORIGIN, SECOND, policy_text
from tests.record.test_doctored import FIRST_KEY, THIEF, Given

Row = tuple[str, Callable[[Given], Given], int, str]
"""Which export it was, what was done to it, the exit code, and the first line as a pattern."""

FIVE: Final = r"T07: 5 rounds of shoes 1 and 2, 14 Nov 2023 22:13( to 20 Nov 2026 20:45)? UTC"
THREE: Final = r"T07: 3 rounds of shoes 1 and 2, 14 Nov 2023 22:13 UTC"
UNSIGNED: Final = r"NOT CHECKED  under no signature: "
NO_KEY: Final = r"NOT CHECKED  under a key that nobody gave: "
NOT_SHOWN: Final = r"NOT CHECKED  not everything is shown: "
NO_WITNESS: Final = r"NOT CHECKED  no witness to rely on: "
AFTER_ONE: Final = r"; the round that ended last before it is round 1 of shoe 1, 14 Nov 2023 22:13 UTC"
BEYOND: Final = (
    rf"{UNSIGNED}3\.export, lines 15 to 15: the last 1 of 24 entries of {ORIGIN} are not signed: anybody can"
)
OLD: Final = {**doctored.DOCTORED, **unshown.UNSHOWN}

ROWS: Final[dict[str, Row]] = {
    # what the table signed, and what is in play
    "nothing": ("ended", lambda given: given, 0, rf"{THREE}, are as the table signed them; 2 of 3 witnesses have seen"),
    "two births": ("honest", lambda given: given, 0, rf"{FIVE}, are as the table signed them; 2 of 3 witnesses have"),
    "in play": (
        "in_play",
        lambda given: given,
        7,
        r"T07: verified up to entry 22 of 24; the open round behind it is not",
    ),
    "a card more in play": (
        "in_play",
        tail(),
        7,
        r"T07: verified up to entry 22 of 25; the open round behind it is not",
    ),
    # tails
    "tail behind a shoe that ended": ("ended", tail(), 3, BEYOND),
    "tail that ends a round": (
        "in_play",
        tail(type="RoundClosed"),
        3,
        rf"{UNSIGNED}3\.export, line 16 .*no checkpoint",
    ),
    "tail that opens a shoe": ("in_play", tail(type="ShoeOpened"), 3, rf"{UNSIGNED}3\.export, line 16 .*no checkpoint"),
    "tail of an earlier round": (
        "in_play",
        tail(round=1),
        3,
        rf"{UNSIGNED}3\.export, lines 14 to 16: the last 3 of 25",
    ),
    "tail of a later round": ("in_play", tail(round=4), 3, rf"{UNSIGNED}3\.export, lines 14 to 16: the last 3 of 25"),
    "tail of no round": ("in_play", tail(round="3"), 3, rf"{UNSIGNED}3\.export, lines 14 to 16: the last 3 of 25"),
    "tail of another shoe": ("in_play", tail(shoe=1), 3, rf"{UNSIGNED}3\.export, lines 14 to 16: the last 3 of 25"),
    "tail of another table": ("in_play", tail(table="T08"), 3, rf"{UNSIGNED}3\.export, lines 14 to 16: the last 3 of"),
    "tail of another start": ("in_play", tail(boot="b008"), 3, rf"{UNSIGNED}3\.export, lines 14 to 16: the last 3 of"),
    "tail of another journal": (
        "in_play",
        tail(journal="3-ab", seq=1),
        3,
        rf"{UNSIGNED}3\.export, lines 14 to 16: the",
    ),
    "last checkpoint taken off": (
        "ended",
        the_last_checkpoint_is_taken_off,
        3,
        rf"{UNSIGNED}3\.export, line 14 .*has no",
    ),
    "the unsigned end is changed": (
        "honest",
        OLD["the unsigned end is changed"][0],
        3,
        rf"{UNSIGNED}4\.export, line 4 ",
    ),
    "round before the first tree": (
        "honest",
        OLD["round"][0],
        3,
        rf"{UNSIGNED}before 2\.export, line 1 .*1 entries be",
    ),
    "proofs taken off": (
        "honest",
        OLD["proofs"][0],
        3,
        rf"{UNSIGNED}before 2\.export, line 1 .*entries belong to no r",
    ),
    # entries and files
    "entry omitted": (
        "ended",
        without(2, 3),
        1,
        r"WRONG  T07: 3\.export, line 4 .*behind entry 3 .*round 1 of shoe 1,",
    ),
    "last round omitted": ("ended", without(2, 12), 1, r"WRONG  T07: 3\.export, line 13 .*round 1 of shoe 2, 14 Nov"),
    "file omitted": (
        "ended",
        in_order(0, 2),
        1,
        r"WRONG  T07: 2\.export, line 1 .*not follow.*; no round ended before",
    ),
    "first file omitted": (
        "ended",
        in_order(1, 2),
        5,
        rf"{NOT_SHOWN}2?.*entries 1 to 1 are not shown|{NOT_SHOWN}1\.exp",
    ),
    "last file omitted": (
        "ended",
        in_order(0, 1),
        1,
        rf"WRONG  T07: w\.note: it was shown 14 more entries .*{AFTER_ONE}",
    ),
    "files swapped": ("ended", in_order(0, 2, 1), 1, r"WRONG  T07: 2\.export, line 1 .*it does not follow the line be"),
    "file repeated": ("ended", in_order(0, 1, 1, 2), 1, rf"WRONG  T07: 3\.export, line 1 .*not follow.*{AFTER_ONE}"),
    "cut in a line": (
        "ended",
        cut_in_a_line,
        1,
        r"WRONG  T07: 3\.export, line 14: it is not a whole line of six columns",
    ),
    "stale": ("ended", shorter(2, notes=True), 1, r"WRONG  T07: w\.note: it was shown 2 more entries .*of shoe 2, 14"),
    "stale, without notes": (
        "ended",
        shorter(1, notes=False),
        6,
        rf"{NO_WITNESS}{ORIGIN}: no quorum .*; beside that: T",
    ),
    "result rewritten": (
        "honest",
        OLD["a result is rewritten"][0],
        1,
        r"WRONG  T07: 3\.export, line 7 .*round 1 of sh",
    ),
    "round removed": ("honest", OLD["a round is removed"][0], 1, rf"WRONG  T07: 3\.export, line 7 .*{AFTER_ONE}"),
    "line inserted": (
        "honest",
        OLD["a line is inserted"][0],
        1,
        r"WRONG  T07: 2\.export, line 4 .*no round ended before",
    ),
    "lines swapped": ("honest", OLD["two lines change places"][0], 1, rf"WRONG  T07: 3\.export, line 4 .*{AFTER_ONE}"),
    "stale birth": ("honest", OLD["stale export"][0], 1, r"WRONG  T07: second\.note: it was shown 2 more entries"),
    "birth omitted": (
        "honest",
        OLD["omitted birth"][0],
        5,
        rf"{NOT_SHOWN}1\.export, line 1 .*35 entries of {ORIGIN} no",
    ),
    "end of a birth omitted": (
        "honest",
        OLD["omitted end of a birth"][0],
        1,
        r"WRONG  T07: 4\.export, line 1 .*not foll",
    ),
    "birth denied": ("honest", OLD["denied birth"][0], 5, rf"{NOT_SHOWN}.*no export of"),
    "birth hidden": ("honest", OLD["birth"][0], 5, rf"{NOT_SHOWN}{SECOND}: entries 1 to 1 are not shown"),
    "newest birth not given": ("honest", OLD["newest record"][0], 5, rf"{NOT_SHOWN}{SECOND}: no export of this record"),
    "beginning left out": ("honest", OLD["beginning"][0], 5, rf"{NOT_SHOWN}{ORIGIN}: entries 1 to 9 are not shown"),
    "first line changed": ("honest", OLD["first line"][0], 5, rf"{NOT_SHOWN}{ORIGIN}: entries 1 to 9 are not shown"),
    "tree invented": ("honest", OLD["invented tree"][0], 1, r"WRONG  T07: 1\.export, line 1 .*another tree"),
    "kind that looks like another": ("honest", OLD["kind"][0], 1, r"WRONG  T07: 4\.export, line 5: its public part"),
    "sealed card exchanged": ("honest", OLD["a sealed card is exchanged"][0], 1, r"WRONG  T07: 2\.export, line 6 "),
    # another table's
    "another table": (
        "ended",
        another_tables_export,
        4,
        rf"{NO_KEY}.*none of {OF_OTHER.key.name} is given; beside that: n",
    ),
    "another table and its key": (
        "ended",
        another_tables_export_and_key,
        5,
        rf"{NOT_SHOWN}w\.note: no export of {ORIGIN}",
    ),
    "another table's shoe": (
        "ended",
        another_tables_shoe_between,
        1,
        r"WRONG  T07: 3\.export, line 1 .*it does not follow",
    ),
    # keys
    "key exchanged": (
        "ended",
        page(policy_text(THIEF.key)),
        1,
        r"WRONG  T07: w\.note: .*not signed by a key that is known",
    ),
    "key absent": (
        "ended",
        page(policy_text(OTHER.key)),
        4,
        rf"{NO_KEY}w\.note: .*none of {ORIGIN} is given; beside that",
    ),
    "page swapped": ("honest", OLD["swapped page of keys"][0], 1, r"WRONG  T07: first\.note: .*not signed by a key"),
    "rotation by one key": (
        "honest",
        OLD["rotation by one key"][0],
        1,
        r"WRONG  T07: 4\.export, line 1 .*did not sign",
    ),
    "rotation to a key that nobody gave": (
        "honest",
        lambda given: doctored.rotated(given, [FIRST_KEY, doctored.ROTATED])._replace(
            policy=policy_text(FIRST_KEY.key)
        ),
        4,
        rf"{NO_KEY}4\.export, line 1 .*takes over: it is not in the policy; beside that: {FIVE}",
    ),
    # notes
    "notes absent": (
        "ended",
        notes(),
        6,
        rf"{NO_WITNESS}{ORIGIN}: no quorum .*; beside that: {THREE}, are as the table si",
    ),
    "notes of one witness": (
        "ended",
        notes_by("w3"),
        6,
        rf"{NO_WITNESS}{ORIGIN}: no quorum of witnesses cosigned any of",
    ),
    "notes of one witness twice": (
        "ended",
        notes_by("w1", "w1"),
        6,
        rf"{NO_WITNESS}{ORIGIN}: no quorum of witnesses cos",
    ),
    "notes of strangers": (
        "ended",
        strange_witnesses,
        6,
        rf"{NO_WITNESS}{ORIGIN}: no quorum of witnesses cosigned any",
    ),
    "note of another key": (
        "ended",
        a_note_of_another_key,
        1,
        r"WRONG  T07: w\.note: .*the signature of the log is wrong|W",
    ),
    "note of another end": ("ended", an_early_note_and_another_end, 1, r"WRONG  T07: .*signed two histories"),
    "two histories": ("honest", OLD["two histories"][0], 1, r"WRONG  T07: .*signed two histories"),
    "notes exchanged": (
        "honest",
        lambda given: given._replace(notes={"second.note": given.notes["first.note"]}),
        6,
        rf"{NO_WITNESS}{SECOND}: no quorum of witnesses",
    ),
    # quorums
    "quorum none": (
        "ended",
        page(policy_text(FIRST_KEY.key, quorum="none")),
        6,
        rf"{NO_WITNESS}the policy's quorum: it as",
    ),
    "quorum of any": (
        "honest",
        OLD["quorum 1, by its page"][0],
        6,
        rf"{NO_WITNESS}the policy's quorum: it lets a split",
    ),
    "quorum by its notes": (
        "honest",
        OLD["quorum 1, by its notes"][0],
        6,
        rf"{NO_WITNESS}{SECOND}: no quorum of witnes",
    ),
    "quorum of 1 of 2": (
        "ended",
        page(policy_text(FIRST_KEY.key, group="1 w1 w2")),
        6,
        rf"{NO_WITNESS}the policy's quoru",
    ),
    "no quorum on the page": (
        "ended",
        page(policy_text(FIRST_KEY.key).replace("quorum two\n", "")),
        2,
        r"verify: keys\.txt: policy: the line `quorum` is missing",
    ),
    "policy of a thief for all": ("ended", page("log x\n"), 2, r"verify: keys\.txt: policy, line 1: "),
}
