"""The signed record of a table: which log it is, which key signs, and what the world says of it."""

import logging
import os
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, Final, NamedTuple

from msgspec import UNSET, UnsetType

from firmware_bridge.config.sections import RecordConfig
from firmware_bridge.daemon.table import rollback
from firmware_bridge.daemon.table.clock import now
from firmware_bridge.daemon.table.disk_outage import disk_out
from firmware_bridge.daemon.table.rollback import Own, Proof
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.errors import JournalError, in_words
from firmware_bridge.facts.book.refusals import Phrase, Value, phrase
from firmware_bridge.facts.decoding import Undecodable, json_of, text_of
from firmware_bridge.facts.events import RecordBegun
from firmware_bridge.facts.inputs import Follows, KeyRotated, NewRecord, Person, RecordRenewed
from firmware_bridge.facts.names import as_seen, one_person, unfit
from firmware_bridge.facts.orders import LONGEST_NAME, LONGEST_REASON, Answer, refused
from firmware_bridge.facts.printable import fault
from firmware_bridge.facts.wire import Stored
from firmware_bridge.facts.wire_states import NO_RECORD, Record
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.record_tiles import root_at
from firmware_bridge.record.signer import NoSigner, Signer, read_seed, signer
from firmware_bridge.record.verify import Refused, cosigned, parse_note, parse_vkey, verified_checkpoint
from firmware_bridge.shoe.state import Shoe

log = logging.getLogger(__name__)

UNSIGNED: Final = "record_unsigned"
OTHER_PI: Final = "record_other_pi"
ROLLED_BACK: Final = "record_rolled_back"
DIFFERS: Final = "record_differs"
FOREIGN: Final = "record_foreign"
NEXT: Final = "-next"
"""What the name of the next key's file has behind that of the key."""

ORDERS: Final = ("begin_record", "rotate_key", "retire_key")
"""What `Recorder.order` does: the values of `do` at the control socket."""

_decode_stored: Final = json_of(Stored)


NO_KEY: Final = phrase("no_key")


class Seed(NamedTuple):
    """The secret half of the device's key, or why there is none."""

    data: bytes | None
    why: Phrase = NO_KEY

    def __repr__(self) -> str:
        return "Seed(..)"


def device_name(machine: str | None, table: str) -> str:
    """Return the device in the name of a log: of the Pi's serial or the machine id, else of the table's."""
    return re.sub(r"[+/\s]", "-", machine or table)


def seed_of(config: RecordConfig, suffix: str = "") -> Seed:
    """Return the key that the config names, else the service's credential. suffix: `NEXT` for the next one."""
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    if config.key_file is None and not folder:
        return Seed(None)
    path = Path((config.key_file or f"{folder}/record-key") + suffix)
    try:
        seed = read_seed(path)
    except FileNotFoundError:
        return Seed(None, phrase("no_key_at", path=str(path)))
    except OSError as error:
        return Seed(None, phrase("key_unreadable", path=str(path), why=in_words(error)))
    return Seed(seed) if seed else Seed(None, phrase("key_unfit", path=str(path)))


