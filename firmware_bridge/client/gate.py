"""Holds the messages of tables until a quorum of witnesses has cosigned their entries; no connection, no clock."""

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from firmware_bridge.client.asking import EVER, LONGEST_ASK_S
from firmware_bridge.client.batches import Batches
from firmware_bridge.client.follower import Follower, Released, node_of
from firmware_bridge.client.messages import TableOrder
from firmware_bridge.client.payload import MessageError
from firmware_bridge.client.round_keys import RoundKeys
from firmware_bridge.facts.decoding import Undecodable, text_of
from firmware_bridge.facts.orders import Resend
from firmware_bridge.facts.printable import escaped
from firmware_bridge.mqtt.backoff import Doubling
from firmware_bridge.record.verify import Checkpoint, Refused, cosigned, parse_note, verified_checkpoint

MOST_TABLES: Final = 10_000
"""Most tables that are followed."""

KEPT_NOTES: Final = 8
"""Witnessed notes of a table that wait for its entries, the newest."""


class _Table:
    """A table, with the notes that its entries have not reached."""

    def __init__(self, follower: Follower, wait_s: float) -> None:
        self.follower = follower
        self.notes: dict[Checkpoint, str] = {}
        self.released = deque[Released]()
        self.ask_at: float | None = None
        self.wait = Doubling(wait_s, LONGEST_ASK_S)


class Gate:
    """The tables of a floor, from bytes to messages that a quorum has cosigned. Times: seconds of a monotonic clock.

    path: a file of C2SP tlog-policy, with the keys of tables and witnesses and the quorum. proofs: `.tlog-proof`s to go
    on from, of the last entry that was given of each table. wait_s: how long what is missing may come by itself.
    Raises MessageError for a policy without a quorum, and for a proof that does not verify.
    """

    def __init__(self, path: str | Path, proofs: Iterable[str], wait_s: float) -> None:
        self._keys = RoundKeys(path, any_record=True)
        self._policy, self._wait_s = self._keys.policy, wait_s
        if self._policy.quorum == "none":
            hint = "name witnesses and a quorum (docs/backend.md), or use require='signed'"
            raise MessageError(f"the policy in {path} asks for no witness", hint)
        self.remarks = deque[str](maxlen=MOST_TABLES)
        """Warnings for the log."""
        self._tables: dict[str, _Table] = {}
        for text in proofs:
            try:
                known = node_of(text, self._policy)
            except Refused as error:
                raise MessageError(f"a proof to go on from: {error}", "give those of `batch.proofs`") from None
            self._table(known.table).follower.reset(known)

    def handle(self, name: str, topic: str, payload: bytes, now: float) -> None:
        """Handle a message of the topic `event`, `round` or `witnessed`."""
        table = self._table(name)
        if topic == "witnessed":
            self._take_note(name, table, payload)
        elif topic == "round" and (why := self._keys.wrong(name, payload)):
            table.released.append(Released("round", payload, why))
        else:
            table.follower.add(topic, payload)
        if table.notes:
            self._advance(table, now)

    def pass_on(self, batches: Batches, now: float) -> Iterator[TableOrder]:
        """Pass on what a quorum has cosigned, as far as there is room; yield the orders for what is missing."""
        for name, table in self._tables.items():
            while table.released and batches.has_room(name):
                topic, raw, why = table.released.popleft()
                if topic == "round":
                    batches.handle(name, "round", raw, None, now, why)
                elif batches.events:
                    batches.handle(name, "event", raw, None, now)
            if table.ask_at is not None and table.ask_at <= now:
                table.ask_at = now + table.wait.s
                table.wait.longer()
                stated = max(table.notes, key=lambda each: each.size)
                lacks = stated.size - table.follower.size(stated.origin)
                what = (
                    f"{stated.size} entries of {escaped(stated.origin)} are witnessed, and the last {lacks} lack here"
                )
                self.remarks.append(f"table {escaped(name)}: {what}: asked for what is missing")
                yield batches.ask(name, Resend(since=table.follower.at or EVER))

    def proofs(self, items: Iterable[str], batches: Batches) -> dict[str, str]:
        """Return table -> the proof of the last entry that was given, where nothing of a table waits behind a batch."""
        whole = [each for each in items if not self._table(each).released and not batches.waiting(each)]
        return {each: found for each in whole if (found := self._table(each).follower.proof)}

    def next_at(self) -> float | None:
        """Return when to look again even if nothing comes; None for never."""
        return min((each.ask_at for each in self._tables.values() if each.ask_at is not None), default=None)

    def _take_note(self, name: str, table: "_Table", payload: bytes) -> None:
        """Remember a note that a quorum cosigned; another one is ignored."""
        try:
            text = text_of(payload)
            parsed = parse_note(text)
            stated = verified_checkpoint(parsed, self._policy.logs)
            if not self._policy.is_met(each.witness for each in cosigned(parsed, self._policy.witnesses.values())):
                raise Refused("no quorum of witnesses cosigned it")
        except (Refused, Undecodable) as error:
            self.remarks.append(f"table {escaped(name)}: a note on `witnessed` is ignored: {error}")
            return
        if stated not in table.notes and not table.follower.is_past(stated):
            kept = sorted([*table.notes.items(), (stated, text)], key=lambda each: each[0].size)
            table.notes = dict(kept[-KEPT_NOTES:])

    def _advance(self, table: "_Table", now: float) -> None:
        """Release what the newest note that the entries reach covers; notes behind it go on waiting."""
        for stated in sorted(table.notes, key=lambda each: -each.size):
            found = table.follower.release(stated, table.notes[stated])
            if found is not None:
                table.released.extend(found)
                break
        waits = {each: text for each, text in table.notes.items() if not table.follower.is_past(each)}
        if len(waits) < len(table.notes):
            table.ask_at = None
            table.wait.reset()
        table.notes = waits
        if waits and table.ask_at is None:
            table.ask_at = now + table.wait.s

    def _table(self, name: str) -> _Table:
        found = self._tables.get(name)
        if found is None:
            found = _Table(Follower(name, self._policy), self._wait_s)
            if len(self._tables) < MOST_TABLES:
                self._tables[name] = found
        return found
