"""The words of a broker's failures: each row of the book has a text in every language, and for each reader."""

from __future__ import annotations

import ast
import asyncio
import errno
import re
from collections.abc import Callable
from pathlib import Path
from string import Formatter
from typing import Final

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from firmware_bridge.client import failures as backend
from firmware_bridge.daemon.devices.reader_alarms import reason
from firmware_bridge.daemon.table.disk_outage import words
from firmware_bridge.facts import inputs
from firmware_bridge.facts.book.failures import FAILURES, READER, REMEDIES, ROWS
from firmware_bridge.facts.book.refusals import Phrase, Value, phrase
from firmware_bridge.facts.events import Irregular
from firmware_bridge.floor.source import mqtt as office
from firmware_bridge.journal.preallocate import unwritable
from firmware_bridge.mqtt import reasons
from firmware_bridge.mqtt.errors import SEEN, BrokerErrors
from firmware_bridge.mqtt.settings import BrokerSettings, Moment
from firmware_bridge.mqtt.subscriber import Reader, Subscriber
from firmware_bridge.topics.texts import LANGUAGES, Language, ids, text
from firmware_bridge.topics.texts.alarms import about
from firmware_bridge.topics.texts.refusals import english, failure
from hardware import ports
from hardware.connections import connected
from hardware.errors import PortError, PortMissing
from hardware.ports import open_tty
from tests.kit.alarms import unfit
from tests.kit.rows import each_row
from tests.kit.table import Table

CHINESE: Final[tuple[Language, ...]] = ("zh-Hant", "zh-Hans")

REFUSED: Final = phrase("refused", at="b:1883")

OF_A_TABLE: Final = {
    *("announced", "no_echo"),  # what a table needs of its broker, and no reader
    *("not_taken", "not_given"),  # a `Subscriber` passes their topics to its reader, `rejected` and `subscribed`
    *("not_connected", "same_table", "files_changed"),  # of the status of a daemon
}
"""Failures that a `Subscriber` does not report by their sentence."""

OF_A_CLIENT: Final = sorted({*FAILURES} - OF_A_TABLE)

UNSEEN: Final = {"not_connected", "same_table", "files_changed", "no_thread", "crashed"}
"""Failures that are not seen of a broker."""

OF_THE_BRIDGE: Final = {
    *("reader_silent", "too_many_cards", "too_many_reports", "keypad_lost", "keypad_lost_often"),
    "port_unusable",  # of an error without a code
}
"""Failures of readers and keypads that the bridge finds, and no port."""

HARDWARE: Final = Path(ports.__file__).parent


def literal(given: list[ast.expr]) -> object:
    """The constant of an argument, if it is one."""
    return given[0].value if given and isinstance(given[0], ast.Constant) else None


def filled(code: str) -> Phrase:
    """The failure with a value of each kind."""
    made: dict[str, Callable[[], Value]] = {
        "number": lambda: 7,
        "failure": lambda: phrase("see_log"),
        "failures": lambda: (phrase("tab"), phrase("bom")),
    }
    return Phrase(code, {name: made.get(kind, lambda: "X")() for name, kind in ROWS[code].items()})


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_text_has_the_values_of_its_row(lang: Language) -> None:
    for code, row in ROWS.items():
        fields = {name for _, name, _, _ in Formatter().parse(text(lang, f"failure.{code}")) if name}
        assert fields <= {*row}, code


@pytest.mark.parametrize("lang", CHINESE)
def test_each_failure_is_said_in_chinese(lang: Language) -> None:
    for code in ROWS:
        assert re.search(r"[一-鿿]", failure(lang, filled(code))), code


def test_no_text_of_a_failure_is_left_over() -> None:
    assert {each.removeprefix("failure.") for each in ids() if each.startswith("failure.")} == {*ROWS}


def test_what_is_seen_of_a_broker_is_in_the_book() -> None:
    assert {*SEEN} == {*FAILURES} - UNSEEN
    assert {*reasons.REMEDIES.values(), *reasons.MAY_READ.values(), reasons.SEE_LOG, "may_write"} == {*REMEDIES}


