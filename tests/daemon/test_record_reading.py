"""A note of witnesses that comes while a slow disk still reads the journal is judged by all of the record."""

from __future__ import annotations

import asyncio
import base64
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from nacl.signing import SigningKey
from pytest_mock import MockerFixture

from firmware_bridge.config.load import broker_settings
from firmware_bridge.daemon.table import opening
from firmware_bridge.journal import journal, recovery
from firmware_bridge.record import verify as v
from firmware_bridge.record.signer import checkpoint_text, signed_note, signer
from scripts.tools.fleet.table import FleetTable, table_config
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.patience import awaited, comes, until

broker, brokers = real.broker, real.brokers  # fixtures
backend = listening.backend  # fixture

WITNESS: Final = SigningKey(bytes([9]) * 32)
WITNESS_KEY: Final = v.key_of("watcher.example", v.COSIGNATURE, bytes(WITNESS.verify_key))


def cosigned(note: str) -> str:
    """A note with the cosignature of a witness."""
    at = 1_700_000_000
    data = (
        WITNESS_KEY.id + at.to_bytes(8, "big") + WITNESS.sign(v.cosigned_bytes(at, v.parse_note(note).text)).signature
    )
    return f"{note}\u2014 {WITNESS_KEY.name} {base64.b64encode(data).decode()}\n"


@pytest.mark.parametrize("more", [0, 100], ids=["of this record", "of more entries than are here"])
def test_a_note_that_comes_before_the_journal_is_read_is_judged_after_it(
    more: int, tmp_path: Path, broker: Broker, backend: Backend, mocker: MockerFixture
) -> None:
    config = table_config("T07", "baccarat", tmp_path / "T07", broker.host, broker.port, None, [WITNESS_KEY.vkey])

    async def played() -> str:
        """The newest note of a table that dealt some rounds."""
        table = FleetTable(config, broker_settings(config), Random(7))
        await table.open()
        while table.rounds < 3:
            await table.on_disk()
            table.dealer.act()
        await comes(lambda: table.uplink.link.up)
        note = table.journal.tree.note
        await table.close()
        return note

    async def read_slowly(came: threading.Event) -> tuple[set[str], int, bool]:
        """What a start finds that reads until a note came: open alarms, the witnessed size, whether it signs."""
        table = FleetTable(config, broker_settings(config), Random(8))
        witness = table.recorder.witness

        def witnessed(payload: bytes) -> None:
            witness(payload)
            came.set()

        mocker.patch.object(table.recorder, "witness", witnessed)
        await awaited(table.open())
        await comes(lambda: table.table.shoe.seq > 1)
        found = (
            {each.id for each in table.table.alarms().open},
            table.recorder.witnessed,
            bool(table.recorder.checkpoint()),
        )
        await table.close()
        return found

    note = asyncio.run(played())
    own = v.parse_checkpoint(v.parse_note(note).text)
    key = signer(own.origin, (tmp_path / "T07.record-key").read_bytes())
    seen = signed_note(checkpoint_text(own.origin, own.size + more, own.root), (key,))
    backend.publish("shoe/T07/witnessed", cosigned(seen), retain=True)

    came, read = threading.Event(), recovery.trusted_lines

    def slowly(*given: Any) -> Iterator[Any]:
        for number, each in enumerate(read(*given)):
            if number == 2:
                until(came.is_set)
            yield each

    mocker.patch.object(journal, "trusted_lines", slowly)
    mocker.patch.object(opening, "PATIENCE_S", 0.05)
    alarms, size, is_signed = asyncio.run(read_slowly(came))
    assert ("record_rolled_back" in alarms) is bool(more)
    assert (size, is_signed) == ((0, False) if more else (own.size, True))
