"""A receiver that requires witnesses, at a broker: with a fake table, and with a real one."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from paho.mqtt.publish import single

from firmware_bridge.client.floor import PlainFloor
from firmware_bridge.client.messages import Item, Received
from firmware_bridge.client.testing import SEED, FakeTable, fake_table
from firmware_bridge.journal.messages import messages
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable

pytest.importorskip("nacl")

from tests.client.test_witnessed import note, policy, real_names
from tests.record.exports import cosigned

brokers, broker, names = real.brokers, real.broker, real_names  # fixtures


def test_rounds_at_a_broker_are_given_once_the_back_office_says_that_they_are_witnessed(
    broker: Broker, tmp_path: Path
) -> None:
    page = tmp_path / "keys.txt"
    with fake_table("T07", port=broker.port, seed=SEED) as table:
        page.write_text(policy(table))
        with PlainFloor("ledger", port=broker.port, keys=page, require="witnessed", wait_s=0.2) as floor:
            table.play(3, {2: "gap"})
            single("shoe/T07/witnessed", note(table)[1], qos=1, retain=True, port=broker.port)
            items: list[Item] = []
            for batch in floor.rounds():
                items += batch
                proofs = batch.proofs
                batch.stored()
                if len(items) == 3:
                    break
            assert [each.raw for each in items if isinstance(each, Received)] == table.rounds
        table.play(2)
        single("shoe/T07/witnessed", note(table)[1], qos=1, retain=True, port=broker.port)
        more = {"proofs": proofs.values(), "require": "witnessed", "wait_s": 0.2}
        with PlainFloor("second", port=broker.port, keys=page, **more) as floor:  # type: ignore[arg-type]
            items = []
            for batch in floor.rounds(known=table.rounds[:3]):
                items += batch
                batch.stored()
                if len(items) == 2:
                    break
            assert [each.raw for each in items if isinstance(each, Received)] == table.rounds[3:]


def rounds_of(table: DaemonTable) -> list[bytes]:
    return [each.payload for line in table.lines() for each in messages(line) if each.topic == "round"]


def test_a_real_table_is_read_from_its_first_entry_and_gone_on_with(broker: Broker, tmp_path: Path) -> None:
    """Its rounds were played before the receiver came; after a restart in another shoe it goes on from the proof."""
    table = DaemonTable(tmp_path, broker.port, table={"decks": 1}).start()
    page = tmp_path / "keys.txt"
    proofs: dict[str, str] = {}
    known: list[bytes] = []
    deals = iter(("9s Td Ts Tc", "2s 3h 4d 5c", "Qd Qc 9h Qs"))
    try:
        for name, rounds in (("ledger", 2), ("second", 1)):
            for _ in range(rounds):
                table.deal(next(deals))
            wanted = len(known) + rounds
            table.until(lambda wanted=wanted: len(rounds_of(table)) == wanted)  # type: ignore[misc]  # a default
            text = [line.proof.note for line in table.lines() if line.proof.note][-1]
            if not page.exists():
                [begun] = [raw for line in table.lines() for raw in line.public.events if b"RecordBegun" in bytes(raw)]
                vkey = msgspec.json.decode(begun)["key"]
                page.write_text(policy(FakeTable(lambda *_: None, seed=None)).replace("log ", f"log {vkey}"))
            single("shoe/T07/witnessed", cosigned(text, ("w1", "w2")), qos=1, retain=True, port=broker.port)
            more = {"proofs": proofs.values(), "require": "witnessed", "wait_s": 0.3}
            found: list[bytes] = []
            with PlainFloor(name, port=broker.port, keys=page, **more) as floor:  # type: ignore[arg-type]
                for batch in floor.rounds(known=known):
                    found += [each.raw for each in batch if isinstance(each, Received)]
                    proofs = proofs | batch.proofs
                    batch.stored()
                    if len(found) == rounds:
                        break
            known += found
        assert known == rounds_of(table)
    finally:
        table.close()
