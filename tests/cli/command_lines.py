"""Command lines of both programs, a few of every command, each with the code in which it ends."""

from typing import Final, NamedTuple

from firmware_bridge import cli
from firmware_bridge.floor import cli as floor_cli
from tests.cli.test_wrong_words import parsers
from tests.kit.nightly import EVERY

LINES: Final = """
78 run --config bad.toml
2 demo --fault nosuch
0 demo --rounds 1 --speed 500 --plain
0 replay round.deal --no-burn
1 replay words
1 replay none
0 play baccarat
0 play niuniu --json
1 play blackjack words
0 roads
0 roads BPTBBP --lang zh-Hant
0 roads BPTBBP --lang zh-Hans --road ask
0 roads BPTBBP --json
0 roads BPTBBP --svg - --lang zh-Hant --title 百家樂
2 roads 枱
0 odds --lang zh-Hant
0 odds --game niuniu --lang zh-Hans
0 odds --json
2 odds --decks 99
2 do
1 do open-shoe --by 陳
1 do close-shoe --by 陳
1 do close-table --by 陳
1 do bets-open --by 陳
1 do bets-closed 1=100 --by 陳
1 do mark 1 stand --by 陳
1 do unmark --by 陳
1 do next --by 陳
1 do next --by 陳 --json
1 do next --by 陳 --lang zh-Hans
1 do reveal P1 --by 陳
1 do fly --by 陳
1 do request-shoe-change --by 陳
1 do request-dealer-change --by 陳
1 do dealer 李 --by 陳
1 do void --why 枱 --by 陳
1 do resolve foreign remove --by 陳
1 do correct 1 9s Td --why 枱 --by 陳
2 do resend --by 陳
1 do take-back --by 陳
1 do confirm 1 --by 陳
2 do 枱 --by 陳
2 enter Kſ --by 陳 --second 李
1 enter Ks --by 陳 --second 李
0 status
0 status --json
1 status --exit-code --lang zh-Hans
3 status --config none.toml
0 watch --plain
0 watch --json
1 check
1 check --json
78 check --config bad.toml
0 config
0 config --json
0 config --unnamed
0 config --reference
78 config --config bad.toml
1 calibrate reader --by 陳 --yes
2 calibrate 枱
0 support --out ticket.txt
0 wiring
0 wiring --json
0 wiring --svg wires.svg
1 retire
0 journal list
0 journal list --json
0 journal show
0 journal show 0 --json
0 journal verify 0
0 journal verify 0 --json
1 journal verify 枱
1 journal prove 0:1
0 journal heads 0
0 journal export 0
0 key new --file fresh.key
1 key new --file config.key
3 key show
3 key rotate --by 陳 --file fresh.key
3 key retire --by 陳 --file fresh.key
3 record begin --by 陳 --why 枱 --file fresh.key
1 tls join 127.0.0.1 枱
1 bundle verify none
1 bundle install none
0 schema
0 schema --asyncapi
0 schema --reference
0 help
0 help niuniu
0 help reader_gap --lang zh-Hant
2 help 枱
0 help --man shoe.1
0 help --man bridge.toml.5
0 help --completion bash
0 help --words alarms
0 --version
0 --help
2 枱
78 floor ingest --config none.toml
78 floor metrics --config none.toml
78 floor page --config none.toml
78 floor forward --config none.toml
78 floor migrate --config none.toml
1 floor check
1 floor check --json
1 floor record enrol 枱 vkey --by 陳 --second 李
1 floor record revoke 枱 vkey --by 陳 --second 李
0 floor record show
0 floor record show --json
0 floor record policy
1 floor record note 枱
1 floor record export 枱
1 floor record prove 枱 newest
0 floor record incidents
1 floor record close 枱 gap --by 陳 --second 李 --why 枱
0 floor prepare
1 floor close gap T07 jour --by 陳 --why 枱
1 floor close conflict T07 jour 1 --by 陳 --why 枱
1 floor close quarantine --by 陳 --why 枱 --until 2000-01-01T00:00:00Z
0 floor user add 陳 --no-password
1 floor user remove 枱
0 floor user list
0 floor screens rotate T07
0 floor witness key new --file fresh.key
78 floor witness key show --config none.toml
78 floor witness evidence --config none.toml
78 floor acl --backend 陳
0 floor key new cage --file fresh.key
78 floor key show cage --file none
1 floor tls new --dir none/none
1 floor backfill none
0 floor backup floor.db
0 floor compact
0 floor expire --dry-run
78 floor pseudonym 陳
0 floor export rounds
0 floor export messages --csv
0 floor export fact_round
0 floor report day
0 floor report table --csv
0 floor rebuild facts
1 floor bundle verify none
1 floor bundle install none
0 floor help
0 floor help --man shoe-floor.1
0 floor help --completion bash
2 floor 枱
"""
"""Code, and words. `floor` is the other program; the files are those of tests/cli/test_streams.py."""

CUT: Final = {
    "journal export": 1,
    "floor export rounds": 1,
    "floor export messages": 1,
    "watch": 0,
    "replay round": 0,
    "demo --rounds": 0,
}
"""Exports -> their code where nobody reads them."""

DEAR: Final = ("demo --rounds", "support", "odds", "schema\n")
"""What costs more than all others together."""


class Line(NamedTuple):
    """A command line, its program, and the code with which it ends."""

    code: int
    program: str
    words: list[str]

    def __str__(self) -> str:
        return " ".join(["floor"] * (self.program == "floor") + self.words)

    @property
    def cut(self) -> int:
        """Its code where nobody reads what it says."""
        return next((code for begin, code in CUT.items() if str(self).startswith(begin)), self.code)


def line(text: str) -> Line:
    """Reads one of `LINES`."""
    code, *words = text.split()
    is_floor = words[0] == "floor"
    return Line(int(code), "floor" if is_floor else "shoe", words[is_floor:])


EVERY_LINE: Final = [line(each) for each in LINES.strip().splitlines()]


PARSERS: Final = {
    "shoe": dict(parsers(cli.parser_of(cli.COMMANDS))),
    "floor": dict(parsers(floor_cli._parser())),
}
"""Program -> words -> the parser to which they lead."""


def command_of(line: Line) -> tuple[str, ...]:
    """The words of a line that are its command."""
    starts = (tuple(line.words[:n]) for n in range(len(line.words), -1, -1))
    return next(each for each in starts if each in PARSERS[line.program])


def of_a_day(kind: int) -> list[Line]:
    """The lines that a kind tries, of 5 cheap ones and 12 that run a line twice: all; by day each line has one kind."""
    if EVERY:
        return EVERY_LINE
    cheap = [each for each in EVERY_LINE if not f"{each}\n".startswith(DEAR)]
    if kind < CHEAP_KINDS:
        return cheap[kind :: CHEAP_KINDS + 3]
    third, fourth = divmod(kind - CHEAP_KINDS, 4)
    return cheap[CHEAP_KINDS + third :: CHEAP_KINDS + 3][fourth::4]


CHEAP_KINDS: Final = 5
