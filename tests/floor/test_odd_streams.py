"""What each reader of rounds, events and answers makes of odd messages, today: who changes one keeps to these tables.

Each row is a message that came after sound ones, in the words of odd.py; what outcomes mean stands in odd_readers.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import UNSET

from firmware_bridge.client import ClosedRound, VoidedRound, round_message, state
from firmware_bridge.facts.wire_states import Alarms, Table
from tests.floor.odd import Row, of_a_state, of_a_stream, rows, subject
from tests.floor.odd_readers import ANSWERS, STREAMS
from tests.kit.rows import each_row

ROUND: Final = r"""
round:                                                           page    metrics  guest  client   intake      ingest
as it is                                                         shown   counted  shown  read     received    kept
no bytes                                                         kept    kept     kept   refused  unreadable  quarantine
half an object                                                   unread  unread   kept   refused  unreadable  quarantine
a list                                                           unread  unread   kept   refused  unreadable  quarantine
null                                                             unread  unread   kept   refused  unreadable  quarantine
no object                                                        unread  unread   kept   refused  unreadable  quarantine
no UTF-8                                                         unread  unread   kept   refused  unreadable  quarantine
UTF-16                                                           unread  unread   kept   refused  unreadable  quarantine
too deep                                                         unread  unread   kept   refused  unreadable  quarantine
-v                                                               unread  counted  shown  refused  unreadable  quarantine
v=2                                                              shown   counted  shown  read     received    kept
v=0                                                              shown   counted  shown  read     received    kept
v="1"                                                            unread  counted  shown  refused  unreadable  quarantine
v=null                                                           unread  counted  shown  refused  unreadable  quarantine
-table                                                           unread  unread   kept   refused  unreadable  quarantine
table="T08"                                                      unread  unread   kept   read     unreadable  quarantine
table=7                                                          unread  unread   kept   refused  unreadable  quarantine
-shoe                                                            unread  counted  kept   refused  unreadable  quarantine
shoe=-1                                                          shown   counted  kept   read     received    quarantine
shoe=4                                                           shown   counted  shown  read     received    kept
shoe="3"                                                         unread  counted  kept   refused  unreadable  quarantine
shoe=9007199254740992                                            shown   counted  shown  read     received    kept
shoe=9007199254740993                                            shown   counted  kept   read     received    quarantine
shoe=DIGITS                                                      shown   counted  kept   read     received    quarantine
-journal                                                         unread  counted  kept   refused  unreadable  quarantine
journal=""                                                       shown   counted  shown  read     received    quarantine
journal=7                                                        unread  counted  kept   refused  unreadable  quarantine
journal=TEXT_101                                                 shown   counted  shown  read     received    quarantine
journal="3-5a\nd1"                                               shown   counted  shown  read     received    quarantine
journal="=cmd|'/C calc'!A0"                                      shown   counted  shown  read     received    quarantine
journal="3"                                                      shown   counted  shown  read     received    quarantine
journal="3-5A d1"                                                shown   counted  shown  read     received    quarantine
journal="-3-5ad1"                                                shown   counted  shown  read     received    quarantine
-at                                                              unread  unread   kept   refused  unreadable  quarantine
at=7                                                             unread  unread   kept   refused  unreadable  quarantine
at=""                                                            shown   unread   shown  read     received    quarantine
at="now"                                                         shown   unread   shown  read     received    quarantine
at="2026-11-20T21:33:05Z"                                        shown   unread   shown  read     received    quarantine
at="2026-11-20T21:33:05.123+00:00"                               shown   unread   shown  read     received    quarantine
at="2026-13-41T21:33:05.123Z"                                    shown   unread   shown  read     received    quarantine
at="0001-01-01T21:33:05.123Z"                                    shown   kept     shown  read     received    quarantine
at="9999-12-31T21:33:05.123Z"                                    shown   counted  shown  read     received    quarantine
-boot                                                            unread  unread   kept   refused  unreadable  quarantine
boot=""                                                          shown   unread   shown  read     received    kept
boot=7                                                           unread  unread   kept   refused  unreadable  quarantine
boot=TEXT_101                                                    shown   unread   shown  read     received    kept
of a newer run                                                   shown   counted  shown  read     received    kept
of the next shoe                                                 shown   counted  shown  read     received    kept
strange=1                                                        shown   counted  shown  read     received    kept
strange=DEEP                                                     unread  unread   kept   refused  unreadable  quarantine
strange=HUGE                                                     shown   unread   shown  read     received    kept
strange=NO_UTF8                                                  shown   counted  shown  read     received    quarantine
strange=1e999                                                    shown   counted  shown  read     received    kept
strange=NaN                                                      unread  unread   kept   refused  unreadable  quarantine
-seq                                                             unread  unread   kept   refused  unreadable  quarantine
seq=0                                                            unread  counted  shown  refused  unreadable  quarantine
seq=-1                                                           unread  unread   kept   refused  unreadable  quarantine
seq="6"                                                          unread  unread   kept   refused  unreadable  quarantine
seq=9007199254740992                                             shown   counted  shown  read     received    kept
seq=9007199254740993                                             shown   unread   kept   read     received    quarantine
seq=DIGITS                                                       shown   unread   kept   read     received    quarantine
-n                                                               unread  unread   shown  refused  unreadable  quarantine
n=0                                                              unread  counted  shown  refused  unreadable  quarantine
n=2                                                              unread  counted  shown  refused  unreadable  quarantine
n=2; of=2                                                        shown   counted  shown  read     received    kept
n=9007199254740993; of=9007199254740993                          shown   unread   shown  read     received    quarantine
-of                                                              unread  counted  shown  refused  unreadable  quarantine
of=0                                                             unread  counted  shown  refused  unreadable  quarantine
of="1"                                                           unread  counted  shown  refused  unreadable  quarantine
-head                                                            shown   counted  shown  read     received    kept
head=null                                                        shown   counted  shown  read     received    kept
head="x"                                                         unread  counted  shown  refused  unreadable  quarantine
head=7                                                           unread  counted  shown  refused  unreadable  quarantine
said again                                                       kept    kept     kept   read     repeat      repeat
at=BEFORE                                                        shown   kept     shown  read     received    kept
seq=4; prev.seq=2; round=2                                       kept    counted  shown  read     conflict    conflict
seq=4; prev.seq=2; round=2; at=BEFORE                            kept    kept     kept   read     conflict    conflict
seq=5; round=2                                                   shown   counted  shown  read     received    kept
-prev                                                            unread  counted  shown  refused  unreadable  quarantine
prev=null                                                        shown   counted  shown  read     received    kept
prev={}                                                          unread  counted  shown  refused  unreadable  quarantine
prev.strange=1                                                   shown   counted  shown  read     received    kept
prev.seq=-1                                                      shown   counted  shown  read     received    quarantine
prev.seq=0                                                       shown   counted  shown  read     received    kept
prev.seq="4"                                                     unread  counted  shown  refused  unreadable  quarantine
prev.seq=9007199254740993                                        shown   counted  shown  read     received    quarantine
prev.journal=""                                                  shown   counted  shown  read     received    quarantine
prev.journal=TEXT_101                                            shown   counted  shown  read     received    quarantine
prev.journal="2-4bc0"                                            shown   counted  shown  read     received    kept
-game                                                            unread  counted  kept   refused  unreadable  quarantine
game="war"                                                       shown   counted  shown  read     received    kept
game=""                                                          shown   counted  shown  read     received    quarantine
game=TEXT_101                                                    shown   counted  shown  read     received    quarantine
game=7                                                           unread  counted  kept   refused  unreadable  quarantine
-round                                                           unread  counted  kept   refused  unreadable  quarantine
round=-1                                                         shown   counted  kept   read     received    quarantine
round=0                                                          shown   counted  shown  read     received    kept
round="3"                                                        unread  counted  kept   refused  unreadable  quarantine
round=9007199254740993                                           shown   counted  kept   read     received    quarantine
-status                                                          unread  unread   kept   refused  unreadable  quarantine
status="odd"                                                     unread  unread   kept   refused  unreadable  kept
status="voided"                                                  unread  counted  shown  refused  unreadable  kept
status="voided"; by="floor"                                      shown   counted  shown  read     received    kept
status="corrected"                                               unread  counted  shown  refused  unreadable  kept
status="corrected"; by="floor"; corrects=4                       shown   counted  shown  read     received    kept
round=2; status="corrected"; revision=1; by="floor"; corrects=4  shown   counted  shown  read     received    kept
round=2; revision=0                                              shown   counted  shown  read     received    kept
-revision                                                        unread  counted  kept   refused  unreadable  quarantine
revision=-1                                                      shown   counted  kept   read     received    quarantine
revision=1                                                       shown   counted  shown  read     received    kept
revision="0"                                                     unread  counted  kept   refused  unreadable  quarantine
revision=9007199254740993                                        shown   counted  kept   read     received    quarantine
-cards                                                           unread  counted  shown  refused  unreadable  kept
cards=[{}]                                                       unread  counted  shown  refused  unreadable  kept
cards.0.card="1x"                                                unread  counted  shown  refused  unreadable  kept
cards.0.strange=1                                                shown   counted  shown  read     received    kept
-hands                                                           unread  counted  shown  refused  unreadable  kept
hands={}                                                         shown   counted  shown  read     received    kept
hands.player.strange=1                                           shown   counted  shown  read     received    kept
-hands.player.points                                             unread  counted  shown  refused  unreadable  kept
-hands.player.cards                                              unread  counted  shown  refused  unreadable  kept
hands.player.cards=["1x"]                                        unread  counted  kept   refused  unreadable  kept
hands.player.cards=["Red"]                                       unread  counted  kept   refused  unreadable  kept
-outcome                                                         unread  counted  shown  refused  unreadable  kept
outcome=7                                                        unread  counted  kept   refused  unreadable  kept
outcome="no such"                                                shown   counted  shown  read     received    kept
-unit                                                            unread  counted  shown  refused  unreadable  kept
unit="chips"                                                     unread  counted  shown  refused  unreadable  kept
unit="money"                                                     shown   counted  shown  read     received    kept
-bets                                                            unread  counted  shown  refused  unreadable  kept
bets={}                                                          shown   counted  shown  read     received    kept
bets.player="1"                                                  shown   counted  shown  read     received    kept
bets.player="a lot"                                              unread  counted  shown  refused  unreadable  kept
bets.player=0.95                                                 shown   counted  shown  read     received    kept
bets.player=1e999                                                shown   counted  shown  read     received    kept
bets.player=DIGITS                                               shown   counted  shown  read     received    kept
bets.player=null                                                 unread  counted  shown  refused  unreadable  kept
-stakes                                                          unread  counted  shown  refused  unreadable  kept
stakes={"1":[1,1]}                                               shown   counted  shown  read     received    kept
stakes={"1":[1]}                                                 unread  counted  shown  refused  unreadable  kept
stakes={"1":["x",1]}                                             unread  counted  shown  refused  unreadable  kept
-carried                                                         unread  counted  shown  refused  unreadable  kept
carried=-1                                                       shown   counted  shown  read     received    kept
-last                                                            unread  counted  shown  refused  unreadable  kept
last=1                                                           unread  counted  shown  refused  unreadable  kept
-flags                                                           unread  counted  shown  refused  unreadable  kept
flags=["odd"]                                                    shown   counted  shown  read     received    kept
-why                                                             unread  counted  shown  refused  unreadable  kept
why=[7]                                                          unread  counted  shown  refused  unreadable  kept
-reasons                                                         shown   counted  shown  read     received    kept
reasons=[{}]                                                     unread  counted  shown  refused  unreadable  kept
reasons=[{"id":"no_such","values":{}}]                           shown   counted  shown  read     received    kept
natural=7                                                        shown   counted  kept   read     received    kept
naturals="x"                                                     shown   counted  shown  read     received    kept
dealer={}                                                        unread  counted  kept   read     received    kept
shown=7                                                          unread  counted  kept   read     received    kept
shown=["player"]                                                 shown   counted  shown  read     received    kept
"""

EVENT: Final = r"""
event:                                   client   intake      ingest
as it is                                 read     received    kept
no bytes                                 refused  unreadable  quarantine
half an object                           refused  unreadable  quarantine
a list                                   refused  unreadable  quarantine
null                                     refused  unreadable  quarantine
no object                                refused  unreadable  quarantine
no UTF-8                                 refused  unreadable  quarantine
UTF-16                                   refused  unreadable  quarantine
too deep                                 refused  unreadable  quarantine
-v                                       refused  unreadable  quarantine
v=2                                      read     received    kept
v=0                                      read     received    kept
v="1"                                    refused  unreadable  quarantine
v=null                                   refused  unreadable  quarantine
-table                                   refused  unreadable  quarantine
table="T08"                              read     unreadable  quarantine
table=7                                  refused  unreadable  quarantine
-shoe                                    refused  unreadable  quarantine
shoe=-1                                  read     received    quarantine
shoe=4                                   read     received    kept
shoe="3"                                 refused  unreadable  quarantine
shoe=9007199254740992                    read     received    kept
shoe=9007199254740993                    read     received    quarantine
shoe=DIGITS                              read     received    quarantine
-journal                                 refused  unreadable  quarantine
journal=""                               read     received    quarantine
journal=7                                refused  unreadable  quarantine
journal=TEXT_101                         read     received    quarantine
journal="3-5a\nd1"                       read     received    quarantine
-at                                      refused  unreadable  quarantine
at=7                                     refused  unreadable  quarantine
at=""                                    read     received    quarantine
at="now"                                 read     received    quarantine
at="2026-11-20T21:33:05Z"                read     received    quarantine
at="2026-11-20T21:33:05.123+00:00"       read     received    quarantine
at="2026-13-41T21:33:05.123Z"            read     received    quarantine
at="0001-01-01T21:33:05.123Z"            read     received    quarantine
at="9999-12-31T21:33:05.123Z"            read     received    quarantine
-boot                                    refused  unreadable  quarantine
boot=""                                  read     received    kept
boot=7                                   refused  unreadable  quarantine
boot=TEXT_101                            read     received    kept
of a newer run                           read     received    kept
of the next shoe                         read     received    kept
strange=1                                read     received    kept
strange=DEEP                             refused  unreadable  quarantine
strange=HUGE                             read     received    kept
strange=NO_UTF8                          read     received    quarantine
strange=1e999                            read     received    kept
strange=NaN                              refused  unreadable  quarantine
-seq                                     refused  unreadable  quarantine
seq=0                                    refused  unreadable  quarantine
seq=-1                                   refused  unreadable  quarantine
seq="6"                                  refused  unreadable  quarantine
seq=9007199254740992                     read     received    kept
seq=9007199254740993                     read     received    quarantine
seq=DIGITS                               read     received    quarantine
-n                                       refused  unreadable  quarantine
n=0                                      refused  unreadable  quarantine
n=2                                      refused  unreadable  quarantine
n=2; of=2                                read     received    kept
n=9007199254740993; of=9007199254740993  read     received    quarantine
-of                                      refused  unreadable  quarantine
of=0                                     refused  unreadable  quarantine
of="1"                                   refused  unreadable  quarantine
-head                                    read     received    kept
head=null                                read     received    kept
head="x"                                 refused  unreadable  quarantine
head=7                                   refused  unreadable  quarantine
said again                               read     repeat      repeat
seq=2                                    read     conflict    conflict
at=BEFORE                                read     received    kept
seq=9                                    read     received    kept
-event                                   refused  unreadable  quarantine
event=null                               refused  unreadable  quarantine
event={}                                 read     received    quarantine
event=[]                                 refused  unreadable  quarantine
event.type=7                             read     received    quarantine
event.type=""                            read     received    kept
event.type=[]                            read     received    quarantine
event.type="NeverHeardOf"                read     received    kept
event.type="RoundClosed"                 read     received    kept
event.strange=1                          read     received    kept
event.strange=DEEP                       refused  unreadable  quarantine
"""

REPLY: Final = r"""
reply:          intake   orders   ingest
as it is        taken    taken    taken
no bytes        ignored  ignored  ignored
half an object  ignored  ignored  ignored
a list          ignored  ignored  ignored
null            ignored  ignored  ignored
no object       ignored  ignored  ignored
no UTF-8        ignored  ignored  ignored
UTF-16          ignored  ignored  ignored
too deep        ignored  ignored  ignored
strange=1       taken    taken    taken
strange=DEEP    ignored  ignored  ignored
-ok             ignored  ignored  ignored
ok=1            ignored  ignored  ignored
ok="no"         ignored  ignored  ignored
-id             ignored  ignored  ignored
id=null         ignored  ignored  ignored
id=7            ignored  ignored  ignored
id="another-1"  ignored  ignored  ignored
-do             taken    taken    taken
do=7            ignored  ignored  taken
-error          taken    taken    taken
error=null      taken    taken    ignored
error=7         ignored  ignored  ignored
-hint           taken    taken    taken
hint=7          ignored  ignored  ignored
"""


@each_row("row", [*rows("round", ROUND), *rows("event", EVENT)], ids=str, by=subject)
def test_an_odd_message_of_a_stream(row: Row) -> None:
    assert {name: STREAMS[name](of_a_stream(row.topic, row.words)) for name in row.outcomes} == row.outcomes


@each_row("row", [*rows("reply", REPLY)], ids=str)
def test_an_odd_answer(row: Row) -> None:
    assert {name: outcome(ANSWERS[name], row.words) for name in row.outcomes} == row.outcomes


def outcome(reader: Callable[[str], str], words: str) -> str:
    """What a reader makes of it; `raises` where it fails."""
    try:
        return reader(words)
    except RecursionError:
        return "raises"


def test_what_an_older_table_does_not_say_has_its_default() -> None:
    """A floor may be newer than its tables."""
    round_ = round_message(of_a_stream("round", "-head; -reasons").body)
    assert isinstance(round_, ClosedRound)
    assert (round_.head, round_.reasons) == (None, ())
    voided = round_message(of_a_stream("round", 'status="voided"; by="floor"').body)
    assert isinstance(voided, VoidedRound)
    assert voided.moved == {}
    _, alarms = state(of_a_state("alarm", "-open.0.of; -open.0.values").body, Alarms)
    assert (alarms.open[0].of, alarms.open[0].values) == ((), {})
    _, table = state(of_a_state("table", "as it is").body, Table)
    assert {table.turn, table.hands, table.act, table.anytime, table.shows} == {UNSET}