def test_a_backend_and_the_office_have_words_for_what_they_meet() -> None:
    assert {*backend.SENTENCES} == {*office.SENTENCES} == {*OF_A_CLIENT}


def test_a_failure_of_a_table_has_its_english_in_the_office() -> None:
    assert office.sentence(filled("not_given")) == english(filled("not_given"))


@each_row("code", OF_A_CLIENT)
def test_a_backend_and_the_office_have_words_of_their_own(code: str) -> None:
    assert "{" not in backend.sentence(filled(code)) + office.sentence(filled(code))
    assert "[mqtt]" not in backend.sentence(filled(code))
    assert code not in (backend.sentence(filled(code)), office.sentence(filled(code)))


class Downs(Reader):
    """A reader that keeps what it was told of lost connections."""

    def __init__(self) -> None:
        self.whys = list[str]()

    def down(self, why: str, code: int) -> None:
        self.whys.append(why)


@each_row("say", [backend.sentence, office.sentence], ids=lambda say: say.__module__)
@each_row("size", [0, 90])
def test_what_is_not_acknowledged_is_reported_in_words(say: Callable[[Phrase], str], size: int) -> None:
    """Another connection takes its place, and the reader has the words."""
    loop, reader = asyncio.new_event_loop(), Downs()
    try:
        link = Subscriber(BrokerSettings(client_id="office"), say, {"shoe/+/round": 1}, reader, loop)
        link._lost(Moment("shoe/+/round", size))
    finally:
        loop.close()
    (why,) = reader.whys
    assert re.search(r"does not (acknowledge|answer).* shoe/\+/round: ", why)


def test_a_remedy_is_said_with_the_failure() -> None:
    stated = phrase("ended", at="b:1883", code="Quota exceeded", remedy=phrase("quota"))
    assert english(stated) == (
        "the broker b:1883 ended the connection (Quota exceeded): "
        "this table is over the broker's quota: raise it; it is tried again more and more slowly"
    )


def test_a_lost_broker_is_on_record_by_code_and_values() -> None:
    lost = inputs.DeviceLost(at=0, device="broker", code=REFUSED.code, values=REFUSED.values)
    (alarm,) = Table(burn="none").play("shoe", lost).shoe.device.irregular
    assert (alarm.values, unfit(alarm.id, alarm.values)) == ({"why": REFUSED}, [])
    assert about("zh-Hant", alarm.id, alarm.values).startswith("b:1883 沒有服務")


def test_a_full_disk_is_on_record_by_code_and_values() -> None:
    why = phrase("journal_unwritable", error="No space left on device")
    full = inputs.DiskFailed(at=0, irregularity="disk_full", code=why.code, values=why.values, until=9)
    table = Table(burn="none").play("shoe", full)
    (event,) = [each for each in table.events if isinstance(each, Irregular)]
    assert (event.id, event.values) == ("disk_full", {"why": why})
    assert about("zh-Hant", event.id, event.values) == "日誌無法寫入（No space left on device）"


def test_an_error_of_the_disk_says_what_to_do() -> None:
    error = unwritable(OSError(28, "No space left on device"))
    assert words(error) == (
        "the journal cannot be written (No space left on device); "
        "free some space: `shoe check` shows how much is needed"
    )


def test_a_lost_reader_says_the_same_as_its_port(tmp_path: Path) -> None:
    with pytest.raises(PortError) as missing:
        open_tty(str(tmp_path / "reader"), 115_200)
    assert english(reason(missing.value)) == str(missing.value)
    assert {*reason(missing.value).values} == {*ROWS["no_reader"]}


GONE: Final = OSError(errno.EIO, "Input/output error")

OF_PORTS: Final = (
    ports._gone("/dev/x", GONE),
    ports._disconnected("/dev/x"),
    ports._disconnected("socket://h:1"),
    ports._port_error("/dev/x", PermissionError(errno.EACCES, "no")),
    ports._port_error("/dev/x", OSError(errno.EBUSY, "no")),
    ports._port_error("/dev/x", FileNotFoundError(errno.ENOENT, "no")),
    ports._port_error("/dev/x", OSError(errno.EIO, "no")),
)


