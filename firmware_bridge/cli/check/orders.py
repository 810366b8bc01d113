"""Checks of who may give this table's orders: their names, and that with keys an unsigned order is refused."""

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from firmware_bridge.cli.check.broker import first
from firmware_bridge.cli.check.finding import RESTART, Machine
from firmware_bridge.config.findings import Finding
from firmware_bridge.config.load import broker_settings
from firmware_bridge.errors import ConfigError, JournalError
from firmware_bridge.facts.decoding import Undecodable, from_json
from firmware_bridge.facts.events import SoftwareChanged
from firmware_bridge.facts.names import REMEDY, alike, is_pad, unfit, unfit_word
from firmware_bridge.facts.orders import BY_KEY, KEYPAD, LONGEST_NAME, Answer
from firmware_bridge.facts.people import NO_PERSON, people
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.mqtt.link import Link
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, Message

SIGN: Final = "give each backend a key: shoe-floor key new NAME, and [[orders]]; shoe help backend"
UNTRIED: Final = "not tried whether an unsigned order is refused"


def orders(machine: Machine) -> Iterator[Finding]:
    """Yield one finding: what no keys mean, or whether an unsigned order is refused where there are keys."""
    config = machine.config
    keys, unsigned = config.orders, config.mqtt.commands
    if not keys:
        if unsigned:
            who = "each login that may write to its topic command gives orders, also late or twice"
            yield Finding("WARN", "orders", f"no key is set: {who}", SIGN)
        return
    names = ", ".join(each.name for each in keys)
    if unsigned:
        what = f"signed orders of {names}, and without a signature {', '.join(unsigned)}"
        yield Finding("WARN", "orders", what, "once every backend signs, remove [mqtt] commands")
    elif machine.daemon is None or not machine.has_read("orders", "mqtt"):
        remedy = RESTART if machine.daemon else "start the daemon, then shoe check"
        yield Finding("WARN", "orders", f"signed orders of {names}; {UNTRIED}", remedy)
    else:
        yield _asked(machine, f"signed orders of {names}")


def names(machine: Machine) -> Iterator[Finding]:
    """Yield a finding for each name in config and record that is taken, though one like it would be refused today."""
    config = machine.config
    keys = [each.name for each in config.orders]
    own = ("[table] id", config.table.id), ("[table] pit", config.table.pit)
    for where, name in (*own, *(("[[orders]]", each) for each in keys)):
        if wrong := unfit_word(name, LONGEST_NAME):
            yield Finding("WARN", "names", f"{where} {name}: the name {wrong}", REMEDY)
    for one, other in alike(keys):
        yield Finding("WARN", "names", f"[[orders]] {one} and {other} look alike", "give one of them another name")
    dealer = machine.daemon["table"]["dealer"] if machine.daemon else ""
    if wrong := unfit(dealer, LONGEST_NAME):
        yield Finding("WARN", "names", f"the dealer {dealer}: the name {wrong}", "sign the dealer in: shoe do dealer")
    for name in sorted(_on_record(Path(config.journal.dir)) - {dealer}):
        if wrong := unfit(name, LONGEST_NAME):
            yield Finding(
                "WARN", "names", f"on record, {name}: the name {wrong}", "find out who it was: shoe journal show"
            )


def _on_record(directory: Path) -> set[str]:
    """Return the names of people in the newest journal; where it cannot be read, another check says so."""
    found = set[str]()
    with suppress(OSError, JournalError):
        for path in journal_files(directory)[-1:]:
            for line, _ in read_lines(Place(path, 0)):
                for event in line.entry.events if line.entry else ():
                    fields = () if isinstance(event, SoftwareChanged) else people(type(event))
                    found.update(getattr(event, field, "") or "" for field in fields)
    return {name for name in found - NO_PERSON if name != KEYPAD and not name.startswith(BY_KEY) and not is_pad(name)}


def _asked(machine: Machine, what: str) -> Finding:
    try:
        settings = broker_settings(machine.config)
    except ConfigError as error:
        return Finding("WARN", "orders", f"{what}; {UNTRIED}: {error.what}", error.hint)
    prefix = f"{machine.config.mqtt.root}/{machine.config.table.id}"
    name = f"{settings.client_id}-orders"
    answer = asyncio.run(_give(replace(settings, client_id=name), prefix))
    if answer is None:
        return Finding("OK", "orders", f"{what}; the broker lets this login give none")
    if answer.code == "unsigned":
        return Finding("OK", "orders", f"{what}; an unsigned one was refused")
    return Finding("FAIL", "orders", f"{what}; an unsigned one was judged: {answer.error}", RESTART)


ANSWER_S: Final = 3.0
"""Longest wait for the answer to an order."""


async def _give(settings: BrokerSettings, prefix: str) -> Answer | None:
    """Return the answer to an unsigned order that is none; None where none came."""
    loop, found = asyncio.get_running_loop(), asyncio.Queue[Answer | None]()
    id = f"check-{secrets.token_hex(8)}"

    def write() -> None:
        link.publish(f"{prefix}/command", msgspec.json.encode({"id": id, "do": "check"}))
        loop.call_later(ANSWER_S, found.put_nowait, None)

    def received(message: Incoming) -> None:
        with suppress(Undecodable):
            answer = from_json(message.payload, Answer)
            if answer.id == id:
                found.put_nowait(answer)

    link = Link(
        settings, loop, will=lambda: Message(f"{prefix}/check", b"", qos=0), topics=(f"{prefix}/reply",),
        own=lambda _: (), on_up=write, on_down=lambda _: found.put_nowait(None),
        on_delivered=lambda _: None, on_message=received,
    )  # fmt: skip
    return await first(link, found, None)
