"""Decides what to ask witnesses for, and reads their answers: no clock, no network, no disk.

A log's newest checkpoint goes to every witness every `every_s` seconds, with a proof from the size that this witness
cosigned last. Once a quorum has cosigned one checkpoint it is witnessed.
"""

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from firmware_bridge.facts.decoding import Undecodable, text_of
from firmware_bridge.floor.store.cosigned import Cosignature
from firmware_bridge.floor.verified.proofs import Leaves, Proofs
from firmware_bridge.floor.witness.request import body_of
from firmware_bridge.mqtt.backoff import Doubling
from firmware_bridge.record.verify import (
    Checkpoint,
    Key,
    Note,
    Policy,
    Refused,
    check_consistency,
    cosigned,
    parse_checkpoint,
    parse_note,
)

log = logging.getLogger(__name__)

FIRST_S, LONGEST_S = 5.0, 300.0
"""First and longest wait after a witness gave no cosignature for a log."""

DOWN_S: Final = 20.0
"""Longest wait for a witness that does not answer: with it, `every_s` and a request that gets no answer, a round is
witnessed within 60 s of its end once a quorum is back, however long it was away."""

COLLECTED: Final = 16
"""Most checkpoints of a log, the newest, that cosignatures are collected for."""

OF_A_WITNESS: Final = frozenset({0, 429, 502, 503, 504})
"""Statuses that say something of the witness, whichever log it was asked about; 0: no answer came."""

_SIZE: Final = re.compile(rb"(0|[1-9][0-9]{0,18})\n?")


class Reply(NamedTuple):
    """An answer over HTTP. status: 0 where none came; then the body says why."""

    status: int
    body: bytes


class Post(NamedTuple):
    """A request to send to a witness. witness: its vkey. is_again: whether it answers a 409."""

    origin: str
    witness: str
    old: int
    note: str
    size: int
    body: bytes
    is_again: bool = False


class Met(NamedTuple):
    """A checkpoint that a quorum has cosigned. note: as it is published, with the log's signature and theirs."""

    origin: str
    size: int
    note: str


class Split(NamedTuple):
    """Two histories of a log, which no software may settle. evidence: name of a document -> its text."""

    origin: str
    text: str
    evidence: dict[str, str]


Outcome = Post | Cosignature | Met | Split


class View(NamedTuple):
    """A witness as it stands with a log. trouble: the last answer without a cosignature, "" for none."""

    witness: str
    size: int
    at: int | None
    trouble: str


@dataclass
class _Standing:
    """A witness and a log."""

    size: int = 0
    at: int | None = None
    line: str = ""
    trouble: str = ""
    is_asked: bool = False
    is_split: bool = False
    not_before: float = 0.0
    wait: Doubling = field(default_factory=lambda: Doubling(FIRST_S, LONGEST_S))


@dataclass
class _Log:
    """A log: its newest checkpoint, and the one that all witnesses are asked about now."""

    newest: str
    newest_size: int
    target: str = ""
    target_size: int = 0
    next_at: float = float("-inf")
    witnessed: int = 0
    notes: dict[int, str] = field(default_factory=dict)
    lines: dict[int, dict[str, str]] = field(default_factory=dict)


@dataclass
class _Health:
    """A witness: while it does not answer, one request at a time is tried."""

    not_before: float = float("-inf")
    is_down: bool = False
    is_tried: bool = False
    wait: Doubling = field(default_factory=lambda: Doubling(FIRST_S, DOWN_S))


