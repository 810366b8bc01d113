"""Follows the entries of one table from a verified one on, and proves them by a checkpoint that witnesses cosigned."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Final, NamedTuple
from zlib import crc32

import msgspec

from firmware_bridge.client.heads import Part, follows, is_round_of, part, public_bytes, round_of
from firmware_bridge.record.verify import (
    FORMAT,
    Checkpoint,
    Note,
    Policy,
    Proof,
    Refused,
    check_self_contained,
    grow,
    leaf_hash,
    parse_checkpoint,
    parse_note,
    parse_proof,
    root_of,
    text_of_proof,
    verified_checkpoint,
)

MOST: Final = 20_000
"""Most entries of a table in memory; what comes while there are so many is dropped, and asked for again."""

TRIES: Final = 64
"""Most ways to put an entry together from messages with the same head and other bytes."""

_BEGUN: Final = b'{"type":"RecordBegun",'
_HEAD: Final = re.compile(rb',"head":"([0-9a-f]{64})","n":(\d{1,6}),')


class Released(NamedTuple):
    """A message that may be given. why: the reason if it is a round that does not count, else ""."""

    topic: str
    raw: bytes
    why: str = ""


_Parts = tuple[tuple[Part, bytes], ...]
_Rounds = tuple[tuple[int, bytes], ...]


class Node(NamedTuple):
    """An entry that follows from a verified one. size, edge: of its record's tree with it; was: the edge before it.

    parts: its messages of `event`; rounds: number of an event and its `round`. entry: all that came in its place.
    """

    journal: str
    seq: int
    at: str
    head: str
    before: str
    origin: str
    size: int
    edge: tuple[bytes, ...]
    was: tuple[bytes, ...]
    parts: _Parts = ()
    rounds: _Rounds = ()
    entry: "_Entry | None" = None


class _Name(msgspec.Struct, frozen=True):
    """How messages of an entry name it."""

    table: str
    journal: str
    seq: int
    at: str


class _Follows(msgspec.Struct, frozen=True):
    head: str


class _Begun(msgspec.Struct, frozen=True):
    origin: str
    key: str
    follows: _Follows


class _Entry:
    """Messages with one beginning and head."""

    def __init__(self, name: _Name) -> None:
        self.name = name
        self.parts: dict[int, list[tuple[Part, bytes]]] = {}
        self.rounds: dict[int, list[bytes]] = {}

    @property
    def begun(self) -> _Begun | None:
        """The record that it begins, by one of its last messages."""
        of = self._of
        return next((found for each, _ in self.parts.get(of, ()) if (found := _begun(each))), None)

    @property
    def is_doubtful(self) -> bool:
        """Whether there are other bytes of one of its events."""
        return any(len(each) > 1 for each in self.parts.values())

    def ways(self, before: str, origin: str, policy: Policy) -> Iterator[tuple[_Parts, _Rounds]]:
        """Its events and rounds, if it is whole and follows a head; with a checkpoint first."""
        of = self._of
        if not of or len(self.parts) < of:
            return
        choices = [sorted(self.parts.get(n, ()), key=lambda each: not each[0].note) for n in range(1, of + 1)]
        for way in islice(product(*choices), TRIES):
            parts = [each for each, _ in way]
            if follows(before, parts) and (rounds := self._rounds_of(parts, origin, policy)) is not None:
                yield way, rounds

    @property
    def _of(self) -> int:
        return max((each.of for found in self.parts.values() for each, _ in found), default=0)

    def _rounds_of(self, parts: Sequence[Part], origin: str, policy: Policy) -> _Rounds | None:
        """The rounds of an entry as the table signed them; None if one is missing."""
        keys, rounds = [each.public for each in policy.logs if each.name == origin], []
        for each in parts:
            if (expected := round_of(each)) is None:
                continue
            came = (raw for raw in self.rounds.get(each.n, ()) if is_round_of(keys, origin, raw, expected))
            if not keys or (found := next(came, None)) is None:
                return None
            rounds.append((each.n, found))
        return tuple(rounds)


class Follower:
    """The entries of a table behind the last one that was given, `root`; None before the record's first one came.

    proof: the `.tlog-proof` of the root, "" for none.
    """

    def __init__(self, table: str, policy: Policy) -> None:
        self._table, self._policy = table, policy
        self.proof = ""
        self._root: Node | None = None
        self._ended = set[str]()
        self._nodes: dict[str, Node] = {}
        self._at: dict[tuple[str, int], list[Node]] = {}
        self._entries: dict[tuple[str, int], dict[bytes, _Entry]] = {}
        self._loose: dict[tuple[str, int], None] = {}
        self._firsts = set[tuple[str, int]]()

    def reset(self, root: Node) -> None:
        """Go on from this entry, before any message came."""
        self._root, self._nodes = root, {root.head: root}
        self._at = {(root.journal, root.seq): [root]}

    @property
    def at(self) -> str:
        """When the last entry that follows was written, RFC 3339; "" if none is known."""
        last = max(self._nodes.values(), key=lambda each: (_number(each.journal), each.seq), default=None)
        return last.at if last else ""

    def size(self, origin: str) -> int:
        """How many entries of a record follow from a verified one, and those before."""
        return max((each.size for each in self._nodes.values() if each.origin == origin), default=0)

    def is_past(self, stated: Checkpoint) -> bool:
        """Whether a checkpoint covers nothing that was not given."""
        root = self._root
        if root is None or stated.origin != root.origin:
            return stated.origin in self._ended
        return stated.size <= root.size

    def add(self, topic: str, payload: bytes) -> None:
        """Add a message of `event` or `round`; what cannot be one of an entry behind the root is dropped."""
        found = _HEAD.search(payload)
        try:
            name = msgspec.json.decode(payload, type=_Name)
        except (msgspec.MsgspecError, ValueError):
            return
        place = (name.journal, name.seq)
        if found is None or name.table != self._table or self._is_past(*place) or not self._has_room(place):
            return
        entries, start = self._entries.setdefault(place, {}), payload[: found.start()] + found[1]
        if start not in entries and len(entries) >= TRIES:
            entries.pop(next((each for each in entries if each[-64:].decode() not in self._nodes), start), None)
        entry = entries.setdefault(start, _Entry(name))
        n = int(found[2])
        if topic == "round":
            rounds = entry.rounds.setdefault(n, [])
            if payload not in rounds and len(rounds) < TRIES:
                rounds.append(payload)
        elif each := part(payload):
            parts = entry.parts.setdefault(n, [])
            if all(raw != payload for _, raw in parts) and len(parts) < TRIES:
                parts.append((each, payload))
        self._attach(name, entry)

    def release(self, stated: Checkpoint, note: str) -> list[Released] | None:
        """The messages up to the entry with this checkpoint, in order; None if that entry did not come yet.

        Rounds in the same places that are of no entry on the way are among them, with the reason.
        """
        sized = (each for each in self._nodes.values() if (each.size, each.origin) == (stated.size, stated.origin))
        node = next((each for each in sized if root_of(each.edge) == stated.root), None)
        if node is None or node is self._root:
            return None
        path = [self._best(each) for each in self._path(node)]
        self._ended |= {each.origin for each in (self._root, *path) if each and each.origin != node.origin}
        given = [each for one in path for each in _messages(one)]
        taken = {each.raw for each in given}
        ended = {(one.journal, one.seq) for one in path}
        for place in ended:
            for entry in self._forget(place).values():
                rounds = (raw for found in entry.rounds.values() for raw in found if raw not in taken)
                given += [Released("round", raw, "another entry is witnessed in its place") for raw in rounds]
        self.proof = _proof_of(path[-1], note)
        self._go_on_from(node)
        return given

    def _best(self, node: Node) -> Node:
        """An entry by the best of all messages that came of it."""
        parent = self._nodes.get(node.before)
        if node.entry and node.entry.is_doubtful:
            return self._made(node.entry, node.before, parent) or node
        return node

    def _go_on_from(self, node: Node) -> None:
        known = {node.head: node}
        for each in self._nodes.values():  # in the order in which they were attached
            if each.before in known:
                known[each.head] = each
        self._root, self._nodes, self._at = node._replace(parts=(), rounds=(), entry=None), known, {}
        self._nodes[node.head] = self._root
        for each in known.values():
            self._at.setdefault((each.journal, each.seq), []).append(each)
        for place in [each for each in self._entries if self._is_past(*each)]:
            self._forget(place)

    def _has_room(self, place: tuple[str, int]) -> bool:
        """Whether an entry may be in memory; the oldest one that does not follow gives way."""
        if place in self._entries:
            return True
        if len(self._entries) >= MOST:
            if not self._loose:
                return False
            self._forget(next(iter(self._loose)))
        self._loose[place] = None
        if place[1] == 1:
            self._firsts.add(place)
        return True

    def _forget(self, place: tuple[str, int]) -> dict[bytes, _Entry]:
        self._loose.pop(place, None)
        self._firsts.discard(place)
        return self._entries.pop(place, {})

    def _path(self, node: Node) -> list[Node]:
        path = []
        while node is not self._root:
            path.append(node)
            before = self._nodes.get(node.before)
            if before is None:
                break
            node = before
        return path[::-1]

    def _is_past(self, journal: str, seq: int) -> bool:
        root = self._root
        if root is None:
            return False
        return _number(journal) < _number(root.journal) or (journal == root.journal and seq <= root.seq)

    def _attach(self, name: _Name, entry: _Entry) -> None:
        """Attach an entry that follows from a known one, and then those that follow from it."""
        todo = [(name, entry)]
        while todo:
            name, entry = todo.pop(0)
            node = self._node(name, entry)
            if node is None or node.head in self._nodes:
                continue
            self._nodes[node.head] = node
            self._at.setdefault((name.journal, name.seq), []).append(node)
            self._loose.pop((name.journal, name.seq), None)
            places = [(name.journal, name.seq + 1)]
            places += [each for each in self._firsts if _number(each[0]) > _number(name.journal)]
            todo += [(x.name, x) for place in places for x in self._entries.get(place, {}).values()]

    def _node(self, name: _Name, entry: _Entry) -> Node | None:
        if name.seq > 1:
            parents = self._at.get((name.journal, name.seq - 1), [])
        else:
            parents = [each for each in self._nodes.values() if _number(each.journal) < _number(name.journal)]
        for parent in parents:
            if node := self._made(entry, parent.head, parent):
                return node
        begun = entry.begun
        return self._made(entry, begun.follows.head, None) if begun and self._root is None else None

    def _made(self, entry: _Entry, before: str, parent: Node | None) -> Node | None:
        """The entry as a node behind another, or as the first one of a record; a wrong checkpoint is not taken."""
        begun, name = entry.begun, entry.name
        edge: tuple[bytes, ...] = ()
        if begun:
            if all(each.vkey != begun.key for each in self._policy.logs):
                return None
            origin, size = begun.origin, 0
        elif parent:
            origin, size, edge = parent.origin, parent.size, parent.edge
        else:
            return None
        for parts, rounds in entry.ways(before, origin, self._policy):
            appended, last = [*edge], parts[-1][0]
            grow(appended, size, leaf_hash(bytes.fromhex(last.head)))
            stated = Checkpoint(origin, size + 1, root_of(appended))
            if not last.note or _states(last.note, self._policy, stated):
                return Node(
                    name.journal, name.seq, name.at, last.head, before, origin, size + 1, tuple(appended), edge, parts,
                    rounds, entry,
                )  # fmt: skip
        return None


def node_of(text: str, policy: Policy) -> tuple[str, Node]:
    """Table and entry of a `.tlog-proof`, which must be the last one of its checkpoint. Raises Refused."""
    proof = parse_proof(text)
    line = check_self_contained(proof, policy)
    stated = parse_checkpoint(proof.note.text)
    if proof.number != stated.size - 1:
        raise Refused(f"{line.name} is not the last one of its checkpoint")
    was = proof.hashes[::-1]
    edge = list(was)
    grow(edge, proof.number, leaf_hash(bytes.fromhex(line.head)))
    name = msgspec.json.decode(line.public, type=_Name)
    before = proof.extra[:64].decode()
    return name.table, Node(
        line.journal, line.seq, line.at, line.head, before, stated.origin, stated.size, tuple(edge), was
    )


def _messages(node: Node) -> Iterator[Released]:
    """The messages of an entry, as its table sends them."""
    rounds = dict(node.rounds)
    for each, raw in node.parts:
        yield Released("event", raw)
        if each.n in rounds:
            yield Released("round", rounds[each.n])


def _proof_of(node: Node, note: str) -> str:
    """The proof of an entry that is the last one of a note."""
    parts = [each for each, _ in node.parts]
    body = b"%b\t%b\t%b\t" % (node.head.encode(), public_bytes(parts), parts[-1].sealed.encode())
    line = b"%b\t%08x\t%b\n" % (FORMAT, crc32(body, crc32(FORMAT)), body)
    return text_of_proof(Proof(node.before.encode() + line, node.size - 1, node.was[::-1], Note("", ())), note)


def _states(text: str, policy: Policy, stated: Checkpoint) -> bool:
    """Whether a note is signed by a key of the policy, and states this."""
    try:
        return verified_checkpoint(parse_note(text), policy.logs) == stated
    except Refused:
        return False


def _begun(last: Part) -> _Begun | None:
    if not last.raw.startswith(_BEGUN):
        return None
    try:
        return msgspec.json.decode(last.raw, type=_Begun)
    except msgspec.MsgspecError:
        return None


def _number(journal: str) -> int:
    """The number of a journal, by which a table's journals follow each other; -1 for what is none."""
    number = journal.partition("-")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 20 else -1
