"""The table of what fields became, over lines of two made-up trees."""

from tests.golden.between import Found, compare, scenarios

WAS = """# one
alarm 1 {"open":[{"id":"jam","detail":"in round 1"}]}
alarm 3 {"open":[]}
messages event 0 {"v":1,"event":{"type":"KeyRefused","why":"blocked: jam"}}
messages event 1 {"v":1,"event":{"type":"KeyRefused","why":"late"}}
# two
replay some words
replay some words
"""

NOW = """# one
alarm 1 {"open":[{"id":"jam","values":{"round":1}}]}
alarm 2 {"open":[{"id":"jam","values":{"round":1}}]}
alarm 3 {"open":[]}
messages event 0 {"v":2,"event":{"type":"KeyRefused","code":"blocked"}}
messages event 1 {"v":2,"event":{"type":"KeyRefused","code":"late"}}
# two
replay some words
"""


def table(was: str, now: str) -> list[str]:
    found = Found()
    for (name, one), (_, other) in zip(scenarios(was.splitlines()), scenarios(now.splitlines()), strict=True):
        compare(name, one, other, found)
    return [" ".join(each.split()) for each in found.rows()]


def test_it_says_which_field_became_which_code() -> None:
    assert table(WAS, NOW) == [
        "2 alarm.open detail -> values 1 codes",
        "2 messages event.event[KeyRefused] why -> code 2 codes",
        "2 messages event.v - -> differs",
        "two: replay has 2 lines there and 1 here",
    ]


def test_a_sentence_that_is_two_codes_now_is_named() -> None:
    assert 'a text has two codes: ["late"] -> late, not_now' in table(
        WAS.replace("blocked: jam", "late"), NOW.replace('"blocked"', '"not_now"')
    )


def test_equal_trees_have_an_empty_table() -> None:
    assert table(WAS, WAS) == []
