"""The matrix of actors and acts: each cell is tried at the real sockets of a daemon, as real users, or at mosquitto.

Addresses of the page have a table of their own (tests/floor_whole), which tries the messages at NATS too.
"""

from __future__ import annotations

import ast
import errno
import inspect
import os
import socket
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any, Final, NamedTuple

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.reasoncodes import ReasonCode

from firmware_bridge.daemon.table import control, recorder
from firmware_bridge.facts.book.roles import GROUPS
from firmware_bridge.facts.orders import LOCAL
from firmware_bridge.facts.rights import _RIGHTS, roles_for
from firmware_bridge.floor.acl import mosquitto, users
from firmware_bridge.floor.config import parse
from tests.daemon.table import test_people
from tests.daemon.table.test_people import People
from tests.floor.test_acl import Visitor
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.order_keys import OrderKey
from tests.kit.patience import until

brokers, folder = real.brokers, test_people.folder  # fixtures

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other users")

AT_THE_TABLE: Final = """
request             root  pit  tech  audit  dealer  login
status              yes   yes  yes   yes    -       -
watch               yes   yes  yes   yes    yes     -
preview             yes   yes  -     -      -       -
confirm             yes   yes  yes   -      -       -
take_back           yes   yes  yes   -      -       -
lend                yes   -    yes   -      -       -
calibration         yes   -    yes   -      -       -
keep_calibration    yes   -    yes   -      -       -
begin_record        yes   -    yes   -      -       -
rotate_key          yes   -    yes   -      -       -
retire_key          yes   -    yes   -      -       -
journals            yes   -    -     yes    -       -
journal             yes   -    -     yes    -       -
open_shoe           yes   yes  -     -      -       -
close_shoe          yes   yes  -     -      -       -
close_table         yes   yes  -     -      -       -
request_shoe_change    yes  yes  -  -      -       -
request_dealer_change  yes  yes  -  -      -       -
bets_open           yes   yes  -     -      -       -
bets_closed         yes   yes  -     -      -       -
mark                yes   yes  -     -      -       -
unmark              yes   yes  -     -      -       -
next                yes   yes  -     -      -       -
reveal              yes   yes  -     -      -       -
fly                 yes   yes  -     -      -       -
void                yes   yes  -     -      -       -
correct             yes   yes  -     -      -       -
enter               yes   yes  -     -      -       -
resolve             yes   yes  -     -      -       -
resend              yes   yes  -     -      -       -
dealer              yes   yes  -     -      -       -
"""
"""Request at a socket -> who may send it. root: or the daemon's own user. login: one at the Pi, in none of the groups;
a thief with the card, guests and strangers have not even that."""

ROLE: Final = {"root": ".", "login": "pit"}
"""Actor -> the folder of the socket that he tries, where it is not called as he is."""

AT_THE_BROKER: Final = """
act                      backend  keyless  other-table  thief  reader  stranger
connect                  yes      yes      yes          yes    yes     -
hear T07's status        yes      yes      -            yes    yes     -
write T07/round          -        -        -            yes    -       -
write T07/event          -        -        -            yes    -       -
write T07/status         -        -        -            yes    -       -
write T07/lamps          -        -        -            yes    -       -
write T07/stored         yes      yes      -            -      -       -
write T07/witnessed      -        -        -            -      -       -
write T99/round          -        -        -            -      -       -
order unsigned           -        -        -            -      -       -
order by the key         yes      -        -            -      -       -
order beyond the key     -        -        -            -      -       -
order heard before       -        -        -            -      -       -
two people by the key    yes      -        -            -      -       -
two people beyond it     -        -        -            -      -       -
"""
"""Act at a broker with the rights of `shoe-floor acl`, at a table with `[[orders]]` -> who it works for.

two people: an order that names a second person, by a key that may (`two_people`), and by one that may not.

backend: login and keys. keyless: its login alone. other-table: T08. thief: the login of T07, from its card; what he
says in its name is an incident (tests/floor/test_attacks.py). stranger: no login."""

LOGIN: Final = {
    "backend": "cage",
    "keyless": "cage",
    "other-table": "T08",
    "thief": "T07",
    "reader": "watch",
    "stranger": "",
}
USERS: Final = {name: name for name in ("T07", "T08", "floor", "cage", "watch")}
RIGHTS: Final[dict[str, Any]] = {"mqtt": {"username": "floor"}, "tables": {"T07": {}, "T08": {}}}


def rows(table: str) -> dict[str, dict[str, bool]]:
    """Act -> actor -> whether he may."""
    head, *lines = table.strip().splitlines()
    actors = head.split()[1:]
    found = {}
    for line in lines:
        words = line.rsplit(None, len(actors))
        found[words[0].strip()] = dict(zip(actors, (word == "yes" for word in words[1:]), strict=True))
    return found


REQUESTS, MESSAGES = rows(AT_THE_TABLE), rows(AT_THE_BROKER)


# --------------------------------------------------------------------------------------------------- at the table


@pytest.fixture
def people(folder: Path) -> Iterator[People]:
    people = People(folder)
    yield people
    people.table.close()