@each_row("error", OF_PORTS, ids=lambda error: str(error.code))
def test_a_port_says_the_same_as_its_code(error: PortError) -> None:
    assert english(reason(error)) == str(error)
    assert {*reason(error).values} == {*ROWS[error.code]}


@each_row("target", ["socket://", "socket://127.0.0.1:1", "socket://no.host.invalid:1"])
def test_a_reader_in_the_network_says_the_same_as_its_code(target: str) -> None:
    loop = asyncio.new_event_loop()
    try:
        with pytest.raises(PortError) as error:
            loop.run_until_complete(connected(target, loop))
    finally:
        loop.close()
    assert english(reason(error.value)) == str(error.value)


def test_each_code_of_a_port_has_its_row() -> None:
    calls = [each for path in HARDWARE.rglob("*.py") for each in ast.walk(ast.parse(path.read_text("utf-8")))]
    named = {
        value
        for each in calls
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id.startswith("Port")
        if isinstance(value := literal(each.args[1:2]), str)
    }
    assert named == {*READER} - OF_THE_BRIDGE


PORTS: Final = (
    PortMissing("", "no_reader", port="/dev/x", found=("/dev/a", "/dev/b")),
    PortMissing("", "no_reader", port="/dev/x", found=()),
)


def test_the_readers_that_are_there_are_named() -> None:
    some, none = (failure("zh-Hant", reason(each)) for each in PORTS)
    assert some == "/dev/x 沒有讀牌器：請檢查線和 [reader] port；找到的讀牌器：/dev/a, /dev/b"
    assert none == "/dev/x 沒有讀牌器：請檢查線和 [reader] port；/dev/serial/by-id 內沒有 USB 讀牌器"


def test_a_reader_at_fault_is_on_record_by_code_and_values() -> None:
    why = phrase("too_many_reports", most=10, seconds=10)
    table = Table(burn="none").play("shoe", inputs.ReaderFaulted(at=0, code=why.code, values=why.values))
    (alarm,) = table.shoe.device.irregular
    assert (alarm.id, alarm.values, unfit(alarm.id, alarm.values)) == ("reader_fault", {"why": why}, [])


def test_the_english_of_a_version_before_is_shown_as_it_is() -> None:
    lost = inputs.DeviceLost(at=0, device="broker", why="nothing listens at b:1883")
    (alarm,) = Table(burn="none").play("shoe", lost).shoe.device.irregular
    assert about("zh-Hant", alarm.id, alarm.values) == "nothing listens at b:1883"


def test_a_failure_of_a_newer_version_is_shown_by_its_code() -> None:
    assert failure("zh-Hant", {"code": "of_tomorrow", "values": {}}) == "of_tomorrow"


@pytest.mark.parametrize(("code", "remedy"), [(0x87, "may_write"), (0x95, "packet_limit"), (0x83, "see_log")])
def test_a_reason_code_has_its_remedy(code: int, remedy: str) -> None:
    errors = BrokerErrors(BrokerSettings(client_id="T07"))
    refused = errors.not_taken("shoe/T07/event", ReasonCode(PacketTypes.PUBACK, identifier=code))
    assert refused.code == "not_taken"
    assert refused.values["remedy"] == phrase(remedy, **({"who": "T07"} if remedy == "may_write" else {}))
    assert set(refused.values) == {*FAILURES["not_taken"]}


def test_a_password_with_what_nobody_sees_is_named() -> None:
    errors = BrokerErrors(BrokerSettings(client_id="T07", username="T07", password=b"\xef\xbb\xbfright\n"))
    refused = errors.refusal(ReasonCode(PacketTypes.CONNACK, identifier=0x86))
    assert "user 'T07' (Bad user name or password)" in english(refused)
    assert "(a BOM; a line end)" in english(refused)
