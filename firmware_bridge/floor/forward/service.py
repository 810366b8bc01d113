"""Sends what is stored to each receiver of webhooks, in a thread of its own, until a signal stops it."""

import logging
import signal
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from threading import Event, Thread
from time import time
from typing import Final

from firmware_bridge.config.systemd import Systemd
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import FloorConfig, secret
from firmware_bridge.floor.forward.envelope import event, request, signed
from firmware_bridge.floor.forward.post import Receiver
from firmware_bridge.floor.forward_config import ForwardRow, key_of
from firmware_bridge.floor.record.message import rfc3339
from firmware_bridge.floor.store import OtherFormat, Store
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.feed import FedMessage, Forwarded
from firmware_bridge.floor.store.open import Trouble, open_store
from firmware_bridge.mqtt.backoff import Doubling

log = logging.getLogger(__name__)

LOOK_S: Final = 1.0
"""Time between two looks at a feed without anything new."""

FIRST_S: Final = 1.0
LONGEST_S: Final = 300.0
"""First and longest wait after a request that was not taken; it doubles."""

PAGE: Final = 500
"""Messages of the feed that are read at once."""

BEAT_S: Final = 1.0
END_S: Final = 5.0
"""Longest wait for what is on its way when the service stops: what was taken and is not noted comes again."""

LONGEST_WHY: Final = 300
"""Characters that are kept of why nothing is taken: some of them are the receiver's."""

NOT_STORED: Final = "the store does not have the message any more: see shoe-floor check"


class Forwarder:
    """Sends the feed of a store to one receiver. Raises ConfigError for a key or an authority that cannot be read."""

    def __init__(self, row: ForwardRow, stop: Event, wait_s: float = FIRST_S) -> None:
        self._row, self._stop = row, stop
        self._key = key_of(row, secret(row.key_file))
        try:
            self._receiver = Receiver(row.url, row.answer_s, row.ca)
        except OSError as error:
            raise ConfigError(f"[[forward]] {row.name}: ca {row.ca}: {error}", "name a file of certificates") from None
        self._again = Doubling(wait_s, LONGEST_S)
        what = f"webhooks: {row.name} takes nothing, it is tried again"
        self._trouble = Trouble(log, what, f"webhooks: {row.name} takes messages again")
        self._of_store = Trouble(log, f"webhooks: {row.name} waits for the store", "the store can be read again")

    def run(self, opened: Callable[[], Store]) -> None:
        """Send until the service stops. opened: opens the store. Raises OtherFormat."""
        while not self._stop.is_set():
            try:
                with closing(opened()) as store:
                    self._follow(store)
            except OtherFormat:
                raise
            except StoreError as error:
                self._of_store.note(str(error))
                self._stop.wait(self._later())

    def _follow(self, store: Store) -> None:
        """Send what is new, from where the store says that the receiver is."""
        at = self._begun(store)
        self._of_store.note("")
        while not self._stop.is_set():
            found = store.feed_after(at.place, PAGE)
            if not found:
                self._stop.wait(LOOK_S)
                continue
            wanted = [each for each in found if each.kind in self._row.kinds]
            part = wanted[: self._row.batch]
            if why := self._sent(part):
                at = self._note(store, at, why)
                self._stop.wait(self._later())
                continue
            self._again.reset()
            self._trouble.note("")
            place = part[-1].place if len(part) < len(wanted) else found[-1].place
            at = Forwarded(self._row.name, place, _now() if part else at.at)
            store.put_forwarded(at)

    def _begun(self, store: Store) -> Forwarded:
        for each in store.forwarded():
            if each.name == self._row.name:
                return each
        at = Forwarded(self._row.name, store.feed_end() if self._row.begin == "now" else 0)
        store.put_forwarded(at)
        return at

    def _sent(self, messages: list[FedMessage]) -> str:
        """Send messages in one request; return why they were not taken, "" if they were."""
        if not messages:
            return ""
        events = [event(each, each.body) for each in messages if each.body is not None]
        if len(events) < len(messages):
            return NOT_STORED
        made = request(self._row.name, events, is_list=self._row.batch > 1)
        return self._receiver.post(made.body, signed(made, self._key, int(time())))

    def _note(self, store: Store, at: Forwarded, why: str) -> Forwarded:
        """Keep in the store why nothing is taken, for `check` and the metrics; log it once."""
        why = escaped(why)[:LONGEST_WHY]
        self._trouble.note(why)
        if at.trouble != why:
            at = at._replace(trouble=why, since=at.since or _now())
            store.put_forwarded(at)
        return at

    def _later(self) -> float:
        wait_s = self._again.s
        self._again.longer()
        return wait_s


def run(config: FloorConfig) -> int:
    """Send until SIGTERM or SIGINT; return 0, or 1 after a thread failed. Raises ConfigError, OtherFormat."""
    if not config.forward:
        raise ConfigError("no receiver is configured", "add [[forward]] to floor.toml (docs/forward.md)")
    stop, systemd = Event(), Systemd()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    forwarders = [Forwarder(row, stop) for row in config.forward]
    threads = [
        Thread(target=each.run, args=(lambda: open_store(config),), name=f"forward-{row.name}", daemon=True)
        for each, row in zip(forwarders, config.forward, strict=True)
    ]
    for thread in threads:
        thread.start()
    names = ", ".join(row.name for row in config.forward)
    log.info("webhooks go to %s", names)
    systemd.notify("READY=1", f"STATUS=sends to {names}")
    while not stop.wait(BEAT_S):
        if not all(thread.is_alive() for thread in threads):
            return 1
    systemd.notify("STOPPING=1")
    for thread in threads:
        thread.join(END_S)
    return 0


def _now() -> str:
    return rfc3339(datetime.now(UTC))