def test_each_request_that_a_daemon_answers_has_a_row() -> None:
    assert set(REQUESTS) == {*answered(), *_RIGHTS, *LOCAL, *recorder.ORDERS}


def test_the_rights_in_the_code_are_those_of_the_table() -> None:
    for do, may in REQUESTS.items():
        assert {role for role in GROUPS if may[role]} == set(roles_for(do)), do


@needs_root
@pytest.mark.parametrize("actor", next(iter(REQUESTS.values())))
def test_each_request_by_each_actor(people: People, actor: str) -> None:
    who = "nobody" if actor == "login" else actor
    answers = people.ask_all(who, ROLE.get(actor, actor), [{"do": do, "by": "anna"} for do in REQUESTS])
    for (do, may), answer in zip(REQUESTS.items(), answers, strict=True):
        is_refused = "is not for the group" in str(answer.get("error")) or answer == {"errno": errno.EACCES}
        assert is_refused != may[actor], (actor, do, answer)


@needs_root
def test_a_name_of_another_form_is_no_way_around(people: People) -> None:
    for do in ("rotate-key", "Rotate_Key", "rotate_key ", "journal\0", "enter\n", "lend", "keep-calibration"):
        answer = people.ask("dealer", do=do, by="anna")
        assert not answer["ok"], do
        assert "journals" not in answer


def test_a_daemon_has_no_port_that_the_lan_reaches(people: People) -> None:
    people.table.pause(0.2)
    own = {str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()}
    open_ports = [
        line.split()[1]
        for kind, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07"))
        for line in Path(f"/proc/self/net/{kind}").read_text().splitlines()[1:]
        if line.split()[3] == state and f"socket:[{line.split()[9]}]" in own
    ]
    assert open_ports == []
    with socket.socket() as probe:  # the test would see one
        probe.bind(("127.0.0.1", 0))
        probe.listen()
        inode = os.fstat(probe.fileno()).st_ino
        assert any(line.split()[9] == str(inode) for line in Path("/proc/self/net/tcp").read_text().splitlines())


def answered() -> set[str]:
    """The requests that the control socket knows by name: what its code compares `fields["do"]` with."""
    found = set[str]()
    for node in ast.walk(ast.parse(inspect.getsource(control))):
        if isinstance(node, ast.Compare) and ast.unparse(node.left) == "fields['do']":
            named = [each for other in node.comparators for each in ast.walk(other)]
            found |= {str(each.value) for each in named if isinstance(each, ast.Constant)}
            found |= {name for each in named if isinstance(each, ast.Name) for name in getattr(control, each.id)}
    return found


# --------------------------------------------------------------------------------------------------- at the broker


class Place(NamedTuple):
    """Where a broker listens, and what it speaks."""

    host: str
    port: int
    protocol: MQTTProtocolVersion = MQTTProtocolVersion.MQTTv5


class Observer(Visitor):
    """A reader that keeps all that it hears."""

    def __init__(self, broker: Place) -> None:
        self.all: list[tuple[str, bytes]] = []
        super().__init__(broker, "watch", broker.protocol)

    def _on_message(self, client: Client, data: object, message: MQTTMessage) -> None:
        self.all.append((message.topic.removeprefix("shoe/"), bytes(message.payload)))
        super()._on_message(client, data, message)


class House:
    """A table with a key for orders, at a broker with the rights of a floor; its visitors."""

    def __init__(self, folder: Path, broker: Place) -> None:
        (folder / "password").write_text("T07")
        self.broker, self.cage, self._ends = broker, OrderKey("cage", "dealer", "void"), count(1)
        self.page = OrderKey("page", "void", two_people=True)
        mqtt = {"port": broker.port, "username": "T07", "password_file": str(folder / "password")}
        self.people = People(folder, mqtt=mqtt, orders=[self.cage.row, self.page.row])
        self.table = self.people.table
        assert self.people.own(b'{"do":"open_shoe","by":"anna"}\n')["ok"]
        self._came: list[Visitor] = []
        self.watch = Observer(broker)
        self._came.append(self.watch)
        self.watch.hear("shoe/#")
        self.table.until(lambda: "T07/status" in self.watch.heard)
        self.floor = self.come("cage")

    def come(self, login: str) -> Visitor:
        self._came.append(Visitor(self.broker, login, self.broker.protocol))
        return self._came[-1]

    def order(self, key: OrderKey | None = None, **fields: Any) -> bytes:
        """An order of now, by the key that the table knows or another one."""
        table = self.table.bridge.table
        now = {"journal": table.shoe.journal, "seq": table.shoe.seq, "boot": table.boot}
        return (key or self.cage).order(now, **fields)

    def signed_in(self, dealer: str) -> int:
        """How often a dealer was signed in, by the record."""
        events = [event for line in self.table.lines() for event in line.public.events]
        return sum(b'"DealerSignedIn"' in event and dealer.encode() in event for event in map(bytes, events))

    def voids_of_two(self) -> int:
        """How many voids by two people were taken as such; none is open that could be voided."""
        events = [event for line in self.table.lines() for event in line.public.events]
        return sum(b'"code":"no_round_to_void"' in bytes(event) for event in events)

    def settle(self) -> None:
        """Waits until all orders that were published before are judged."""
        name = f"END-{next(self._ends)}"
        self.floor.say("T07/command", self.order(do="dealer", dealer=name))
        self.table.until(lambda: self.signed_in(name))

    def has_heard(self, topic: str, said: bytes) -> bool:
        """Whether a message came through, once a later one has."""
        end = f'{{"end":{next(self._ends)}}}'.encode()
        self.floor.say("T07/stored", end)
        self.table.until(lambda: ("T07/stored", end) in self.watch.all)
        return (topic, said) in self.watch.all

    def close(self) -> None:
        for each in self._came:
            each.close()
        self.table.close()