class Feeder:
    """Feeds the witnesses of a policy. fed: those of its witnesses that can be asked. Not for two threads at once.

    Times are seconds of any one monotonic clock.
    """

    def __init__(self, policy: Policy, fed: Sequence[Key], leaves: Leaves, every_s: float = 20.0) -> None:
        self._policy, self._leaves, self._every_s = policy, leaves, every_s
        self._fed = {key.vkey: key for key in fed}
        self._proofs = Proofs(leaves)
        self._logs: dict[str, _Log] = {}
        self._standings: dict[tuple[str, str], _Standing] = {}
        self._health = {vkey: _Health() for vkey in self._fed}

    def remember(self, kept: Iterable[Cosignature], witnessed: Iterable[tuple[str, int]] = ()) -> None:
        """Take over what was kept before a restart: cosignatures, and the witnessed size of each log."""
        for each in kept:
            standing = self._standing(each.origin, each.witness)
            if each.size >= standing.size:
                standing.size, standing.at, standing.line = each.size, each.at, each.line
            self._logs.setdefault(each.origin, _Log("", 0)).lines.setdefault(each.size, {})[each.witness] = each.line
        for origin, size in witnessed:
            self._logs.setdefault(origin, _Log("", 0)).witnessed = size

    def add(self, note: str) -> None:
        """Add a checkpoint of an enrolled log, verified by signature and root. Raises Refused for no note."""
        stated = parse_checkpoint(parse_note(note).text)
        found = self._logs.setdefault(stated.origin, _Log("", 0))
        if stated.size > found.newest_size or not found.newest:
            found.newest, found.newest_size = note, stated.size

    def forget(self, origin: str) -> None:
        """Stop feeding a log, as one that is no longer enrolled."""
        self._logs.pop(origin, None)

    def due(self, now: float) -> list[Outcome]:
        """Return what to send now."""
        made: list[Outcome] = []
        for origin, found in self._logs.items():
            if found.newest_size > found.target_size and now >= found.next_at:
                found.target, found.target_size = found.newest, found.newest_size
                found.notes[found.target_size] = found.target
                found.next_at = now + self._every_s
                made += self._met(origin, found.target_size)
            if found.target:
                made += self._posts(origin, found, now)
        return made

    def answered(self, post: Post, reply: Reply, now: float) -> list[Outcome]:
        """Return what follows from an answer."""
        standing, health = self._standing(post.origin, post.witness), self._health[post.witness]
        standing.is_asked = health.is_tried = False
        if reply.status in OF_A_WITNESS:
            standing.trouble = _text(reply)
            if now >= health.not_before:
                health.is_down = True
                health.not_before = now + health.wait.s
                health.wait.longer()
            return []
        health.is_down = False
        health.wait.reset()
        match reply.status:
            case 200:
                return self._took(post, reply, standing, now)
            case 409 if found := _SIZE.fullmatch(reply.body):
                return self._behind(post, int(found[1]), standing, now)
            case 409 | 422:
                return self._split(post, reply, standing, now)
        return self._failed(standing, _text(reply), now)

    def views(self, origin: str) -> list[View]:
        """Return how each witness stands with a log, in the order of the configuration."""
        found = [(vkey, self._standing(origin, vkey)) for vkey in self._fed]
        return [View(vkey, each.size, each.at, each.trouble) for vkey, each in found]

    def witnessed(self, origin: str) -> int:
        """Return the size of a log up to which a quorum has cosigned it."""
        return self._logs[origin].witnessed if origin in self._logs else 0

    @property
    def proofs(self) -> Proofs:
        """Makes roots and proofs of its logs."""
        return self._proofs

    @property
    def origins(self) -> list[str]:
        """The logs that are fed."""
        return [origin for origin, found in self._logs.items() if found.newest]

    def _standing(self, origin: str, witness: str) -> _Standing:
        return self._standings.setdefault((origin, witness), _Standing())

    def _posts(self, origin: str, found: _Log, now: float) -> list[Outcome]:
        made: list[Outcome] = []
        for witness, health in self._health.items():
            standing = self._standing(origin, witness)
            if standing.size >= found.target_size or standing.is_asked or now < standing.not_before:
                continue
            if health.is_down and (health.is_tried or now < health.not_before):
                continue
            post = self._post(origin, witness, standing.size, found.target)
            if post is None:
                continue
            standing.is_asked = True
            health.is_tried = health.is_down
            made.append(post)
        return made

    def _post(self, origin: str, witness: str, old: int, note: str, is_again: bool = False) -> Post | None:
        """Return a request with its proof; None where the store does not have what it takes."""
        stated = parse_checkpoint(parse_note(note).text)
        if old and self._leaves.size(origin) < stated.size:
            return None
        proof = self._proofs.consistency(origin, old, stated.size)
        if old and (why := self._unproved(origin, old, stated, proof)):
            log.error(
                "%s is not sent to witnesses: the store's leaves are not those of its checkpoint: %s", origin, why
            )
            return None
        return Post(origin, witness, old, note, stated.size, body_of(old, proof, note), is_again)

    def _unproved(self, origin: str, old: int, stated: Checkpoint, proof: Sequence[bytes]) -> str:
        """Return why our own proof would be refused; "" for none. Else our mistake would look like a split view."""
        try:
            check_consistency(old, stated.size, self._proofs.root(origin, old), stated.root, proof)
        except Refused as error:
            return str(error)
        return ""

    def _took(self, post: Post, reply: Reply, standing: _Standing, now: float) -> list[Outcome]:
        """Return what follows from an answer that should hold a cosignature."""
        key, text = self._fed[post.witness], parse_note(post.note).text
        try:
            signed = parse_note(f"{text}\n{text_of(reply.body)}")
            own = Note(text, tuple(each for each in signed.signatures if (each.name, each.id) == (key.name, key.id)))
            at = cosigned(own, [key])[0].at
        except (Refused, Undecodable, IndexError) as error:
            why = str(error) if isinstance(error, Refused) else "its answer holds no cosignature of its key"
            return self._failed(standing, why, now)
        made = Cosignature(post.origin, post.witness, post.size, at, own.signatures[0].line)
        standing.size, standing.at, standing.line = post.size, at, made.line
        standing.trouble, standing.is_split, standing.not_before = "", False, now
        standing.wait.reset()
        found = self._logs.get(post.origin)
        if found is None:
            return [made]
        found.lines.setdefault(post.size, {})[post.witness] = made.line
        for old in sorted(found.lines)[:-COLLECTED]:
            del found.lines[old]
        found.notes = {size: note for size, note in found.notes.items() if size in found.lines or size > post.size}
        found.notes[post.size] = post.note
        return [made, *self._met(post.origin, post.size)]

    def _met(self, origin: str, size: int) -> list[Outcome]:
        """Return the witnessed note of a size, where the quorum is there and no larger one was witnessed."""
        found = self._logs[origin]
        lines = found.lines.get(size, {})
        there = [key for vkey, key in self._fed.items() if vkey in lines]
        if size <= found.witnessed or self._policy.quorum == "none" or not self._policy.is_met(there):
            return []
        found.witnessed = size
        note = found.notes[size]
        text = parse_note(note).text
        own = [each.line for each in parse_note(note).signatures if each.name == origin]
        return [Met(origin, size, f"{text}\n{''.join(own)}{''.join(lines[key.vkey] for key in there)}")]

    def _behind(self, post: Post, size: int, standing: _Standing, now: float) -> list[Outcome]:
        """Return what follows from a 409 with the size that the witness has: prove from there, once."""
        if size < standing.size:
            log.error("%s knows %d entries of %s, and cosigned %d: is it restored from a backup?", post.witness, size,
                      post.origin, standing.size)  # fmt: skip
        standing.size = size
        if size > post.size:
            standing.trouble = f"it has seen {size} entries, this checkpoint has {post.size}"
            return []
        if post.is_again or size == post.old:
            return self._failed(standing, f"409: it has {size} entries, and was asked from {post.old}", now)
        again = self._post(post.origin, post.witness, size, post.note, is_again=True)
        if again is None:
            return self._failed(standing, f"it has {size} entries, from where the store has no leaves", now)
        standing.is_asked = True
        return [again]

    def _split(self, post: Post, reply: Reply, standing: _Standing, now: float) -> list[Outcome]:
        """Return what follows from an answer that says: another history was shown to this witness."""
        is_first, standing.is_split = not standing.is_split, True
        standing.wait.s = LONGEST_S
        self._failed(standing, _text(reply), now)
        if not is_first:
            return []
        name = self._fed[post.witness].name
        what = f"{name} refuses {post.size} entries of {post.origin} as no continuation of the {post.old} that it saw"
        evidence = {
            "witness": post.witness,
            "request": text_of(post.body),
            "answer": f"{reply.status}\n{reply.body.decode(errors='replace')}",
            "note": post.note,
            "cosigned": standing.line,
        }
        return [Split(post.origin, what, evidence)]

    def _failed(self, standing: _Standing, why: str, now: float) -> list[Outcome]:
        standing.trouble = why
        standing.not_before = now + standing.wait.s
        standing.wait.longer()
        return []


def _text(reply: Reply) -> str:
    """Return an answer in a line."""
    words = reply.body[:200].decode(errors="replace").strip()
    return words if reply.status == 0 else f"{reply.status} {words}".strip()
