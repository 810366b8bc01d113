"""What each reader of state topics makes of odd messages, today: who changes a reader keeps to these tables.

Each row is a message that came after sound ones, in the words of odd.py; what outcomes mean stands in odd_readers.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from tests.floor.metered import Floor
from tests.floor.odd import Odd, Row, of_a_state, rows
from tests.floor.odd_readers import STATES

HEAD: Final = r"""
head:                               page    metrics  guest  client   demo   intake   ingest   daemon   retire   past
as it is                            shown   shown    shown  read     shown  noted    noted    ours     online   asked
no bytes                            gone    gone     gone   refused  fails  ignored  ignored  ignored  offline  ignored
half an object                      unread  unread   kept   refused  fails  ignored  ignored  ignored  offline  ignored
a list                              unread  unread   kept   refused  shown  ignored  ignored  ignored  offline  ignored
null                                unread  unread   kept   refused  shown  ignored  ignored  ignored  offline  ignored
no object                           unread  unread   kept   refused  shown  ignored  ignored  ignored  offline  ignored
no UTF-8                            unread  unread   kept   refused  fails  ignored  ignored  ignored  offline  ignored
UTF-16                              unread  unread   kept   refused  shown  ignored  ignored  ignored  offline  ignored
too deep                            unread  unread   kept   refused  fails  ignored  ignored  ignored  offline  ignored
-v                                  unread  shown    shown  refused  shown  noted    ignored  ours     online   ignored
v=2                                 shown   shown    shown  read     shown  noted    noted    ours     online   asked
v=0                                 shown   shown    shown  read     shown  noted    noted    ours     online   asked
v="1"                               unread  shown    shown  refused  shown  noted    ignored  ours     online   ignored
v=null                              unread  shown    shown  refused  shown  noted    ignored  ours     online   ignored
-table                              unread  unread   kept   refused  shown  noted    ignored  ours     online   ignored
table="T08"                         unread  unread   kept   read     shown  noted    ignored  ours     online   asked
table=7                             unread  unread   kept   refused  shown  noted    ignored  ours     online   ignored
-shoe                               unread  shown    kept   refused  shown  noted    ignored  ours     online   ignored
shoe=-1                             shown   shown    kept   read     shown  noted    ignored  ours     online   ignored
shoe=4                              shown   shown    shown  read     shown  noted    noted    ours     online   asked
shoe="3"                            unread  shown    kept   refused  shown  ignored  ignored  ours     online   ignored
shoe=9007199254740992               shown   shown    shown  read     shown  noted    noted    ours     online   asked
shoe=9007199254740993               shown   shown    kept   read     shown  noted    ignored  ours     online   ignored
shoe=DIGITS                         shown   shown    kept   read     shown  noted    ignored  ours     online   ignored
-journal                            unread  shown    kept   refused  shown  ignored  ignored  ours     online   ignored
journal=""                          shown   shown    shown  read     shown  noted    ignored  ours     online   asked
journal=7                           unread  shown    kept   refused  shown  ignored  ignored  ours     online   ignored
journal=TEXT_101                    shown   shown    shown  read     shown  noted    ignored  ours     online   ignored
journal="3-5a\nd1"                  shown   shown    shown  read     shown  noted    ignored  ours     online   ignored
-as_of                              unread  shown    kept   refused  shown  noted    ignored  ours     online   ignored
as_of=-1                            shown   shown    kept   read     shown  noted    noted    ours     online   asked
as_of=0                             shown   shown    kept   read     shown  noted    noted    ours     online   asked
as_of="18"                          unread  shown    kept   refused  shown  noted    ignored  ours     online   ignored
as_of=9007199254740993              shown   shown    kept   read     shown  noted    noted    ours     online   asked
-at                                 unread  unread   kept   refused  shown  noted    ignored  ours     online   ignored
at=7                                unread  unread   kept   refused  shown  noted    ignored  ours     online   ignored
at=""                               shown   unread   shown  read     shown  noted    noted    ours     online   asked
at="now"                            shown   unread   shown  read     shown  noted    noted    ours     online   asked
at="2026-11-20T21:33:05Z"           shown   unread   shown  read     shown  noted    noted    ours     online   asked
at="2026-11-20T21:33:05.123+00:00"  shown   unread   shown  read     shown  noted    noted    ours     online   asked
at="2026-13-41T21:33:05.123Z"       shown   unread   shown  read     shown  noted    noted    ours     online   asked
-boot                               unread  unread   kept   refused  shown  noted    ignored  ignored  online   ignored
boot=""                             shown   unread   shown  read     shown  noted    noted    another  online   asked
boot=7                              unread  unread   kept   refused  shown  ignored  ignored  ignored  online   ignored
boot=TEXT_101                       shown   unread   shown  read     shown  noted    noted    another  online   asked
late                                shown   shown    kept   read     shown  noted    noted    ours     online   asked
of an older run                     shown   shown    kept   read     shown  noted    noted    another  online   asked
of a newer run                      shown   shown    shown  read     shown  noted    noted    another  online   asked
of an older journal                 shown   shown    kept   read     shown  noted    noted    ours     online   asked
of the next shoe                    shown   shown    shown  read     shown  noted    noted    ours     online   asked
strange=1                           shown   shown    shown  read     shown  noted    noted    ours     online   asked
strange=DEEP                        unread  unread   kept   refused  fails  raises   ignored  raises   raises   ignored
strange=HUGE                        shown   unread   shown  read     shown  noted    noted    ours     online   asked
strange=NO_UTF8                     shown   shown    shown  read     fails  noted    noted    ours     online   asked
strange=1e999                       shown   shown    shown  read     shown  noted    noted    ours     online   asked
strange=NaN                         unread  unread   kept   refused  shown  ignored  ignored  ignored  offline  ignored
"""
"""Of every topic that a reader reads: `READS`. What `ingest` makes of `health` is in its own table."""

STATUS: Final = r"""
status:                             page    metrics  guest  client   intake   ingest   daemon   demo   retire
of another device                   shown   shown    shown  read     noted    noted    another  shown  online
lost                                shown   shown    shown  read     noted    noted    ignored  shown  offline
stopped                             shown   shown    shown  read     noted    noted    ignored  shown  offline
lost; of an older connection        kept    kept     kept   read     noted    noted    ignored  shown  offline
lost; late; of an older connection  kept    kept     kept   read     noted    noted    ignored  shown  offline
lost; of a newer connection         shown   shown    shown  read     noted    noted    ignored  shown  offline
lost; of a newer run                kept    kept     shown  read     noted    noted    ignored  shown  offline
lost; of an older run               kept    kept     kept   read     noted    noted    ignored  shown  offline
lost; -link                         unread  shown    kept   refused  noted    ignored  ignored  shown  offline
stopped; late                       shown   shown    shown  read     noted    noted    ignored  shown  offline
stopped; of an older connection     shown   shown    kept   read     noted    noted    ignored  shown  offline
stopped; of a newer run             shown   shown    shown  read     noted    noted    ignored  shown  offline
stopped; of an older run            shown   shown    kept   read     noted    noted    ignored  shown  offline
of an older connection              shown   shown    kept   read     noted    noted    ignored  shown  online
of a newer connection               shown   shown    shown  read     noted    noted    ignored  shown  online
next_seq=40; of an older journal    shown   shown    kept   read     noted    noted    ours     shown  online
next_seq=40; of the next shoe       shown   shown    shown  read     noted    noted    ours     shown  online
next_seq=40; -shoe                  unread  shown    kept   refused  noted    ignored  ours     shown  online
-state                              unread  unread   kept   refused  noted    ignored  ignored  shown  offline
state="sleeping"                    unread  unread   kept   refused  noted    ignored  ignored  shown  offline
state=7                             unread  unread   kept   refused  noted    ignored  ignored  shown  offline
-link                               unread  shown    kept   refused  noted    ignored  ignored  shown  online
link=-1                             shown   unread   kept   read     noted    noted    ignored  shown  online
link="1"                            unread  unread   kept   refused  ignored  ignored  ignored  shown  online
link=null                           unread  shown    kept   refused  ignored  ignored  ignored  shown  online
link=1.5                            unread  unread   kept   refused  ignored  ignored  ignored  shown  online
link=DIGITS                         shown   unread   kept   read     noted    noted    ignored  shown  online
-version                            unread  shown    shown  refused  noted    ignored  ours     shown  online
version=7                           unread  unread   shown  refused  noted    ignored  ours     shown  online
version=""                          shown   unread   shown  read     noted    noted    ours     shown  online
version=TEXT_101                    shown   unread   shown  read     noted    noted    ours     shown  online
version="1\n2"                      shown   unread   shown  read     noted    noted    ours     shown  online
-build                              unread  shown    shown  refused  noted    ignored  ours     shown  online
build=null                          unread  unread   shown  refused  noted    ignored  ours     shown  online
build=TEXT_101                      shown   unread   shown  read     noted    noted    ours     shown  online
-next_seq                           unread  shown    shown  refused  ignored  ignored  ours     shown  online
next_seq=0                          shown   shown    shown  read     ignored  ignored  ours     shown  online
next_seq=1                          shown   shown    shown  read     ignored  ignored  ours     shown  online
next_seq=-5                         shown   shown    shown  read     ignored  ignored  ours     shown  online
next_seq="19"                       unread  shown    shown  refused  ignored  ignored  ours     shown  online
next_seq=12                         shown   shown    shown  read     ignored  ignored  ours     shown  online
next_seq=18                         shown   shown    shown  read     ignored  ignored  ours     shown  online
next_seq=40                         shown   shown    shown  read     noted    noted    ours     shown  online
next_seq=9007199254740993           shown   shown    shown  read     noted    noted    ours     shown  online
next_seq=9007199254740994           shown   shown    shown  read     noted    ignored  ours     shown  online
next_seq=DIGITS                     shown   shown    shown  read     noted    ignored  ours     shown  online
-mode                               unread  shown    kept   refused  noted    ignored  ours     shown  online
mode=null                           unread  shown    kept   refused  noted    ignored  ours     shown  online
mode=7                              unread  unread   kept   refused  noted    ignored  ours     shown  online
mode=""                             shown   unread   shown  read     noted    noted    ours     shown  online
mode="ASLEEP"                       shown   shown    shown  read     noted    noted    ours     shown  online
mode=TEXT_101                       shown   unread   shown  read     noted    noted    ours     shown  online
-clock                              unread  shown    shown  refused  noted    ignored  ours     shown  online
clock="roughly"                     unread  unread   shown  refused  noted    ignored  ours     shown  online
clock=null                          unread  unread   shown  refused  noted    ignored  ours     shown  online
"""

HEALTH: Final = r"""
health:                     page    metrics  client   ingest
as_of=-1                    shown   shown    read     ignored
as_of=0                     shown   shown    read     ignored
as_of=9007199254740993      shown   shown    read     ignored
late                        shown   shown    read     ignored
of an older run             shown   shown    read     ignored
of another device           shown   shown    read     noted
-uptime_s                   unread  shown    refused  noted
uptime_s=-1                 shown   unread   read     noted
uptime_s=1.5                unread  unread   refused  noted
uptime_s=DIGITS             shown   unread   read     noted
uptime_s=null               unread  shown    refused  noted
-reader                     unread  shown    refused  noted
reader=null                 unread  unread   refused  noted
reader={}                   unread  shown    refused  noted
reader.strange=1            shown   shown    read     noted
-reader.reads               unread  shown    refused  noted
reader.reads=-1             shown   unread   read     noted
reader.reads=1.5            unread  unread   refused  noted
reader.reads=DIGITS         shown   unread   read     noted
reader.reads=null           unread  shown    refused  noted
-reader.unread              unread  shown    refused  noted
-reader.frames_bad          unread  shown    refused  noted
-reader.quality             unread  shown    refused  noted
reader.quality=null         shown   shown    read     noted
reader.quality=1e300        shown   unread   read     noted
reader.quality=DIGITS       unread  unread   refused  noted
reader.quality="204"        unread  unread   refused  noted
-reader.lamp                unread  shown    refused  noted
reader.lamp=18.5            unread  shown    refused  noted
reader.lamp=-2000000        shown   unread   read     noted
-reader.ambient             unread  shown    refused  noted
-reader.temperature         unread  shown    refused  noted
-reader.quality_calibrated  unread  shown    refused  noted
-reader.lamp_calibrated     unread  shown    refused  noted
-reader.forecast            unread  shown    refused  noted
reader.forecast=7           unread  unread   refused  noted
reader.forecast=TEXT_201    shown   unread   read     noted
-disk_free_mb               unread  shown    refused  noted
disk_free_mb=-1             shown   unread   read     noted
disk_free_mb=null           shown   shown    read     noted
-temperature                unread  shown    refused  noted
temperature=null            shown   shown    read     noted
temperature=-2e6            shown   unread   read     noted
temperature=1e999           unread  unread   refused  noted
temperature="warm"          unread  unread   refused  noted
-under_voltage              unread  shown    refused  noted
under_voltage=1             unread  unread   refused  noted
-queue                      unread  shown    refused  noted
queue=null                  unread  shown    refused  noted
queue=-1                    shown   unread   read     noted
-faults                     unread  shown    refused  noted
faults=null                 shown   shown    read     noted
faults=["a"]                shown   shown    read     noted
faults=[7]                  unread  unread   refused  noted
faults=[TEXT_201]           shown   unread   read     noted
faults=LABELS_101           shown   unread   read     noted
faults="a"                  unread  unread   refused  noted
-orders_refused             unread  shown    refused  noted
orders_refused=null         unread  shown    refused  noted
orders_refused=-1           shown   unread   read     noted
"""

ALARM: Final = r"""
alarm:                         page    metrics  guest  client   demo
of another device              shown   shown    kept   read     shown
-open                          unread  unread   kept   refused  shown
open=null                      unread  unread   kept   refused  shown
open={}                        unread  unread   kept   refused  shown
open=[7]                       unread  unread   kept   refused  shown
open=[{}]                      unread  unread   kept   refused  shown
open.0.strange=1               shown   shown    shown  read     shown
-open.0.id                     unread  unread   shown  refused  shown
open.0.id=7                    unread  unread   shown  refused  shown
open.0.id=""                   shown   unread   shown  read     shown
open.0.id=TEXT_101             shown   unread   shown  read     shown
open.0.id="no_such"            shown   shown    shown  read     shown
open.0.id="a\nb"               shown   unread   shown  read     shown
-open.0.since                  unread  shown    shown  refused  shown
open.0.since=-1                shown   shown    shown  read     shown
open.0.since="now"             unread  shown    shown  refused  shown
open.0.since=DIGITS            shown   shown    shown  read     shown
-open.0.severity               unread  unread   shown  refused  shown
open.0.severity="odd"          shown   shown    shown  read     shown
open.0.severity=""             shown   unread   shown  read     shown
open.0.severity=7              unread  unread   shown  refused  shown
-open.0.detail                 unread  shown    shown  refused  shown
-open.0.todo                   unread  shown    shown  refused  shown
-open.0.blocks                 unread  shown    kept   refused  shown
open.0.blocks=1                unread  shown    kept   refused  shown
-open.0.choices                unread  shown    shown  refused  shown
open.0.choices=null            unread  shown    shown  refused  shown
-open.0.of                     shown   shown    shown  read     shown
open.0.of=[7]                  unread  shown    shown  refused  shown
-open.0.values                 shown   shown    shown  read     shown
open.0.values={"card":[]}      unread  shown    shown  refused  shown
open.0.values={"card":DIGITS}  shown   shown    shown  read     shown
open=ALARMS_51                 shown   unread   shown  read     shown
open=ALARMS_1001               shown   unread   shown  read     shown
"""

TABLE: Final = r"""
table:                                         page    metrics  guest  client   demo   past
of another device                              shown   shown    kept   read     shown  asked
-game                                          unread  shown    kept   refused  shown  asked
game="war"                                     shown   shown    shown  read     shown  asked
game=7                                         unread  shown    kept   refused  shown  asked
-phase                                         unread  unread   kept   refused  shown  asked
phase="asleep"                                 shown   shown    shown  read     shown  asked
phase=""                                       shown   unread   shown  read     shown  asked
phase=7                                        unread  unread   kept   refused  shown  asked
phase=TEXT_101                                 shown   unread   shown  read     shown  asked
-round                                         unread  shown    kept   refused  shown  asked
round=-1                                       shown   shown    kept   read     shown  asked
round="3"                                      unread  shown    kept   refused  shown  asked
round=9007199254740993                         shown   shown    kept   read     shown  asked
-last                                          unread  shown    shown  refused  shown  asked
last=1                                         unread  shown    shown  refused  shown  asked
-slots                                         unread  shown    kept   refused  shown  asked
slots=null                                     unread  shown    kept   refused  shown  asked
slots=[{}]                                     unread  shown    kept   refused  shown  asked
slots=[{"slot":"P1"}]                          shown   shown    shown  read     shown  asked
slots=[{"slot":"P1","card":"1x"}]              shown   shown    kept   read     shown  asked
slots=[{"slot":"no slot","card":"As"}]         shown   shown    shown  read     shown  asked
slots=[{"slot":"P1","card":"As","strange":1}]  shown   shown    shown  read     shown  asked
-due                                           unread  shown    shown  refused  shown  asked
due=7                                          unread  shown    shown  refused  shown  asked
due="no slot"                                  shown   shown    shown  read     shown  asked
-closed_bets                                   unread  shown    shown  refused  shown  asked
closed_bets=[7]                                unread  shown    shown  refused  shown  asked
-cards_left                                    unread  shown    shown  refused  shown  asked
cards_left=null                                shown   shown    shown  read     shown  asked
cards_left=-1                                  shown   unread   shown  read     shown  asked
cards_left=1.5                                 unread  unread   shown  refused  shown  asked
cards_left=DIGITS                              shown   unread   shown  read     shown  asked
-burn_left                                     unread  shown    shown  refused  shown  asked
-shoe_change                                   unread  shown    shown  refused  shown  asked
-dealer                                        unread  shown    shown  refused  shown  asked
dealer=7                                       unread  shown    shown  refused  shown  asked
-dealer_change                                 unread  shown    shown  refused  shown  asked
-flown                                         unread  shown    shown  refused  shown  asked
flown=-1                                       shown   shown    shown  read     shown  asked
-held                                          unread  shown    shown  refused  shown  asked
-open                                          unread  shown    shown  refused  shown  asked
open=[7]                                       unread  shown    shown  refused  shown  asked
-limits                                        unread  shown    kept   refused  shown  asked
limits=null                                    unread  shown    kept   refused  shown  asked
limits={"strange":1}                           shown   shown    shown  read     shown  asked
limits={"min":"a lot"}                         shown   shown    shown  read     shown  asked
limits={"tie":{"min":1,"strange":1}}           shown   shown    shown  read     shown  asked
-settings                                      unread  shown    kept   refused  shown  asked
settings=null                                  unread  shown    kept   refused  shown  asked
settings={}                                    shown   shown    shown  read     shown  asked
settings.strange=1                             shown   shown    shown  read     shown  asked
-settings.game                                 shown   shown    shown  read     shown  asked
settings.game="war"                            shown   shown    shown  read     shown  asked
settings.decks=0                               shown   shown    shown  read     shown  asked
settings.terms={}                              shown   shown    shown  read     shown  asked
settings.terms={"strange":1}                   shown   shown    shown  read     shown  asked
turn=7                                         shown   shown    shown  read     shown  asked
turn="now"                                     unread  shown    shown  refused  shown  asked
hands={"P":["As",null]}                        shown   shown    shown  read     shown  asked
hands={"P":["1x"]}                             shown   shown    kept   read     shown  asked
act={"P":{}}                                   shown   shown    shown  read     shown  asked
act={"P":7}                                    unread  shown    kept   refused  shown  asked
shows={"pot":"7","strange":1}                  shown   shown    shown  read     shown  asked
shows=7                                        unread  shown    kept   refused  shown  asked
"""

LAMPS: Final = r"""
lamps:                                              page    client   demo
of another device                                   shown   read     shown
-lit                                                unread  refused  shown
lit=null                                            unread  refused  shown
lit={"strange":"steady"}                            shown   read     shown
lit={"P1":7}                                        unread  refused  shown
-why                                                unread  refused  shown
why=[7]                                             unread  refused  shown
-reasons                                            unread  refused  shown
reasons=[{}]                                        unread  refused  shown
reasons=[{"id":"no_such","values":{}}]              shown   read     shown
reasons=[{"id":"no_shoe","values":{},"strange":1}]  shown   read     shown
lit={"P1":"odd"}                                    shown   read     shown
"""

ROADS: Final = r"""
roads:                        page    guest  client   demo
of another device             shown   kept   read     shown
-outcomes                     unread  shown  refused  shown
outcomes="?"                  shown   shown  read     shown
-naturals                     unread  kept   refused  shown
naturals=""                   shown   kept   read     shown
naturals="x"                  shown   kept   read     shown
-bead                         unread  kept   refused  shown
bead=null                     unread  kept   refused  shown
bead=[]                       shown   kept   read     shown
bead.0.0=-1                   shown   kept   read     shown
bead.0.0=DIGITS               shown   kept   read     shown
bead.0.2="gold"               shown   kept   read     shown
bead.0=[1,1]                  unread  kept   refused  shown
-big_grid                     unread  kept   refused  shown
big_grid.0.2="gold"           shown   kept   read     shown
big_grid.0.0=-1               shown   kept   read     shown
big_grid.0=[1,1,"red",0,0,7]  unread  kept   refused  shown
-big_logical                  unread  shown  refused  shown
-held_ties                    unread  shown  refused  shown
-big_eye                      unread  shown  refused  shown
-big_eye_grid                 unread  shown  refused  shown
-small                        unread  shown  refused  shown
-small_grid                   unread  shown  refused  shown
-cockroach                    unread  shown  refused  shown
-cockroach_grid               unread  shown  refused  shown
-ask                          unread  shown  refused  shown
-ask_cells                    unread  shown  refused  shown
"""

READS: Final = {
    "status": "page metrics guest client demo intake ingest daemon retire",
    "health": "page metrics client",
    "alarm": "page metrics guest client demo",
    "table": "page metrics guest client demo past",
    "lamps": "page client demo",
    "roads": "page guest client demo",
}
"""Topic -> who reads it."""


def heads() -> list[Row]:
    """The rows of `HEAD` for each topic, with those that read it."""
    made = [row for topic in READS for row in rows(topic, HEAD)]
    return [row._replace(outcomes={name: row.outcomes[name] for name in READS[row.topic].split()}) for row in made]


BODIES: Final = [
    *rows("status", STATUS),
    *rows("health", HEALTH),
    *rows("alarm", ALARM),
    *rows("table", TABLE),
    *rows("lamps", LAMPS),
    *rows("roads", ROADS),
]


@pytest.mark.parametrize("row", [*heads(), *BODIES], ids=str)
def test_an_odd_state(row: Row) -> None:
    assert {name: outcome(STATES[name], row) for name in row.outcomes} == row.outcomes


def outcome(reader: Callable[[Odd], str], row: Row) -> str:
    """What a reader makes of it; `raises` where it fails: its program ends, or connects again."""
    try:
        return reader(of_a_state(row.topic, row.words))
    except RecursionError:
        return "raises"


def test_what_an_older_table_does_not_say_has_its_default() -> None:
    """A floor may be newer than its tables: metrics show nothing of it, or that it is unknown."""
    floor = Floor()
    floor.say("status", state="online")
    floor.say("health")
    floor.say("table", phase="empty")
    shown = {
        name: floor.value(f"shoe_{name}") for name in ("state", "build_info", "connections_total", "clock_synchronised")
    }
    assert shown == {
        "state": ['shoe_state{table="T07",state="online"} 1'],
        "build_info": ['shoe_build_info{table="T07",version="unknown",build="unknown"} 1'],
        "connections_total": [],
        "clock_synchronised": [],
    }
    of_health = ("disk_free_bytes", "cards_read_total", "temperature_celsius", "outbox_entries", "faults")
    assert [floor.value(f"shoe_{name}") for name in of_health] == [[]] * len(of_health)
    assert floor.value("shoe_exporter_unread_total") == ["shoe_exporter_unread_total 0"]