@pytest.fixture
def house(folder: Path, brokers: Callable[..., Broker]) -> Iterator[House]:
    broker = brokers(users=USERS, acl="\n".join(mosquitto(users(parse(RIGHTS), ["cage"], ["watch"]))))
    house = House(folder, Place(broker.host, broker.port))
    yield house
    house.close()


@pytest.mark.parametrize("actor", next(iter(MESSAGES.values())))
def test_each_message_by_each_actor(house: House, actor: str) -> None:
    may = {act for act, row in MESSAGES.items() if row[actor]}
    assert ({"connect"} if connects(house.broker, LOGIN[actor]) else set()) == may & {"connect"}
    if "connect" in may:
        who = house.come(LOGIN[actor]).hear("shoe/T07/#")
        heard = heard_of(house, who, "hear T07's status" in may)
        assert heard | written(house, who, actor) | ordered(house, who, actor) == may - {"connect"}
    else:
        assert may == set()


def test_a_name_that_nobody_has_and_a_wrong_password_are_strangers(house: House) -> None:
    assert not connects(house.broker, "nobody")
    assert not connects(house.broker, "T07", "wrong")


def connects(broker: Place, login: str, password: str = "") -> bool:
    """Whether the broker lets somebody in."""
    codes, came = list[bool](), Event()
    client = Client(CallbackAPIVersion.VERSION2, f"knock-{login}", protocol=broker.protocol)
    if login:
        client.username_pw_set(login, password or login)

    def met(_client: Client, _data: object, _flags: object, code: ReasonCode, _properties: object) -> None:
        codes.append(code.is_failure)
        came.set()

    client.on_connect = met
    client.connect(broker.host, broker.port)
    client.loop_start()
    until(came.is_set)
    client.disconnect()
    client.loop_stop()
    client._reset_sockets()  # which a collector may find before their client
    return not codes[0]


def heard_of(house: House, who: Visitor, may: bool) -> set[str]:
    """Whether the table's retained status came to him: if not in a while after others have it, he may not hear it."""
    house.settle()
    if may:
        house.table.until(lambda: "T07/status" in who.heard)
    for _ in range(100):
        if "T07/status" in who.heard:
            return {"hear T07's status"}
        house.table.pause(0.02)
    return set()


def written(house: House, who: Visitor, actor: str) -> set[str]:
    """The topics that he writes."""
    done = set()
    for act in (each for each in MESSAGES if each.startswith("write ")):
        said = f'{{"by":"{actor}"}}'.encode()
        who.say(act.removeprefix("write "), said)
        if house.has_heard(act.removeprefix("write "), said):
            done.add(act)
    return done


def ordered(house: House, who: Visitor, actor: str) -> set[str]:
    """The orders of his that are obeyed."""
    key = house.cage if actor == "backend" else OrderKey("cage", "dealer", seed="made up")
    before = house.order(do="dealer", dealer="BEFORE")
    house.floor.say("T07/command", before)
    house.settle()
    assert house.signed_in("BEFORE") == 1
    done = set()
    for act, dealer in (
        ("order unsigned", "UNSIGNED"),
        ("order by the key", "SIGNED"),
        ("order heard before", "BEFORE"),
    ):
        times = house.signed_in(dealer)
        unsigned = f'{{"id":"u","do":"dealer","dealer":"{dealer}"}}'.encode()
        given = {"UNSIGNED": unsigned, "BEFORE": before}.get(dealer)
        who.say("T07/command", given or house.order(key, do="dealer", dealer=dealer))
        house.settle()
        done |= {act} if house.signed_in(dealer) > times else set()
    mine = actor == "backend"
    for act, signer in (
        ("two people by the key", house.page if mine else OrderKey("page", seed="made up")),
        ("two people beyond it", key),
    ):
        times = house.voids_of_two()
        who.say("T07/command", house.order(signer, do="void", why="x", round=1, on_behalf_of="Ann", second="Bo"))
        house.settle()
        done |= {act} if house.voids_of_two() > times else set()
    who.say("T07/command", house.order(key, do="close_shoe"))
    house.settle()
    return done | ({"order beyond the key"} if house.table.bridge.table.shoe.status != "open" else set())
