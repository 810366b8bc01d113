"""Follows the entries of one table from a verified one on, and proves them by a checkpoint that witnesses cosigned."""

from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple
from zlib import crc32

import msgspec

from firmware_bridge.client.chain import Chain, Node, Place, number
from firmware_bridge.client.entry import Begun, Bounds, Tree
from firmware_bridge.client.heads import part, public_bytes
from firmware_bridge.facts.decoding import Undecodable, from_json
from firmware_bridge.facts.wire import UnknownVersion, line_format
from firmware_bridge.record.verify import (
    Checkpoint,
    Note,
    Policy,
    Proof,
    Refused,
    check_self_contained,
    parse_checkpoint,
    parse_note,
    parse_proof,
    text_of_proof,
    verified_checkpoint,
)

MOST: Final = 20_000
"""Most entries of a table in memory; what comes while there are so many is dropped, and asked for again."""

TRIES: Final = 64
"""Most ways to put an entry together from messages with the same head and other bytes, and most forms of a message."""


class Released(NamedTuple):
    """A message that may be given. why: the reason if it is a round that does not count, else ""."""

    topic: str
    raw: bytes
    why: str = ""


class Known(NamedTuple):
    """An entry to go on from. at: when it was written, RFC 3339."""

    table: str
    at: str
    node: "Node[_Message]"


class _Message(NamedTuple):
    """A message of a table."""

    topic: str
    journal: str
    seq: int
    n: int
    of: int
    at: str
    body: bytes


_Count = Annotated[int, msgspec.Meta(ge=1)]


class _Name(msgspec.Struct, frozen=True):
    """How an entry names itself."""

    table: str
    journal: str
    seq: _Count
    at: str


class _Numbered(_Name, frozen=True):
    """How a message names itself."""

    n: _Count
    of: _Count


class _PolicyKeys:
    """The keys of a policy: an entry with a checkpoint that they do not verify does not follow."""

    def __init__(self, policy: Policy) -> None:
        self._logs = policy.logs

    def rank(self, note: str, tree: Tree) -> int:
        """Return how good a checkpoint of an entry is: 0 for none, for a wrong one is not taken."""
        return bool(note)

    def takes(self, note: str, tree: Tree, begun: Begun | None) -> bool:
        """Return whether an entry may follow: its checkpoint states this tree, and a known key begins its record."""
        if not tree.origin or (begun and all(each.vkey != begun.key for each in self._logs)):
            return False
        try:
            return not note or verified_checkpoint(parse_note(note), self._logs) == tree.stated
        except Refused:
            return False

    def of_rounds(self, origin: str, note: str) -> Sequence[tuple[bytes, ...]]:
        """Return the keys that may have signed a round."""
        found = tuple(each.public for each in self._logs if each.name == origin)
        return (found,) if found else ()


class Follower:
    """The entries of a table behind the last one that was given; before that, behind the first one of its record.

    proof: the `.tlog-proof` of the last one that was given; "" for none, and where its `v` is not known here.
    """

    def __init__(self, table: str, policy: Policy) -> None:
        self._table = table
        self.proof = ""
        self._chain = Chain[_Message](None, _PolicyKeys(policy), Bounds(MOST, TRIES, TRIES))
        self._since = ""
        self._ended = set[str]()

    def reset(self, known: Known) -> None:
        """Go on from an entry, before any message came."""
        self._chain.reset(known.node)
        self._since = known.at

    @property
    def at(self) -> str:
        """When the last entry that follows was written, RFC 3339; "" if none is known."""
        last = max(self._chain.nodes, key=lambda each: (number(each.place.journal), each.place.seq), default=None)
        return last.messages[-1].at if last and last.messages else self._since

    def size(self, origin: str) -> int:
        """Return how many entries of a record follow from a verified one, and those before."""
        return max((each.size for each in self._chain.nodes if each.origin == origin), default=0)

    def is_past(self, stated: Checkpoint) -> bool:
        """Return whether a checkpoint covers nothing that was not given."""
        root = self._chain.root
        if root is None or stated.origin != root.origin:
            return stated.origin in self._ended
        return stated.size <= root.size

    def add(self, topic: str, payload: bytes) -> None:
        """Add a message of `event` or `round`; what cannot be one of an entry behind the root is dropped."""
        try:
            name = from_json(payload, _Numbered)
        except Undecodable:
            return
        is_one = topic == "round" or part(payload)
        if is_one and name.table == self._table and not self._chain.is_past(Place(name.journal, name.seq)):
            self._chain.add(_Message(topic, name.journal, name.seq, name.n, name.of, name.at, payload))

    def release(self, stated: Checkpoint, note: str) -> list[Released] | None:
        """Return the messages up to the entry with this checkpoint, in order; None if that entry did not come yet.

        Rounds in the same places that are of no entry on the way are among them, with the reason.
        """
        chain = self._chain
        sized = (each for each in chain.nodes if (each.size, each.origin) == (stated.size, stated.origin))
        node = next((each for each in sized if each.tree.stated == stated), None)
        if node is None or node is chain.root:
            return None
        path = chain.path(node)
        self._ended |= {each.origin for each in (chain.root, *path) if each and each.origin != node.origin}
        try:
            self.proof = _proof_of(node, chain.before(node), note)
        except UnknownVersion:
            self.proof = ""
        given = [Released(each.topic, each.body) for one in path for each in one.messages]
        taken, ended = {each.raw for each in given}, {each.place for each in path}
        for each in chain.advance(node):
            if each.topic == "round" and each.body not in taken and Place(each.journal, each.seq) in ended:
                given.append(Released("round", each.body, "another entry is witnessed in its place"))
        return given


def node_of(text: str, policy: Policy) -> Known:
    """Return the entry of a `.tlog-proof`, which must be the last one of its checkpoint. Raises Refused."""
    proof = parse_proof(text)
    line = check_self_contained(proof, policy)
    stated = parse_checkpoint(proof.note.text)
    if proof.number != stated.size - 1:
        raise Refused(f"{line.name} is not the last one of its checkpoint")
    tree = Tree(stated.origin, proof.number, proof.hashes[::-1]).extended(line.head)
    name = from_json(line.public, _Name)
    before = proof.extra[:64].decode("ascii", "replace")
    return Known(name.table, name.at, Node(Place(line.journal, line.seq), line.head, before, tree))


def _proof_of(node: Node[_Message], before: Node[_Message] | None, note: str) -> str:
    """Return the proof of an entry that is the last one of a note. before: the one before it."""
    parts = [found for each in node.messages if each.topic == "event" and (found := part(each.body))]
    public = public_bytes(parts)
    body, version = b"%b\t%b\t%b\t" % (node.head.encode(), public, parts[-1].sealed.encode()), line_format(public)
    line = b"%b\t%08x\t%b\n" % (version, crc32(body, crc32(version)), body)
    hashes = before.tree.edge[::-1] if before and node.begun is None else ()
    return text_of_proof(Proof(node.before.encode() + line, node.size - 1, hashes, Note("", ())), note)
