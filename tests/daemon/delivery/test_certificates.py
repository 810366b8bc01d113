"""The certificates of a broker's connection: an alarm before one ends, and another file is used between rounds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.daemon.delivery import certificates as module
from firmware_bridge.daemon.delivery.certificates import Certificates, TlsLink
from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.mqtt.certificates import DAY_S
from firmware_bridge.mqtt.settings import BrokerSettings
from firmware_bridge.topics.texts.alarms import line
from tests.kit.alarms import unfit
from tests.kit.certificates import Authority
from tests.kit.patience import comes


class Watched:
    """A connection with a certificate of its own, and the alarms about it."""

    def __init__(self, folder: Path) -> None:
        self.authority, self.loop = Authority(folder), asyncio.new_event_loop()
        self.authority.issue("mine", ends=90.0)
        self.at_s, self.between = time.time(), True
        self.peer: float | None = None
        self.renewed = 0
        self.alarms: dict[str, str] = {}
        ca, cert, key = (str(folder / each) for each in ("ca.pem", "mine.pem", "mine.key"))
        self.settings = BrokerSettings(client_id="T07", ca=ca, cert=cert, key=key)
        link = TlsLink(lambda: self.peer, self.renew, lambda: self.between)
        self.certificates = Certificates(self.settings, self, link, self.loop, lambda: self.at_s)

    def renew(self) -> None:
        self.renewed += 1

    def warn(self, alarm: str, /, **values: Value) -> None:
        assert unfit(alarm, values) == []
        self.alarms[alarm] = line("en", alarm, "", values)

    def unwarn(self, alarm: str, /) -> None:
        self.alarms.pop(alarm, None)

    def after(self, days: float) -> str | None:
        """The alarm after some days more."""
        self.at_s += days * DAY_S
        self.look()
        return self.alarms.get("certificate_ends")

    def look(self) -> None:
        self.certificates.close()
        self.certificates._look()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    made = Watched(tmp_path / "a")
    made.certificates.start()
    yield made
    made.certificates.close()
    made.loop.close()


def test_thirty_days_before_its_end_a_certificate_is_an_alarm(watched: Watched) -> None:
    assert watched.alarms == {}
    assert watched.after(59.0) is None
    said = watched.after(1.5)
    assert said is not None
    assert f"({watched.settings.cert} · ends: 20" in said
    assert "docs/broker.md" in said
    assert watched.certificates.days == 29
    ended = watched.after(40.0)
    assert ended is not None
    assert "ended: 20" in ended
    assert watched.certificates.days == -11


def test_that_of_the_broker_too(watched: Watched) -> None:
    watched.peer = watched.at_s + 10 * DAY_S
    said = watched.after(0.0)
    assert said is not None
    assert "(the broker's certificate · ends: 20" in said
    watched.peer = watched.at_s + 400 * DAY_S
    assert watched.after(0.0) is None


def test_one_that_is_not_valid_yet_names_the_clock(watched: Watched) -> None:
    said = watched.after(-400.0)
    assert said is not None
    assert "valid from: 20" in said
    assert "clock" in said


def test_a_changed_file_is_used_once_between_rounds(watched: Watched) -> None:
    watched.authority.issue("mine", ends=800.0)
    watched.between = False
    watched.look()
    assert watched.renewed == 0
    watched.between = True
    for _ in range(3):
        watched.look()
    assert watched.renewed == 1


def test_files_that_are_no_pair_yet_are_not_used(watched: Watched, caplog: pytest.LogCaptureFixture) -> None:
    key = (watched.authority.folder / "mine.key").read_text()
    watched.authority.issue("mine", ends=800.0)
    fresh = (watched.authority.folder / "mine.key").read_text()
    (watched.authority.folder / "mine.key").write_text(key)
    for _ in range(3):
        watched.look()
    assert watched.renewed == 0
    assert caplog.text.count("are not used yet") == 1
    (watched.authority.folder / "mine.key").write_text(fresh)
    watched.look()
    assert watched.renewed == 1


def test_without_tls_nothing_is_looked_at(watched: Watched) -> None:
    plain = Certificates(
        BrokerSettings(client_id="T07"), watched, TlsLink(lambda: None, watched.renew, lambda: True), watched.loop
    )
    plain.start()
    assert (plain.days, plain._timer) == (None, None)


def test_a_look_comes_each_minute(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_S", 0.01)
    watched.look()
    watched.authority.issue("mine", ends=800.0)
    watched.loop.run_until_complete(comes(lambda: watched.renewed))
    watched.loop.run_until_complete(asyncio.sleep(0.1))
    assert watched.renewed == 1