class Recorder:
    """Says which log a table's journal belongs to, and lets its tree sign.

    device: in the name of the log. A table without a key plays on; its tree grows and nothing is signed.
    """

    def __init__(self, table: Table, config: RecordConfig, device: str) -> None:
        self._table, self._config, self._device = table, config, device
        self._tree = table.journal.tree
        self._tree.sign_sealed = config.sign_sealed
        self._witnesses = [parse_vkey(each) for each in config.witnesses]
        self.witnessed = 0
        self._is_read, self._early = False, dict[str, Callable[[], object]]()
        self._looked_back = set[str]()  # sources of notes that were compared with older journals
        self._looked = 0  # the second in which a live checkpoint was looked at last
        self._taken_back = ""  # the record that is signed no more, as it was taken back

    def begin(self) -> NewRecord | None:
        """Take up the record of the open journal; return the one to begin where there is none."""
        new, self._is_read = self._taken_up(), True
        begun, folder = self._shoe.device.record, self._table.journal.directory
        if begun and (proof := rollback.kept(folder, begun.origin)):
            self._stop_signing(proof)
        for judge in self._early.values():
            judge()
        self._early.clear()
        return new

    def state(self) -> Record:
        """Return the part of `status` about the record."""
        begun = self._table.shoe.device.record
        if begun is None:
            return NO_RECORD
        return Record(begun.origin, self._tree.size, begun.key, bool(self._tree.signers), self.witnessed)

    def next_key(self) -> str | None:
        """Return the key that `rotate` would change to, None where there is none."""
        begun = self._table.shoe.device.record
        new = self._next(begun.origin) if begun else None
        return new.key.vkey if new else None

    def refusal(self, fields: Mapping[str, Any], by: str) -> Answer | None:
        """Return why one of `ORDERS` cannot be carried out now, None if it may: two people give it, between shoes."""
        second, why = fields.get("second", ""), fields.get("why", "")
        for name, text, longest in (("second", second, LONGEST_NAME), ("why", why, LONGEST_REASON)):
            if not isinstance(text, str) or fault(text, longest):
                return refused("record_text", name=name, most=longest)
        if wrong := unfit(second, LONGEST_NAME):
            return refused("second_refused", fault=wrong)
        if not as_seen(second) or one_person(second, by):
            return refused("two_for_record")
        if self._table.disk:
            return disk_out(self._table.disk)
        if self._table.shoe.status == "open":
            return refused("record_in_shoe")
        return None

    def order(
        self,
        fields: Mapping[str, Any],
        by: str,
        person: Person | UnsetType = UNSET,
        confirmed: Person | UnsetType = UNSET,
    ) -> Answer:
        """Carry out one of `ORDERS`. person, confirmed: as in `Ordered`."""
        if why_not := self.refusal(fields, by):
            return why_not
        given = {"by": by, "second": fields["second"], "person": person, "confirmed": confirmed}
        match fields["do"]:
            case "begin_record":
                return self._renew(fields.get("why", ""), given)
            case "rotate_key":
                return self._rotate(given)
            case _:
                return self._retire(given)

    def _renew(self, why: str, given: dict[str, Any]) -> Answer:
        """Begin another record: of another Pi, or after the card was restored."""
        ended = self._table.shoe.device.record
        size = self._tree.size if ended else 0
        follows = Follows(ended.origin if ended else None, size, self._table.journal.chain, self.witnessed)
        new = self._next(self._new_origin())
        if new is None:
            return refused("no_next_key")
        if ended and parse_vkey(ended.key).public == new.key.public:
            return refused("key_in_place")
        begun = self._new(new, follows)
        return self._given(RecordRenewed(**now(), record=begun, why=why, **given))

    def _rotate(self, given: dict[str, Any]) -> Answer:
        """Change to the next key; the old one signs too until it is retired."""
        begun = self._table.shoe.device.record
        new = self._next(begun.origin) if begun and self._tree.signers else None
        if begun is None or new is None:
            return refused("no_next_key")
        if new.key.vkey == begun.key:
            return refused("key_to_retire")
        self._tree.coming = (new, self._tree.signers[0])
        return self._given(KeyRotated(**now(), old=begun.key, new=new.key.vkey, **given))

    def _retire(self, given: dict[str, Any]) -> Answer:
        """Retire the key before the present one: it signs no longer."""
        begun = self._table.shoe.device.record
        if begun is None or not self._table.shoe.device.retiring:
            return refused("none_to_retire")
        self._tree.coming = self._tree.signers[:1]
        return self._given(KeyRotated(**now(), old="", new=begun.key, **given))

    def _given(self, fact: RecordRenewed | KeyRotated) -> Answer:
        """Journal a change; the tree's `coming` keys sign its entry, and all after it."""
        if self._table.handle(fact):
            return Answer(ok=True)
        return refused("record_waits")

    def checkpoint(self) -> bytes:
        """Return the newest checkpoint for its topic; empty where nothing is signed."""
        return self._tree.note.encode() if self._tree.signers else b""

    def added(self, line: Line) -> None:
        """Take up a line that is on disk, once its messages are on their way."""
        self._tree.grow()
        if line.entry and any(isinstance(each, RecordBegun) for each in line.entry.events):
            self.witnessed = 0
            for name in (UNSIGNED, OTHER_PI, ROLLED_BACK):
                self._table.unwarn(name)

    def stored(self, payload: bytes, trusted: str | None = None) -> None:
        """Compare what a store has with our own: the head at an entry, and how far the record went.

        trusted: the receiver that is believed without a checkpoint, None where no key signed the message.
        """
        if self._waits("stored", lambda: self.stored(payload, trusted)):
            return
        try:
            stored = _decode_stored(payload)
        except Undecodable:
            return
        ours = self._table.journal.heads.get(Cursor(stored.journal, stored.seq))
        if stored.head and ours and stored.head != ours:
            self._table.warn(DIFFERS, store=stored.by, entry=stored.seq, journal=stored.journal)
        if (note := stored.checkpoint) is not None:
            self._judge(lambda own: rollback.by_note("store", note, own))
        elif stored.by == trusted:
            self._judge(lambda own: rollback.by_word(stored, own))

    def witness(self, payload: bytes) -> None:
        """Handle a note that a quorum has cosigned: the record that they saw must be the beginning of ours.

        Only what our own key signed and a witness of the config cosigned counts. One that comes while the journal is
        still read waits for all of it.
        """
        begun = self._shoe.device.record
        if self._waits("witnesses", lambda: self.witness(payload)) or begun is None or not self._witnesses:
            return
        try:
            note = parse_note(text_of(payload))
            stated = verified_checkpoint(note, [parse_vkey(begun.key)])
            if not cosigned(note, self._witnesses):
                return
        except (Refused, Undecodable):
            return
        if not self._judge(lambda own: rollback.by_note("witnesses", text_of(payload), own), "witnesses"):
            self.witnessed = max(self.witnessed, stated.size)

    def receive(self, payload: bytes, *, is_retained: bool) -> bool:
        """Handle a checkpoint on the table's own topic; return whether it proves that the record was taken back.

        is_retained: the broker kept it. What comes live, anybody may send: at most one a second is looked at.
        """
        if self._waits(f"checkpoint {is_retained}", lambda: self.receive(payload, is_retained=is_retained)):
            return False
        if not is_retained:
            if payload == self.checkpoint() or (second := int(monotonic())) == self._looked:
                return False
            self._looked = second
        source = "broker" if is_retained else ""
        return self._judge(lambda own: rollback.by_note("broker", text_of(payload), own), source)

    def foreign(self, entry: Cursor | None, count: int) -> None:
        """Raise the alarm for messages on our streams that our journals do not hold. entry: that one of them names."""
        self._table.unwarn(FOREIGN)
        named: dict[str, Value] = {"entry": entry.seq, "journal": entry.journal} if entry else {}
        self._table.warn(FOREIGN, **named, messages=count)

    def _root_of_older(self, size: int) -> bytes | None:
        """Return the root of a tree that ended before the newest file, as after a restart; None where it is unknown."""
        if self._tree.origin is None or size > self._tree.size:
            return None
        try:
            return root_at(list(self._table.journal.files), self._tree.origin, size)
        except (JournalError, OSError) as error:
            log.warning("what witnesses have seen cannot be compared: %s", error)
            return None

    @property
    def _shoe(self) -> Shoe:
        return self._table.shoe if self._table.begun else self._table.journal.shoe

    def _waits(self, source: str, judge: Callable[[], object]) -> bool:
        """Return whether the journal is still read: then what a source said last is judged after it."""
        if not self._is_read:
            self._early[source] = judge
        return not self._is_read

    def _judge(self, find: Callable[[Own], Proof | None], source: str = "") -> bool:
        """Stop signing where something proves that the record was taken back; return whether it does.

        source: of what may be compared with older journals, once after a start: that reads a whole one.
        """
        begun = self._shoe.device.record
        if begun is None or self._tree.origin != begun.origin:
            return False

        def root(size: int) -> bytes | None:
            ours = self._tree.root(size)
            if ours is None and source and source not in self._looked_back:
                self._looked_back.add(source)
                ours = self._root_of_older(size)
            return ours

        last = Cursor(self._shoe.journal, self._shoe.seq)
        try:
            proof = find(Own(begun, self._tree.size, root, last))
        except (Refused, Undecodable):
            return False
        if proof and self._taken_back != proof.origin:
            self._stop_signing(proof)
            try:
                rollback.keep(self._table.journal.directory, proof)
            except OSError as error:
                log.error("what proves that the record was taken back cannot be kept: %s", in_words(error))
        return proof is not None

    def _stop_signing(self, proof: Proof) -> None:
        """Sign nothing more of this record, and raise the alarm."""
        self._taken_back, self._tree.signers = proof.origin, ()
        self._tree.coming = tuple(each for each in self._tree.coming if each.key.name != proof.origin)
        self._table.warn(ROLLED_BACK, **proof.values)

    def _taken_up(self) -> NewRecord | None:
        begun = self._table.journal.shoe.device.record
        if begun is None:
            origin = self._new_origin()
            keys = self._signers(origin)
            return self._new(keys[0], Follows(None, 0, self._table.journal.chain, 0)) if keys else None
        if begun.origin.split("/")[-2] != self._device:
            self._table.warn(OTHER_PI, pi=begun.origin.split("/")[-2])
        else:
            self._continue(begun)
        return None

    def _new_origin(self) -> str:
        return f"{self._config.origin}/{self._device}/{secrets.token_hex(4)}"

    def _new(self, by: Signer, follows: Follows) -> NewRecord:
        """Return a record to begin, with a key that signs from its first entry on."""
        self._tree.coming = (by,)
        return NewRecord(by.key.name, by.key.vkey, follows)

    def _next(self, origin: str) -> Signer | None:
        """Return the next key, under the name of a record; None where there is none, or nothing that signs."""
        seed = seed_of(self._config, NEXT).data
        with suppress(NoSigner):
            return signer(origin, seed) if seed else None
        return None

    def _continue(self, begun: RecordBegun) -> None:
        found = {each.key.vkey: each for each in self._signers(begun.origin)}
        if begun.key in found:
            keys = begun.key, self._table.journal.shoe.device.retiring
            self._tree.signers = tuple(found[each] for each in keys if each in found)
        elif found:
            self._unsigned(phrase("other_key", key=begun.key))

    def _signers(self, origin: str) -> list[Signer]:
        """Return the key of this device and the next one, as far as they are there; an alarm where there is none."""
        first = seed_of(self._config)
        seeds = [each.data for each in (first, seed_of(self._config, NEXT)) if each.data]
        try:
            found = [signer(origin, each) for each in seeds]
        except NoSigner:
            self._unsigned(phrase("no_library", name="PyNaCl"))
            return []
        if not found:
            self._unsigned(first.why)
        return found

    def _unsigned(self, why: Phrase) -> None:
        self._table.warn(UNSIGNED, why=why)
