"""Verifies the record of a shoe: with Python alone, from keys and exports, without trust in anybody.

Runs by itself (`python3 -I -S verify.py --help`) and is imported by the client, the ingest and the witness. Needs the
standard library of Python 3.8; PyNaCl or cryptography make signatures faster where they can be imported.

Formats: RFC 6962 (tree, proofs), RFC 8032 (Ed25519), and of C2SP signed-note, tlog-checkpoint, tlog-cosignature,
tlog-proof and tlog-policy.
"""

import base64
import binascii
import bisect
import contextlib
import datetime
import gc
import hashlib
import json
import re
import sys
import zlib
from pathlib import Path
from typing import (
    Any,
    BinaryIO,
    Callable,
    Container,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()


class Refused(ValueError):
    """Bytes that are not what they should be, or do not verify; the message says what and where."""


class NotChecked(Refused):
    """Bytes of which nothing can be said: with what was given they are neither right nor wrong.

    code: the class of the finding, and the exit code.
    """

    def __init__(self, code: int, what: str) -> None:
        super().__init__(what)
        self.code = code


FINE, WRONG, USAGE_ERROR, UNSIGNED, NO_KEY, NOT_SHOWN, NOT_WITNESSED, OPEN_ROUND = range(8)
"""Exit codes. Where several classes are found, WRONG counts before all, then the lowest."""

CLASSES = {
    UNSIGNED: "under no signature",
    NO_KEY: "under a key that nobody gave",
    NOT_SHOWN: "not everything is shown",
    NOT_WITNESSED: "no witness to rely on",
}
"""What the first line says of each class of NOT CHECKED."""


# ---------------------------------------------------------------------------------------------------------- the tree


def leaf_hash(head: bytes) -> bytes:
    """Return the leaf of an entry. head: the 32 bytes of its `head`."""
    return hashlib.sha256(b"\0" + head).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the node above two nodes."""
    return hashlib.sha256(b"\1" + left + right).digest()


def grow(edge: List[bytes], size: int, leaf: bytes) -> None:
    """Append a leaf to the edge of a tree of `size` leaves: the hashes of its whole subtrees, largest first."""
    while size & 1:
        leaf = hashlib.sha256(b"\1" + edge.pop() + leaf).digest()
        size >>= 1
    edge.append(leaf)


def root_of(edge: Sequence[bytes]) -> bytes:
    """Return the root of the tree with this edge."""
    if not edge:
        return EMPTY_ROOT
    root = edge[-1]
    for left in reversed(edge[:-1]):
        root = node_hash(left, root)
    return root


def root_by_inclusion(index: int, size: int, leaf: bytes, proof: Sequence[bytes]) -> bytes:
    """Return the root that a proof of inclusion leads to (RFC 9162, 2.1.3.2). Raises Refused for a wrong length."""
    if not 0 <= index < size:
        raise Refused(f"entry {index} is not in a tree of {size}")
    place, last, root = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            raise Refused("the proof of inclusion is too long")
        if place & 1 or place == last:
            root = node_hash(sibling, root)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            root = node_hash(root, sibling)
        place, last = place >> 1, last >> 1
    if last:
        raise Refused("the proof of inclusion is too short")
    return root


def check_consistency(old: int, size: int, old_root: bytes, root: bytes, proof: Sequence[bytes]) -> None:
    """Check that a tree of `size` begins with that of `old` leaves (RFC 9162, 2.1.4.2). Raises Refused."""
    if not 0 <= old <= size:
        raise Refused(f"a tree of {size} cannot begin with one of {old}")
    if old in (0, size):
        wanted = EMPTY_ROOT if old == 0 else root
        if proof or old_root != wanted:
            raise Refused(f"two trees of {old} entries differ" if not proof else "a proof where none is needed")
        return
    if not proof:
        raise Refused("the proof of consistency is too short")
    place, last = old - 1, size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    rest = list(proof)
    old_made = new_made = rest.pop(0) if place else old_root
    for sibling in rest:
        if last == 0:
            raise Refused("the proof of consistency is too long")
        if place & 1 or place == last:
            old_made, new_made = node_hash(sibling, old_made), node_hash(sibling, new_made)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            new_made = node_hash(new_made, sibling)
        place, last = place >> 1, last >> 1
    if last:
        raise Refused("the proof of consistency is too short")
    if old_made != old_root or new_made != root:
        raise Refused(f"the tree of {size} entries does not begin with that of {old}")


# ----------------------------------------------------------------------------------------------------------- Ed25519

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, PRIME - 2, PRIME) % PRIME
_ROOT_OF_MINUS_ONE = pow(2, (PRIME - 1) // 4, PRIME)
_EIGHTH = 2707385501144840649318225287225658788936804267575313519463743609750303402022
_SMALL_ORDER = frozenset((0, 1, PRIME - 1, _EIGHTH, PRIME - _EIGHTH))
"""The y of each point of an order that divides 8: as a key, or as R, it would verify what was never signed."""

_Point = Tuple[int, int, int, int]
"""A point in extended coordinates: X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z."""


def _add(p: _Point, q: _Point) -> _Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % PRIME, (p[1] + p[0]) * (q[1] + q[0]) % PRIME
    c, d = 2 * p[3] * q[3] * _D % PRIME, 2 * p[2] * q[2] % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def _double(p: _Point) -> _Point:
    a, b, c = p[0] * p[0] % PRIME, p[1] * p[1] % PRIME, 2 * p[2] * p[2] % PRIME
    h = a + b
    e, g = h - (p[0] + p[1]) ** 2 % PRIME, a - b
    f = c + g
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def _point(encoded: bytes) -> Optional[_Point]:
    """Return the point of an encoding; None where there is none."""
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    squared = (y * y - 1) * pow(_D * y * y + 1, PRIME - 2, PRIME) % PRIME
    x = pow(squared, (PRIME + 3) // 8, PRIME)
    if (x * x - squared) % PRIME:
        x = x * _ROOT_OF_MINUS_ONE % PRIME
    if (x * x - squared) % PRIME or (x == 0 and sign):
        return None
    x = x if x & 1 == sign else PRIME - x
    return x, y, 1, x * y % PRIME


def _sum_of(s: int, p: _Point, k: int, q: _Point) -> _Point:
    """Return s P + k Q, both at once: one doubling for each bit."""
    both, made = _add(p, q), (0, 1, 1, 0)
    for bit in range(max(s.bit_length(), k.bit_length()) - 1, -1, -1):
        made = _double(made)
        which = (s >> bit & 1) | (k >> bit & 1) << 1
        if which:
            made = _add(made, (p, q, both)[which - 1])
    return made


_BASE = _point((4 * pow(5, PRIME - 2, PRIME) % PRIME).to_bytes(32, "little"))


def _verified_in_python(public: bytes, signature: bytes, message: bytes) -> bool:
    key, s = _point(public), int.from_bytes(signature[32:], "little")
    if key is None or _BASE is None:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    x, y, z, _ = _sum_of(s, _BASE, k, (PRIME - key[0], key[1], 1, PRIME - key[3]))
    inverse = pow(z, PRIME - 2, PRIME)
    x, y = x * inverse % PRIME, y * inverse % PRIME
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]


def _by_nacl() -> Callable[[bytes, bytes, bytes], bool]:
    from nacl.bindings import crypto_sign_open
    from nacl.exceptions import CryptoError

    def verified(public: bytes, signature: bytes, message: bytes) -> bool:
        try:
            crypto_sign_open(signature + message, public)
        except CryptoError:
            return False
        return True

    return verified


def _by_cryptography() -> Callable[[bytes, bytes, bytes], bool]:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    def verified(public: bytes, signature: bytes, message: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True

    return verified


def _fastest() -> Tuple[str, Callable[[bytes, bytes, bytes], bool]]:
    for name, make in (("PyNaCl", _by_nacl), ("cryptography", _by_cryptography)):
        try:
            return name, make()
        except ImportError:
            pass
    return "Python", _verified_in_python


BACKEND, _verified = _fastest()


def is_signed(public: bytes, signature: bytes, message: bytes) -> bool:
    """Return whether an Ed25519 signature is right; the same answer from every backend.

    Only canonical encodings of S, of R and of the key count, and no point of small order.
    """
    if len(public) != 32 or len(signature) != 64 or int.from_bytes(signature[32:], "little") >= ORDER:
        return False
    for point in (public, signature[:32]):
        y = int.from_bytes(point, "little") & (2**255 - 1)
        if y >= PRIME or y in _SMALL_ORDER:
            return False
    return _verified(public, signature, message)


Check = Callable[[bytes, bytes, bytes], bool]
"""Whether a signature is right: public key, signature, message."""

Job = Tuple[bytes, bytes, bytes]
BATCH = 50 if BACKEND == "Python" else 1000
"""Signatures that another process checks at once: what takes it longer than to be started."""

BATCHES = 20
"""Batches on their way, at most: what waits lies in memory."""


class Deferred:
    """Signatures that other processes check while the lines behind them are read: a call says that one is right.

    That it was is known once `were_right` says so; else what was read must be read again, each signature in its turn.
    """

    def __init__(self) -> None:
        self._jobs: List[Job] = []
        self._sent: List[Any] = []
        self._pool: Any = None
        self._right = True

    def __call__(self, public: bytes, signature: bytes, message: bytes) -> bool:
        self._jobs.append((public, signature, message))
        if len(self._jobs) >= BATCH:
            self._send()
        return True

    def were_right(self) -> bool:
        """Wait for the other processes, and end them; return whether all signatures were right."""
        self._right = self._right and all_signed(self._jobs)
        try:
            self._right = all([self._right, *(each.result() for each in self._sent)])
        except RuntimeError:  # a process was killed
            self._right = False
        if self._pool:
            self._pool.shutdown()
        return self._right

    def _send(self) -> None:
        try:
            if self._pool is None:
                from concurrent.futures import ProcessPoolExecutor

                self._pool = ProcessPoolExecutor()
            self._sent.append(self._pool.submit(all_signed, self._jobs))
            self._right = self._right and (len(self._sent) <= BATCHES or self._sent.pop(0).result())
        except (ImportError, NotImplementedError, OSError, RuntimeError):  # not to be had here: it is done by this one
            self._right = self._right and all_signed(self._jobs)
        self._jobs = []


def all_signed(jobs: Sequence[Job]) -> bool:
    """Return whether each of these signatures is right."""
    return all(is_signed(*job) for job in jobs)


# ------------------------------------------------------------------------------------------- keys, notes, checkpoints

ED25519, COSIGNATURE, ML_DSA_44 = 1, 4, 6
"""Types of keys: of a log, of a witness, of a witness by ML-DSA-44."""

KEY_BYTES = {ED25519: 32, COSIGNATURE: 32, ML_DSA_44: 1312}
NOTE_BYTES = 1_000_000
SIGNATURES = 100
"""Signatures in a note, at most."""

NAME_LENGTH = 255
"""Characters in the name of a key, at most."""


class Key(NamedTuple):
    """A public key. id: the 4 bytes by which a note names it, beside the name."""

    name: str
    id: bytes
    kind: int
    public: bytes

    @property
    def vkey(self) -> str:
        """The key as C2SP writes it: name, id and base64 with `+` between."""
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(bytes([self.kind]) + self.public).decode()}"

    @property
    def fingerprint(self) -> str:
        """Five groups of four hex digits, as the table shows them (`shoe key show`)."""
        digits = hashlib.sha256(self.vkey.encode()).hexdigest()[:20]
        return " ".join(digits[n : n + 4] for n in range(0, 20, 4))


class Signature(NamedTuple):
    """A signature line of a note. line: as it stands there, LF included."""

    name: str
    id: bytes
    data: bytes
    line: str


class Note(NamedTuple):
    """A signed note. text: what is signed, with the LF at its end."""

    text: str
    signatures: Tuple[Signature, ...]


class Checkpoint(NamedTuple):
    """What a log says of its tree."""

    origin: str
    size: int
    root: bytes


class Cosigned(NamedTuple):
    """A verified cosignature. at: seconds since 1970, by the clock of the witness."""

    witness: Key
    at: int


def key_of(name: str, kind: int, public: bytes) -> Key:
    """Return the key with its id. Raises Refused for a name that C2SP does not allow, or a wrong length."""
    if not _is_name(name):
        raise Refused(f"{name[:100]!r} is no name of a key")
    if len(public) != KEY_BYTES.get(kind):
        raise Refused(f"the key {name[:100]} has {len(public)} bytes of type {kind}")
    prefix = name.encode() + b"\n" + bytes([kind])
    return Key(name, hashlib.sha256(prefix + public).digest()[:4], kind, public)


_NO_NAME = re.compile(r"[+\s\x00-\x1f\ud800-\udfff]")
_NO_NOTE = re.compile(r"[\x00-\x09\x0b-\x1f\ud800-\udfff]")
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


def _is_name(name: str) -> bool:
    return 0 < len(name) <= NAME_LENGTH and not _NO_NAME.search(name)


def parse_vkey(text: str) -> Key:
    """Return the key in `name+id+base64`. Raises Refused."""
    name, _, rest = text.partition("+")
    number, _, encoded = rest.partition("+")
    data = decoded(encoded, f"the key {name[:100]}")
    if not data:
        raise Refused(f"{text[:100]!r} is no public key: write name+id+base64")
    key = key_of(name, data[0], data[1:])
    if key.id.hex() != number:
        raise Refused(f"the key {name} has the id {key.id.hex()}, not {number[:20]}")
    return key


def decoded(text: str, what: str) -> bytes:
    """Return the bytes of strict base64. Raises Refused, which begins with `what`."""
    try:
        data = binascii.a2b_base64(text)
    except ValueError:
        raise Refused(f"{what} is not base64") from None
    if binascii.b2a_base64(data, newline=False).decode() != text:  # blanks, bits left over, two texts in one
        raise Refused(f"{what} is not base64 as it should be written")
    return data


def parse_note(text: str) -> Note:
    """Return the parts of a signed note. Raises Refused."""
    if len(text) > NOTE_BYTES or _NO_NOTE.search(text) or len(text.encode()) > NOTE_BYTES:
        raise Refused("a note with control characters, or too long")
    body, blank, lines = text.rpartition("\n\n")
    if not blank or not lines.endswith("\n"):
        raise Refused("a note without its blank line, or without signatures")
    if lines.count("\n") > SIGNATURES:
        raise Refused(f"a note with more than {SIGNATURES} signatures")
    found = []
    for line in lines[:-1].split("\n"):
        mark, name, encoded = ([*line.split(" "), "", ""])[:3]
        if line.count(" ") != 2 or mark != "\u2014" or not _is_name(name):
            raise Refused(f"{line[:100]!r} is no signature line")
        data = decoded(encoded, f"the signature of {name}")
        if len(data) < 5:
            raise Refused(f"the signature of {name} is too short")
        found.append(Signature(name, data[:4], data[4:], line + "\n"))
    return Note(body + "\n", tuple(found))


def parse_checkpoint(text: str) -> Checkpoint:
    """Return what the text of a note says, without a look at its signatures. Raises Refused, for an extension too."""
    lines = text.split("\n", 4)
    if len(lines) != 4 or lines[3] or not lines[0]:
        raise Refused("a checkpoint has three lines: origin, size, root")
    if not _SIZE.fullmatch(lines[1]):
        raise Refused(f"{lines[1][:30]!r} is no size of a tree")
    root = decoded(lines[2], "the root")
    if len(root) != HASH_BYTES:
        raise Refused(f"the root has {len(root)} bytes")
    if lines[1] == "0" and root != EMPTY_ROOT:
        raise Refused("the root of a tree without entries is another one")
    return Checkpoint(lines[0], int(lines[1]), root)


def verified_checkpoint(note: Note, keys: Iterable[Key], check: Optional[Check] = None) -> Checkpoint:
    """Return what the note says, signed by its log. Raises Refused where no key signed it, or the signature of one is
    wrong.

    keys: of logs; those of the note's origin count. check: `is_signed`, or what answers in its place.
    """
    stated = parse_checkpoint(note.text)
    found = _by_known(note, (key for key in keys if key.kind == ED25519 and key.name == stated.origin))
    for key, each in found:
        if not (check or is_signed)(key.public, each.data, note.text.encode()):
            raise Refused(f"{stated.origin}, size {stated.size}: the signature of the log is wrong")
    if not found:
        raise Refused(f"{stated.origin}, size {stated.size}: not signed by a key that is known")
    return stated


def cosigned(note: Note, witnesses: Iterable[Key]) -> List[Cosigned]:
    """Return the cosignatures of these witnesses on a note. Raises Refused where one of them is wrong."""
    found = []
    for key, each in _by_known(note, (key for key in witnesses if key.kind != ED25519)):
        at = int.from_bytes(each.data[:8], "big")
        if len(each.data) <= 8 or at >= 2**63 or not _is_cosigned(key, at, each.data[8:], note.text):
            raise Refused(f"the cosignature of {key.name} is wrong")
        found.append(Cosigned(key, at))
    return found


def _by_known(note: Note, keys: Iterable[Key]) -> List[Tuple[Key, Signature]]:
    """Return the first signature by each of these keys; a further one of the same key counts for nothing."""
    known = {(key.name, key.id): key for key in keys}
    found = [(known.pop((each.name, each.id), None), each) for each in note.signatures]
    return [(key, each) for key, each in found if key is not None]


def cosigned_bytes(at: int, text: str) -> bytes:
    """Return what an Ed25519 witness signs. text: of the note."""
    return b"cosignature/v1\ntime %d\n" % at + text.encode()


def _is_cosigned(key: Key, at: int, signature: bytes, text: str) -> bool:
    if key.kind == COSIGNATURE:
        return is_signed(key.public, signature, cosigned_bytes(at, text))
    try:
        from cryptography.hazmat.primitives.asymmetric import mldsa
    except ImportError:
        raise Refused(f"{key.name} cosigns by ML-DSA-44, which needs cryptography 50 or later") from None
    stated, name = parse_checkpoint(text), key.name.encode()
    origin, number = stated.origin.encode(), at.to_bytes(8, "big")
    if len(name) > 255 or len(origin) > 255:
        raise Refused("a name that is too long for ML-DSA-44")
    message = b"subtree/v1\n\0" + bytes([len(name)]) + name + number + bytes([len(origin)]) + origin
    message += bytes(8) + stated.size.to_bytes(8, "big") + stated.root
    try:
        mldsa.MLDSA44PublicKey.from_public_bytes(key.public).verify(signature, message)
    except Exception:  # a wrong signature, or a key that is none: both verify nothing
        return False
    return True


# ------------------------------------------------------------------------------------------------------ policy, proof

PROOF_BEGINS = "c2sp.org/tlog-proof@v1"
PROOF_HASHES = 64
"""Hashes in a proof, at most: more entries than 64 doublings has no tree."""


class Group(NamedTuple):
    """A group of a policy: it is met where `least` of its members are."""

    least: int
    members: Tuple[str, ...]


class Policy(NamedTuple):
    """The keys that count, and how many witnesses must have cosigned. quorum: a witness, a group, or `none`."""

    logs: Tuple[Key, ...]
    witnesses: Dict[str, Key]
    groups: Dict[str, Group]
    quorum: str
    urls: Dict[str, str]

    def is_met(self, cosigners: Iterable[Key]) -> bool:
        """Return whether these witnesses are a quorum."""
        there = set(cosigners)
        met = {name: key in there for name, key in self.witnesses.items()}
        for name, group in self.groups.items():  # members stand above their group
            met[name] = sum(met[each] for each in group.members) >= group.least
        return self.quorum == "none" or met[self.quorum]

    def liars(self) -> int:
        """Return how many witnesses must lie, beside the log, before two people can be shown different trees."""
        cost = dict.fromkeys(self.witnesses, 1)
        for name, group in self.groups.items():
            both = 2 * group.least - len(group.members)
            cost[name] = sum(sorted(cost[each] for each in group.members)[: max(0, both)])
        return 0 if self.quorum == "none" else cost[self.quorum]


_NO_POLICY = re.compile(r"[^\S \t\r\n]|\r(?!\n)|[\x00-\x08\x0e-\x1f\x7f]")
"""What an editor may show as the end of a line, or not at all; a blank is a space or a tab."""


def parse_policy(text: str) -> Policy:
    """Return the policy in a file of C2SP tlog-policy. Raises Refused with the number of the line."""
    logs: List[Key] = []
    witnesses: Dict[str, Key] = {}
    groups: Dict[str, Group] = {}
    quorum: Optional[str] = None
    urls: Dict[str, str] = {}
    members: Set[str] = set()
    keys: Dict[bytes, Set[str]] = {}
    if len(text) > NOTE_BYTES or _NO_POLICY.search(text):
        raise Refused("policy: it is too long, or has control characters")
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            if words[0] == "log" and len(words) in (2, 3):
                logs.append(_fresh(parse_vkey(words[1]), keys, (ED25519,)))
            elif words[0] == "witness" and len(words) in (3, 4):
                key = _fresh(parse_vkey(words[2]), keys, (COSIGNATURE, ML_DSA_44))
                witnesses[_new(words[1], witnesses, groups)] = key
                urls[words[1]] = words[3] if words[3:] else ""
            elif words[0] == "group" and len(words) > 3:
                name = _new(words[1], witnesses, groups)
                groups[name] = _group(words[2], words[3:], (witnesses, groups), members)
            elif words[0] == "quorum" and len(words) == 2 and quorum is None:
                quorum = words[1]
                if quorum != "none" and quorum not in witnesses and quorum not in groups:
                    raise Refused(f"{quorum[:100]} is not defined above")
            else:
                raise Refused(f"{line.strip()[:100]!r} is not understood")
        except Refused as error:
            raise Refused(f"policy, line {number}: {error}") from None
    if quorum is None:
        raise Refused("policy: the line `quorum` is missing")
    return Policy(tuple(logs), witnesses, groups, quorum, urls)


def _fresh(key: Key, seen: Dict[bytes, Set[str]], kinds: Tuple[int, ...]) -> Key:
    """Return the key, which may stand there once; a log's also under another name, where a device began a second
    record.

    seen: public key -> its names, "" for that of a witness, which may have no other name.
    """
    if key.kind not in kinds:
        raise Refused(f"the key {key.name} is of type {key.kind}, which does not belong here")
    name, names = key.name if key.kind == ED25519 else "", seen.setdefault(key.public, set())
    if name in names or (names and "" in (name, *names)):
        raise Refused(f"the key {key.name} stands there twice")
    names.add(name)
    return key


def _new(name: str, *taken: Iterable[str]) -> str:
    if name == "none" or any(name in each for each in taken):
        raise Refused(f"the name {name[:100]} is taken")
    return name


def _group(least: str, names: Sequence[str], known: Sequence[Container[str]], members: Set[str]) -> Group:
    """Return the group of these members; `members` are those of all groups so far: each counts in one way only."""
    for name in names:
        if name in members or not any(name in each for each in known):
            what = "is a member already" if name in members else "is not defined above"
            raise Refused(f"{name[:100]} {what}")
        members.add(name)
    count = {"all": len(names), "any": 1}.get(least) or (int(least) if re.fullmatch("[1-9][0-9]{0,3}", least) else 0)
    if not 1 <= count <= len(names):
        raise Refused(f"{least[:20]} of {len(names)} members is no group")
    return Group(count, tuple(names))


class Proof(NamedTuple):
    """A `.tlog-proof`. number: of the entry, from 0. extra: not authenticated. note: the checkpoint, cosigned."""

    extra: bytes
    number: int
    hashes: Tuple[bytes, ...]
    note: Note


def parse_proof(text: str) -> Proof:
    """Return the parts of a proof. Raises Refused."""
    first, _, rest = text.partition("\n\n")
    lines = first.split("\n", 2 + PROOF_HASHES + 1)
    if lines[0] != PROOF_BEGINS or not rest:
        raise Refused(f"a proof begins with {PROOF_BEGINS}")
    extra = b""
    if lines[1:] and lines[1].startswith("extra "):
        extra = decoded(lines.pop(1)[len("extra ") :], "extra")
    found = re.fullmatch(r"index (0|[1-9][0-9]{0,18})", lines[1] if lines[1:] else "", re.ASCII)
    if not found:
        raise Refused("a proof without its index")
    if len(lines) > 2 + PROOF_HASHES:
        raise Refused(f"a proof with more than {PROOF_HASHES} hashes")
    hashes = tuple(decoded(line, "a hash of the proof") for line in lines[2:])
    if any(len(each) != HASH_BYTES for each in hashes):
        raise Refused("a hash of the proof is not of 32 bytes")
    return Proof(extra, int(found.group(1)), hashes, parse_note(rest))


def text_of_proof(proof: Proof, note: str) -> str:
    """Return the file of a proof. note: the checkpoint as text."""
    extra = ["extra " + base64.b64encode(proof.extra).decode()] if proof.extra else []
    hashes = [base64.b64encode(each).decode() for each in proof.hashes]
    return "\n".join([PROOF_BEGINS, *extra, f"index {proof.number}", *hashes, "", note])


def check_proof(proof: Proof, head: bytes, policy: Policy) -> Checkpoint:
    """Return the checkpoint that shows the entry with this head, signed by its log and a quorum. Raises Refused."""
    origin = parse_checkpoint(proof.note.text).origin
    if origin not in [key.name for key in policy.logs]:
        raise NotChecked(NO_KEY, f"it is not signed by a key that is known: none of {origin} is given")
    stated = verified_checkpoint(proof.note, policy.logs)
    if root_by_inclusion(proof.number, stated.size, leaf_hash(head), proof.hashes) != stated.root:
        raise Refused(f"entry {proof.number} is not the one in the tree of {stated.origin}")
    if not policy.is_met(each.witness for each in cosigned(proof.note, policy.witnesses.values())):
        raise NotChecked(NOT_WITNESSED, f"{stated.origin}, size {stated.size}: no quorum of witnesses")
    return stated


# ------------------------------------------------------------------------------------------------------------ rounds


def round_bytes(origin: str, payload: bytes) -> bytes:
    """Return what the `sig` of a round signs. payload: the message without `sig`."""
    return b"shoe-round/1\n" + origin.encode() + b"\n" + payload


def is_round_signed(public: bytes, origin: str, payload: bytes) -> bool:
    """Return whether a `round` message, bytes as they came, has the signature of this key in its last field, `sig`."""
    found = re.fullmatch(rb'(.*),"sig":"([A-Za-z0-9+/]{86}==)"\}', payload, re.DOTALL)
    if not found:
        return False
    signature = base64.b64decode(found.group(2))
    return is_signed(public, signature, round_bytes(origin, found.group(1) + b"}"))


# ----------------------------------------------------------------------------------------------------------- exports

SIGNED_KINDS = frozenset(
    (
        *("RecordBegun", "BridgeStarted", "ShoeOpened", "RoundClosed", "RoundVoided", "RoundCorrected"),
        *("ShoeEnded", "KeyChanged"),
    )
)
"""Types of events that give their entry a checkpoint."""

OWN_TRIES = 32
"""Places in a round's event that may be its key `own`, at most."""

ROUND_KINDS = ("RoundClosed", "RoundVoided", "RoundCorrected")
_ROUND = re.compile(b'{"type":"(?:%b)",' % "|".join(ROUND_KINDS).encode())
FORMATS = (b"3", b"4")
"""What a line begins with; both have one layout, and each the `v` of its messages."""

_BEGINS = {b"3": b'{"v":1,', b"4": b'{"v":2,'}
"""What the public part of a line of each format begins with."""

_CRC_OF_FORMAT = {each: zlib.crc32(each) for each in FORMATS}
FIRST_HEAD = "0" * 64
LINE_BYTES = 4_000_000
"""Bytes of an export's line, at most."""

TEXT_BYTES = 8_000_000
"""Bytes of a policy, a note or a proof, at most."""

_PROOF_KEYS = frozenset(("note", "sigs", "size", "edge"))
_HEX = re.compile(rb"[0-9a-f]{64}")
_JOURNAL = re.compile(r"[0-9]{1,9}-[0-9a-f]{1,64}", re.ASCII)
LONG_TEXT = 4_000
"""Characters from which on a text may hold a number that takes long to read."""

_NUMBER = 20
"""Characters of a number in JSON, at most: longer ones are no count, and take long to read."""

NESTED = 100
"""Objects and lists in each other, at most: how many a Python can read is another number in each version."""


def _integer(text: str) -> int:
    if len(text) > _NUMBER:
        raise ValueError("a number that is too long")
    return int(text)


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


def _object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key that stands there twice")
    return found


_LONG_NUMBER = re.compile(f"[0-9]{{{_NUMBER + 1}}}", re.ASCII)
_SLOW_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_constant=_no_constant)
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)


def _decoder(text: str) -> json.JSONDecoder:
    """Return the decoder for a text: the digits of numbers are counted only in a long one, as that takes time."""
    return _SLOW_DECODER if len(text) > LONG_TEXT and _LONG_NUMBER.search(text) else _DECODER


def _check_depth(text: str, *values: Any) -> None:
    """Raise ValueError for values of a text that are nested too deeply; only a text of many brackets is looked at."""
    if text.count("[") + text.count("{") <= NESTED:
        return
    level = [each for each in values if isinstance(each, (dict, list))]
    for _ in range(NESTED):
        inner = (each.values() if isinstance(each, dict) else each for each in level)
        level = [value for each in inner for value in each if isinstance(value, (dict, list))]
    if level:
        raise ValueError("objects and lists that are nested too deeply")


class ExportLine(NamedTuple):
    """A line of an export. events: (JSON text, decoded) of each event; sealed: hex SHA-256 of the sealed part.

    Each event has its `type`, a text. table, boot: "" where the line says none. shoe: its number, -1 for none.
    """

    journal: str
    seq: int
    at: str
    table: str
    shoe: int
    boot: str
    head: str
    sealed: str
    public: bytes
    events: Tuple[Tuple[str, Dict[str, Any]], ...]
    proof: Dict[str, Any]

    @property
    def name(self) -> str:
        """How a finding names the entry."""
        return f"entry {self.seq} of {self.journal}"


def parse_line(data: bytes) -> ExportLine:
    """Return the parts of an export's line, its LF included. Raises Refused."""
    if len(data) > LINE_BYTES:
        raise Refused(f"it has more than {LINE_BYTES} bytes")
    parts = data.split(b"\t", 6)
    if len(parts) != 6 or not data.endswith(b"\n"):
        raise Refused("it is not a whole line of six columns")
    version, checksum, head, public, sealed, proof = parts
    if version not in FORMATS:
        raise Refused(f"line format {version[:9]!r} is not {FORMATS[0]!r} or {FORMATS[1]!r}")
    if checksum != b"%08x" % zlib.crc32(data[len(checksum) + 3 : -1], _CRC_OF_FORMAT[version]):
        raise Refused("its checksum is wrong: a byte was changed")
    if not public.startswith(_BEGINS[version]):
        raise Refused("its format is not that of its entry: a byte was changed")
    if not _HEX.fullmatch(head) or not _HEX.fullmatch(sealed):
        raise Refused("it has not a chain value, or a hash of the sealed part: is it an export?")
    proved = _decoded_json(proof, "its proof") if len(proof) > 1 else {}
    if not _PROOF_KEYS.issuperset(proved):
        raise Refused("its proof says more than a proof does")
    try:
        shown, events = _parts(public.decode("utf-8"))
        journal, seq, at = shown["journal"], shown["seq"], shown["at"]
        if type(seq) is not int or not 0 < seq < 2**63 or type(at) is not str or not _JOURNAL.fullmatch(journal):
            raise ValueError("not as a journal names its entries")
    except (LookupError, ValueError, TypeError, RecursionError):
        raise Refused("its public part is not that of an entry") from None
    table, shoe, boot = shown.get("table"), shown.get("shoe"), shown.get("boot")
    about = (
        table if isinstance(table, str) else "",
        shoe if type(shoe) is int else -1,
        boot if isinstance(boot, str) else "",
    )
    return ExportLine(journal, seq, at, *about, head.decode(), sealed.decode(), public, events, proved)


def follows(line: ExportLine, before: str) -> bool:
    """Return whether the chain value of a line comes from the one before it and its own parts."""
    return hashlib.sha256((before + line.sealed).encode() + line.public).hexdigest() == line.head


def round_payloads(line: ExportLine) -> Iterator[Tuple[int, bytes]]:
    """Yield the number of each event with a `round` message, and that message without its `sig`."""
    for n, (raw, event) in enumerate(line.events, 1):
        if event["type"] in ROUND_KINDS:
            begin = line.public[: line.public.index(b',"events":[')]
            yield n, round_payload(begin, line.head, n, len(line.events), raw.encode())


def round_payload(begin: bytes, head: str, n: int, of: int, raw: bytes) -> bytes:
    """Return the `round` message, without its `sig`, of an event. begin: the entry's bytes before `head`; raw: the
    event.

    Raises Refused for an event that is not as a table writes it.
    """
    found = _ROUND.match(raw)
    if not found:
        raise Refused("the type of its round is not its first key")
    return b'%b,"head":"%b","n":%d,"of":%d,%b' % (begin, head.encode(), n, of, _flat(raw[found.end() :]))


def _flat(rest: bytes) -> bytes:
    """Return the rest of a round's event, with the keys in `own`, its last key, beside the others."""
    at, tries = rest.find(b',"own":'), 0
    while at >= 0:
        own, tries = rest[at + len(b',"own":') : -1], tries + 1
        if tries > OWN_TRIES:
            raise Refused("the key own is in its round too often")
        try:
            _SLOW_DECODER.decode(own.decode())
        except (ValueError, RecursionError):
            at = rest.find(b',"own":', at + 1)
            continue
        return rest[:at] + (b"," + own[1:] if own != b"{}" else b"}")
    return rest


def _parts(text: str) -> Tuple[Dict[str, Any], Tuple[Tuple[str, Dict[str, Any]], ...]]:
    """Return what a public part has before its events, and the events, its last key. Raises ValueError, LookupError."""
    decoder, at = _decoder(text), text.index(',"events":[')
    shown, events = decoder.decode(text[:at] + "}"), []
    at += len(',"events":[') - 1
    while text[at] != "]":
        value, end = decoder.raw_decode(text, at + 1)
        kind = value["type"] if type(value) is dict else None
        if type(kind) is not str or not (kind.isascii() and kind.isalpha()):
            raise ValueError("an event that is no object, or has no type in plain letters")
        events.append((text[at + 1 : end], value))
        at = end
        if text[at] not in ",]":
            raise ValueError("events that are not apart")
    if text[at:] != "]}" or not events or "events" in shown:
        raise ValueError("events that do not end the public part")
    _check_depth(text, shown, *(value for _, value in events))
    return shown, tuple(events)


def _decoded_json(data: bytes, what: str) -> Dict[str, Any]:
    try:
        text = data.decode("utf-8")
        value = _decoder(text).decode(text)
        _check_depth(text, value)
    except (ValueError, RecursionError):
        raise Refused(f"{what} is not JSON") from None
    if not isinstance(value, dict):
        raise Refused(f"{what} is not a JSON object")
    return value


# --------------------------------------------------------------------------------------------- the whole of an export


class Log:
    """A record while its lines are read.

    origin: "" until a checkpoint names it. begins: entries before the first one shown. unsigned: entries behind the
    last checkpoint; tail: the places of the first and the last of them, each a file and a line. bare: where entries are
    that should carry a checkpoint, and do not. marks: size -> root, and the place of the entry that it ends with, where
    a note needs it. ended: the origin of the record that goes on from it. key: the one that took over last.
    """

    def __init__(self, origin: str, size: int, edge: List[bytes]) -> None:
        self.origin, self.begins, self.size, self.edge = origin, size, size, edge
        self.unsigned = 0
        self.tail: Tuple[Tuple[str, int], Tuple[str, int]] = ("", 0), ("", 0)
        self.bare: List[str] = []
        self.marks: Dict[int, Tuple[bytes, str]] = {}
        self.ended = ""
        self.key: Optional[Key] = None


class Sealed(NamedTuple):
    """A commitment to a sealed card. size: of the tree with its entry."""

    commit: str
    size: int


class Given(NamedTuple):
    """A note of a witness, or one that a receiver kept. name: of its file. by: the cosignatures that count."""

    name: str
    stated: Checkpoint
    by: Tuple[Cosigned, ...]


class Played:
    """What lines are about, in order: tables, shoes, rounds that ended as (journal, round), and times.

    nearest: the round that ended last: its number, shoe and time; None for none.
    """

    def __init__(self) -> None:
        self.tables: Dict[str, None] = {}
        self.shoes: Dict[int, None] = {}
        self.rounds: Dict[Tuple[str, int], None] = {}
        self.lines, self.first_at, self.last_at = 0, "", ""
        self.nearest: Optional[Tuple[int, int, str]] = None
        self._is_about: Tuple[str, int] = "", 0

    def add(self, line: ExportLine, kinds: Iterable[str]) -> None:
        """Add a line. kinds: the types of its events."""
        if not self.lines:
            self.first_at = line.at
        self.lines += 1
        self.last_at = line.at
        if (line.table, line.shoe) != self._is_about:
            self._is_about = line.table, line.shoe
            self.tables[line.table[:NAME_SHOWN]] = None
            if line.shoe > 0:
                self.shoes[line.shoe] = None
        if not _ENDS.isdisjoint(kinds):
            for _, event in line.events:
                if event["type"] in _ENDS and type(event.get("round")) is int:
                    self.rounds[line.journal, event["round"]] = None
                    self.nearest = event["round"], line.shoe, line.at

    def mark(self) -> "Mark":
        """Return how far it is now."""
        return Mark(len(self.tables), len(self.shoes), len(self.rounds), self.lines, self.last_at)

    def up_to(self, mark: "Mark") -> "Played":
        """Return what was added up to a mark."""
        made = Played()
        made.tables = dict.fromkeys(list(self.tables)[: mark.tables])
        made.shoes = dict.fromkeys(list(self.shoes)[: mark.shoes])
        made.rounds = dict.fromkeys(list(self.rounds)[: mark.rounds])
        made.lines, made.first_at, made.last_at = mark.lines, self.first_at if mark.lines else "", mark.last_at
        return made

    def ended(self) -> str:
        """Return the round that ended last, in words."""
        if self.nearest is None:
            return "no round ended before it"
        number, shoe, at = self.nearest
        return f"the round that ended last before it is round {number} of shoe {shoe}, {in_words(at)}"

    def table(self) -> str:
        """Return the tables, in words."""
        named = [each for each in self.tables if each]
        return _listed(named[:3]) + (f" and {len(named) - 3} more" if named[3:] else "") if named else "no table"

    def words(self, offset: Optional[int] = None) -> str:
        """Return rounds, shoes and times, in words. offset: minutes that the table's local time is ahead of UTC."""
        what = _counted(len(self.rounds), "round") if self.rounds else _counted(self.lines, "entry", "entries")
        shoes = sorted(self.shoes)
        if len(shoes) > 2 and shoes[-1] - shoes[0] == len(shoes) - 1:
            what += f" of shoes {shoes[0]} to {shoes[-1]}"
        elif len(shoes) > 4:
            what += f" of {len(shoes)} shoes"
        elif shoes:
            what += f" of shoe{'s' * (len(shoes) > 1)} {_listed(list(map(str, shoes)))}"
        if not _TIME.match(self.first_at) or not _TIME.match(self.last_at):
            return what
        local = ""
        if offset is not None:
            sign, minutes = "-" if offset < 0 else "+", abs(offset)
            name = f"UTC{sign}{minutes // 60:02}:{minutes % 60:02}"
            local = f" ({_span(self.first_at, self.last_at, offset)} {name}, at the table)"
        return f"{what}, {_span(self.first_at, self.last_at)} UTC{local}"


class Mark(NamedTuple):
    """Counts of what `Played` has, and the time of its last line."""

    tables: int = 0
    shoes: int = 0
    rounds: int = 0
    lines: int = 0
    last_at: str = ""


_ENDS = frozenset(("RoundClosed", "RoundVoided"))

NAME_SHOWN = 64
"""Characters of a table's name that the first line shows, at most."""

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z\Z", re.ASCII)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _moment(at: str, offset: int = 0) -> Tuple[str, str]:
    """Return the day and the time of an entry, in words; as it says it where no calendar holds it."""
    try:
        then = datetime.datetime.strptime(at[:16] + "+0000", "%Y-%m-%dT%H:%M%z") + datetime.timedelta(minutes=offset)
    except (ValueError, OverflowError):
        return at[:10], at[11:16]
    return f"{then.day} {_MONTHS[then.month - 1]} {then.year}", f"{then.hour:02}:{then.minute:02}"


def in_words(at: str) -> str:
    """Return the time of an entry, in words."""
    return "{} {} UTC".format(*_moment(at)) if _TIME.match(at) else "at an unknown time"


def _span(first: str, last: str, offset: int = 0) -> str:
    """Return the span from one time of an entry to another, in words."""
    (day, begin), (last_day, end) = _moment(first, offset), _moment(last, offset)
    if (day, begin) == (last_day, end):
        return f"{day} {begin}"
    return f"{day} {begin} to {end}" if day == last_day else f"{day} {begin} to {last_day} {end}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _counted(count: int, one: str, more: str = "") -> str:
    return f"{count} {one if count == 1 else more or one + 's'}"


class Play(NamedTuple):
    """What is open at a table: its shoe and round, by lines under a signature, and whether a tail fits that.

    table to boot: of the last line. is_open: None where it is unknown. ended, round: the round that ended last, and the
    one in which the last card was dealt; -1 for none. is_last: the shoe has no round behind that which ended. A round
    is open, or is the next one to come, from the moment on when its shoe is opened.
    """

    table: str = ""
    journal: str = ""
    shoe: int = -1
    boot: str = ""
    is_open: Optional[bool] = None
    ended: int = -1
    round: int = -1
    is_last: bool = False

    def followed(self, line: ExportLine, kinds: Iterable[str]) -> "Play":
        """Return what is open behind a line that is under a signature. kinds: the types of its events."""
        made = self
        if line.shoe != self.shoe:
            made = Play(line.table, line.journal, line.shoe, line.boot)
        elif line.boot != self.boot or line.journal != self.journal or line.table != self.table:
            made = self._replace(table=line.table, journal=line.journal, boot=line.boot)
        if _PLAYS.isdisjoint(kinds):
            return made
        for _, event in line.events:
            kind, number = event["type"], event.get("round")
            if kind == "CardDealt":
                if type(number) is int and (number != made.round or not made.is_open):
                    made = made._replace(is_open=True, round=number)
            elif kind == "ShoeOpened":
                made = made._replace(is_open=True, ended=0, round=-1)
            elif kind == "ShoeEnded":
                made = made._replace(is_open=False)
            elif kind in ROUND_KINDS and type(number) is int:
                made = made._replace(ended=max(made.ended, number), is_last=event.get("last") is True)
        return made

    def fits(self, line: ExportLine, kinds: Iterable[str]) -> bool:
        """Return whether a line behind the last signed one is of the shoe and round that were open there."""
        about = (line.table, line.journal, line.shoe, line.boot)
        if not self.is_open or about != self[:4] or not all(about) or not SIGNED_KINDS.isdisjoint(kinds):
            return False
        now = self.round if self.round > self.ended else self.ended + 1
        named = [event["round"] for _, event in line.events if "round" in event]
        return not named or (not self.is_last and all(type(each) is int and each == now for each in named))


_PLAYS = frozenset(("CardDealt", "ShoeOpened", "ShoeEnded", *ROUND_KINDS))


class Report:
    """Everything found in exports: `wrong` (what fails), `unseen` (what could not be checked), and counts.

    classes: of what could not be checked -> the first finding. open_round: (N, M) where the newest N of a record's M
    entries are signed, and the others are of the open round of a table in play. signed, seen: what is under a
    signature, and what was read. witnessed: how many witnesses of the newest record are of one mind, up to which
    of its entries, and how many these are; None where it has no quorum.
    """

    def __init__(self) -> None:
        self.wrong: List[str] = []
        self.unseen: List[str] = []
        self.remarks: List[str] = []
        self.classes: Dict[int, str] = {}
        self.open_round: Optional[Tuple[int, int]] = None
        self.witnessed: Optional[Tuple[int, int, int]] = None
        self.signed, self.seen = Played(), Played()
        self.lines = self.checkpoints = self.rounds = self.opened = self.early = 0

    def leave(self, code: int, what: str) -> None:
        """Say what could not be checked. code: its class."""
        self.unseen.append(what)
        self.classes.setdefault(code, what)

    @property
    def code(self) -> int:
        """The exit code."""
        if self.wrong:
            return WRONG
        return min(self.classes, default=OPEN_ROUND if self.open_round else FINE)

    @property
    def is_good(self) -> bool:
        """Whether all that was given is verified."""
        return self.code == FINE


class Reader:
    """Reads exports in order, and checks every line, tree, checkpoint, signature and commitment.

    notes: cosigned checkpoints; with `quorum none` in the policy there may be none. check: answers for the signatures
    in the lines. is_alone: the caller wants no witness, whatever the policy asks for.
    """

    def __init__(
        self,
        policy: Policy,
        notes: Sequence[Tuple[str, Note]] = (),
        check: Optional[Check] = None,
        is_alone: bool = False,
    ) -> None:
        self.policy, self.report, self._check = policy, Report(), check
        self._is_alone = is_alone
        self.logs: Dict[str, Log] = {}
        self._log: Optional[Log] = None
        self._play, self._ahead, self._fits, self._signed = Play(), Play(), True, Mark()
        self._head: Optional[str] = None
        self._place: Tuple[str, int, Optional[ExportLine]] = "", 0, None
        self._journal, self._seq = "", 0
        self._loose, self._stopped, self._unbound = 0, "", ""
        self._sealed: Dict[Tuple[str, int, int], Sealed] = {}
        self._notes: Dict[str, List[Given]] = {}
        self._sizes: Dict[str, Set[int]] = {}
        self._keys: Dict[str, List[Key]] = {}
        for key in policy.logs:
            self._keys.setdefault(key.name, []).append(key)
        for name, note in notes:
            self._take_note(name, note)
        self._cosigned = {
            origin: sorted(each.stated.size for each in given if each.by) for origin, given in self._notes.items()
        }

    def read(self, name: str, lines: Iterable[bytes]) -> None:
        """Read one export. name: of its file, for findings. Nothing is read behind a line that is wrong."""
        if self._stopped:
            self.report.leave(NOT_SHOWN, f"{name}: not read, for what is wrong in {self._stopped}")
            return
        number = 0
        for number, data in enumerate(lines, 1):
            self._place = name, number, None
            try:
                line = parse_line(data)
                self._place = name, number, line
                self._check_order(line)
                self._check_line(line)
            except NotChecked as error:
                self._stopped = name
                self.report.leave(error.code, f"{self._where}: {error}")
                return
            except Refused as error:
                self._stopped = name
                if self._place[2]:
                    self.report.seen.tables.setdefault(self._place[2].table[:NAME_SHOWN], None)
                self.report.wrong.append(f"{self._where}: {error}")
                return
            self.report.lines += 1
        if not number:
            self.report.leave(NOT_SHOWN, f"{name}: no line is in it")

    @property
    def _where(self) -> str:
        """The line that was read last, as findings name it."""
        name, number, line = self._place
        return f"{name}, line {number} ({line.name})" if line else f"{name}, line {number}"

    @property
    def _is_keyless(self) -> bool:
        """Whether the reading ended where a key was not given."""
        return bool(self._stopped) and NO_KEY in self.report.classes

    def finish(self) -> Report:
        """Compare with the notes, and say what was not shown."""
        report = self.report
        self._named()
        if not self.logs and not self._is_keyless:
            report.leave(UNSIGNED, "no record is in these exports: nothing is signed")
        else:
            self._say_loose("at the end")
        if self._unbound and self.logs:
            what = "what it says itself is not checked: the entry before it is not shown"
            report.leave(NOT_SHOWN, f"{self._unbound}: {what}")
        if self._sealed:
            report.remarks.append(f"{len(self._sealed)} sealed cards were not opened in these exports")
        self._compare_notes()
        bound = ""
        for log in reversed(list(self.logs.values())):
            bound = log.origin if self._finish(log, bound) else ""
        for origin in sorted(self._keys.keys() - self.logs.keys()):
            if any(_device(origin) == _device(shown) for shown in self.logs):
                report.leave(NOT_SHOWN, f"{origin}: no export of this record is given, which is of the same device")
        for origin, notes in self._notes.items():
            if origin not in self.logs:
                report.leave(NOT_SHOWN, f"{notes[0].name}: no export of {origin} is given, which this is a note of")
        self._check_policy()
        report.signed = report.seen.up_to(self._signed)
        return report

    def _check_policy(self) -> None:
        """Say where the policy lets two histories pass though all of its witnesses are honest."""
        if self._is_alone:
            return
        if self.policy.quorum == "none":
            what = "it asks for no witness: the table's own key could tell two histories (--no-witness takes that)"
            self.report.leave(NOT_WITNESSED, f"the policy's quorum: {what}")
        elif not self.policy.liars():
            what = "it lets a split view pass without one lying witness"
            self.report.leave(NOT_WITNESSED, f"the policy's quorum: {what}")

    def finish_proofs(self, names: Sequence[str]) -> Report:
        """Compare the notes of proofs, which are in files of these names, with the others; no export was read."""
        self._compare_notes()
        self._check_policy()
        for notes in self._notes.values():
            sizes = {each.stated.size for each in notes if each.name in names}
            for each in notes:
                if each.name not in names and each.stated.size not in sizes:
                    what = f"its size {each.stated.size} is that of no proof here: give the exports"
                    self.report.leave(NOT_SHOWN, f"{each.name}: not compared with the proofs, {what}")
        return self.report

    # ------------------------------------------------------------------------------------------------- line by line

    def _check_order(self, line: ExportLine) -> None:
        """Check that a line follows the one before it, across files too."""
        if self._head is not None:
            is_next = line.seq == 1 or (line.journal, line.seq) == (self._journal, self._seq + 1)
            if not is_next:
                raise Refused(f"it stands behind entry {self._seq} of {self._journal}: lines are missing, or moved")
            if not follows(line, self._head):
                raise Refused("it does not follow the line before it: one of both was changed, or files are missing")
        elif line.journal.startswith("0-") and line.seq == 1:
            if not follows(line, FIRST_HEAD):
                raise Refused("it is the first entry of a device, and its chain value is wrong: it was changed")
        elif line.events[-1][1]["type"] != "RecordBegun":  # which names the head before it
            self._unbound = self._where
        self._head, self._journal, self._seq = line.head, line.journal, line.seq

    def _check_line(self, line: ExportLine) -> None:
        kinds = [event["type"] for _, event in line.events]
        begun = "RecordBegun" in kinds
        if begun:
            if kinds.index("RecordBegun") < len(kinds) - 1:
                raise Refused("RecordBegun is not the last event of its entry")
            self._begin(line, line.events[-1][1])
        elif self._log is None:
            self._resume(line)
        log = self._log
        if "note" not in line.proof:
            self._fits = self._fits and self._play.fits(line, kinds)
        if log is None:
            self._loose += 1
            self._follow_play(line, kinds)
            return
        if not begun and "edge" in line.proof and log.size > log.begins and _stands(line) != (log.size, log.edge):
            raise Refused(f"it says that another tree than that of {log.size} entries is before it")
        grow(log.edge, log.size, leaf_hash(bytes.fromhex(line.head)))
        log.size += 1
        self._check_proof(log, line, kinds)
        self._follow_play(line, kinds)
        if not log.unsigned:
            self._play, self._fits, self._signed = self._ahead, True, self.report.seen.mark()
        self._mark(log)
        self._check_cards(line, log)

    def _follow_play(self, line: ExportLine, kinds: Sequence[str]) -> None:
        """Follow what is open at the table, up to the last line."""
        self._ahead = self._ahead.followed(line, kinds)
        self.report.seen.add(line, kinds)

    def _say_loose(self, where: str) -> None:
        """Say which entries belong to no record: no checkpoint covers them."""
        if self._loose:
            what = f"{self._loose} entries belong to no record: nothing is signed there"
            self.report.leave(UNSIGNED, f"{where}: {what}")
            self.report.seen = Played()
        self._loose = 0

    def _begin(self, line: ExportLine, begun: Dict[str, Any]) -> None:
        """Begin a record: the one before it must have been shown to its end."""
        self._loose = 0  # bound by the head that RecordBegun follows
        origin, before = begun.get("origin"), begun.get("follows")
        if not isinstance(origin, str) or not isinstance(before, dict):
            raise Refused("RecordBegun without an origin, or without what it follows")
        if origin in self.logs:
            raise Refused(f"the record {origin} begins a second time")
        key = parse_vkey(str(begun.get("key")))
        if key.name != origin:
            raise Refused(f"the key of the record {origin} is named {key.name}")
        if self._is_known(origin) and key not in self.policy.logs:
            what = f"the record {origin} begins with {key.fingerprint}, which is not in the policy"
            raise Refused(f"it is not signed by a key that is known: {what}")
        if not follows(line, str(before.get("head"))):
            raise Refused("RecordBegun names another head than the one before it")
        earlier, size, last = before.get("origin"), before.get("size"), self._named()
        if type(size) is not int or size < 0 or not isinstance(earlier, (str, type(None))):
            raise Refused("RecordBegun does not say which record it follows, and where that ends")
        if last and last.origin != earlier:
            raise Refused(f"it says that it follows {earlier}, but {last.origin} is before it")
        if last and last.size > size:
            raise Refused(f"it goes on from entry {size} of {earlier}, which has {last.size}")
        missing = size - (last.size if last else 0)
        if earlier is not None and missing:
            self.report.leave(NOT_SHOWN, f"{self._where}: {missing} entries of {earlier} not shown, which it follows")
        elif last:
            last.ended = origin
        self.logs[origin] = self._log = Log(origin, 0, [])

    def _resume(self, line: ExportLine) -> None:
        """Begin with a line in the middle of a record, where the line says how the tree stands before it.

        What it says is trusted as far as a checkpoint agrees; the first one also names the record.
        """
        if "edge" not in line.proof:
            return
        self._say_loose(f"before {self._where}")
        size, edge = _stands(line)
        if size == 0:
            raise Refused("the first entry of a record is RecordBegun, and this is another one")
        if size < 0 or len(edge) != bin(size).count("1"):
            raise Refused("the edge of its tree does not fit its size")
        self._log = Log("", size, edge)

    def _check_proof(self, log: Log, line: ExportLine, kinds: Sequence[str]) -> None:
        if "note" not in line.proof:
            self._check_unsigned(log, line, kinds)
            return
        note, sigs = line.proof["note"], line.proof.get("sigs", {})
        if not isinstance(note, str) or not isinstance(sigs, dict):
            raise Refused("its checkpoint is no text, or its signatures are no object")
        parsed = parse_note(note)
        origin = parsed.text.partition("\n")[0]
        keys = self._keys.get(origin, [])
        if not keys and log.origin in ("", origin):
            raise NotChecked(NO_KEY, f"its checkpoint is not signed by a key that is known: none of {origin} is given")
        stated = verified_checkpoint(parsed, keys, self._check)
        if not log.origin:
            self._name(log, stated.origin)
        if (stated.origin, stated.size, stated.root) != (log.origin, log.size, root_of(log.edge)):
            raise Refused(f"its checkpoint is of another tree than the lines up to it (size {log.size})")
        for _, event in line.events:
            if event["type"] == "KeyChanged":
                self._check_rotation(log, event, parsed)
        if log.key and (log.key.name, log.key.id) not in [(each.name, each.id) for each in parsed.signatures]:
            raise Refused(f"its checkpoint is not signed by {log.key.fingerprint}, the key that took over")
        self.report.checkpoints += 1
        log.unsigned = 0
        check = self._check if self._check and len(keys) == 1 else is_signed
        left = set(sigs)
        for n, payload in round_payloads(line):
            signature = decoded(str(sigs.get(str(n), "")), "the signature of its round")
            if not any(check(key.public, signature, round_bytes(log.origin, payload)) for key in keys):
                raise Refused("its round is not signed by a key of this record")
            self.report.rounds += 1
            left.discard(str(n))
        if left:
            raise Refused("it has a signature of a round that is not in it")

    def _check_unsigned(self, log: Log, line: ExportLine, kinds: Sequence[str]) -> None:
        """Count a line without a checkpoint: the next one covers it. What closes or opens something has its own."""
        name, number, _ = self._place
        log.tail = log.tail[0] if log.unsigned else (name, number), (name, number)
        log.unsigned += 1
        if "sigs" in line.proof:
            raise Refused("it has signatures of rounds, and no checkpoint")
        if SIGNED_KINDS.isdisjoint(kinds):
            return
        if "KeyChanged" in kinds:
            raise Refused("a key changes without a checkpoint")
        log.bare.append(self._where)

    def _named(self) -> Optional[Log]:
        """Return the record so far; one that no checkpoint names is none, which is said."""
        if self._log and not self._log.origin:
            what = f"no checkpoint names the record of the last {self._log.unsigned} entries: nothing is signed there"
            if not self._is_keyless:
                self.report.leave(UNSIGNED, f"up to {self._where}: {what}")
            self._log = None
        return self._log

    def _name(self, log: Log, origin: str) -> None:
        """Name a record that was met in its middle."""
        if origin in self.logs:
            raise Refused(f"the record {origin} begins a second time")
        log.origin = origin
        self.logs[origin] = log
        if log.begins:
            what = f"entries 1 to {log.begins} are not shown, nor whether another record is before them"
            self.report.leave(NOT_SHOWN, f"{origin}: {what}")

    def _check_rotation(self, log: Log, event: Dict[str, Any], note: Note) -> None:
        """Check that both keys signed where one takes over from the other; `old` is "" where it is retired."""
        new = parse_vkey(str(event.get("new")))
        keys = [new] if event.get("old") == "" else [new, parse_vkey(str(event.get("old")))]
        for key in keys:
            if key.name != log.origin:
                raise Refused(f"the key changes to, or from, one named {key.name}")
            try:
                verified_checkpoint(note, [key])
            except Refused:
                raise Refused(f"the key changes, and {key.fingerprint} did not sign its checkpoint") from None
        log.key = new
        if new in self.policy.logs:
            self.report.remarks.append(f"{self._where}: the key {new.fingerprint} takes over")
        else:
            self.report.leave(NO_KEY, f"{self._where}: the key {new.fingerprint} takes over: it is not in the policy")

    def _is_known(self, origin: str) -> bool:
        return origin in self._keys

    def _check_cards(self, line: ExportLine, log: Log) -> None:
        """Keep commitments, and check each that is opened here."""
        for n, (_, event) in enumerate(line.events, 1):
            if event.get("commit"):
                self._sealed[(line.journal, line.seq, n)] = Sealed(str(event["commit"]), log.size)
            if event.get("type") == "CardRevealed":
                self._open(line, event, log)

    def _open(self, line: ExportLine, event: Dict[str, Any], log: Log) -> None:
        seq, n = event.get("seq"), event.get("n")
        if type(seq) is not int or type(n) is not int:
            raise Refused("a card is opened, and it is not said where it was committed to")
        sealed = self._sealed.pop((line.journal, seq, n), None)
        if sealed is None:
            self.report.leave(NOT_SHOWN, f"{self._where}: the commitment in entry {seq} that it opens was not shown")
            return
        text = ":".join((line.journal, str(seq), str(n), str(event.get("card")), str(event.get("nonce"))))
        if hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() != sealed.commit:
            raise Refused(f"the card it opens is not the one committed to in entry {seq}")
        self.report.opened += 1
        sizes = self._cosigned.get(log.origin, [])
        at = bisect.bisect_left(sizes, sealed.size)
        if at == len(sizes) or sizes[at] >= log.size:
            self.report.early += 1

    # -------------------------------------------------------------------------------------------------- notes

    def _take_note(self, name: str, note: Note) -> None:
        try:
            origin = parse_checkpoint(note.text).origin
            if not self._is_known(origin):
                what = f"it is not signed by a key that is known: none of {origin} is given"
                self.report.leave(NO_KEY, f"{name}: {what}")
                return
            stated = verified_checkpoint(note, self.policy.logs)
            by = cosigned(note, self.policy.witnesses.values())
        except Refused as error:
            self.report.wrong.append(f"{name}: {error}")
            return
        self._notes.setdefault(stated.origin, []).append(Given(name, stated, tuple(by)))
        self._sizes.setdefault(stated.origin, set()).add(stated.size)

    def _mark(self, log: Log) -> None:
        """Keep the root where a note needs it."""
        if not log.origin or log.size in self._sizes.get(log.origin, ()):
            log.marks[log.size] = root_of(log.edge), self._where

    def _compare_notes(self) -> None:
        """Compare all notes: two of one size with two roots prove that there are two histories of the table."""
        for origin, notes in self._notes.items():
            first: Dict[int, Given] = {}
            for each in notes:
                other = first.setdefault(each.stated.size, each)
                if other.stated.root != each.stated.root:
                    what = f"differs from {other.name}: the key of {origin} signed two histories"
                    self.report.wrong.append(f"{each.name}: its tree of {each.stated.size} entries {what}")

    def _finish(self, log: Log, bound: str) -> bool:
        """Say how far a record is witnessed; return whether it is at all. bound: a witnessed record that goes on from
        it.
        """
        report, origin = self.report, log.origin
        if not self._is_known(origin):
            report.leave(NO_KEY, f"{origin}: its key is not in the policy")
        for key in self.policy.logs:
            if key.name == origin:
                report.remarks.append(f"{origin}: key {key.fingerprint} (is it the one that the table shows?)")
        if log.bare:
            more = f", and {len(log.bare) - 1} more" if log.bare[1:] else ""
            what = "closes or opens something, and has no checkpoint: taken off, or the table had no key"
            report.leave(UNSIGNED, f"{log.bare[0]}{more}: it {what}")
        good, bad = self._sorted(log)
        if log.size in (each.stated.size for each in good):
            log.unsigned = 0  # the note is signed by the table's key
            if log is self._log:
                self._signed = report.seen.mark()
        self._finish_tail(log)
        self._name_liars(good, bad)
        if self.policy.quorum == "none" or self._is_alone:
            report.remarks.append(f"{origin}: no witness is asked for: its own key could tell two histories")
            return False
        if bound and log.ended == bound:
            report.remarks.append(f"{origin}: ended at entry {log.size}, which the record {bound} binds")
            return True
        witnessed, at, count = self._quorum(good)
        if not witnessed:
            what = f"no quorum of witnesses cosigned any of its {log.size} entries, by the notes given"
            report.leave(NOT_WITNESSED, f"{origin}: {what}")
            return False
        if log is self._log:
            report.witnessed = count, witnessed, log.size
        when = _utc(at)
        report.remarks.append(f"{origin}: witnessed up to entry {witnessed} of {log.size}, at {when}")
        if witnessed < log.size:
            report.remarks.append(f"{origin}: the {log.size - witnessed} entries behind that have no witness")
        return True

    def _finish_tail(self, log: Log) -> None:
        """Say which entries of a record are under no signature, and whether they are an open round of a table in play.

        Those of a record that another one goes on from are bound by the head that its first entry names.
        """
        is_bound = log.ended and self.logs[log.ended].size > self.logs[log.ended].unsigned
        if not log.unsigned or is_bound or self._is_keyless:
            return
        if log is self._log and self._fits and not self._stopped:
            self.report.open_round = log.size - log.unsigned, log.size
            return
        (name, begin), (last, end) = log.tail
        where = f"{name}, lines {begin} to {end}" if name == last else f"{name}, line {begin} to {last}, line {end}"
        what = f"the last {log.unsigned} of {log.size} entries of {log.origin} are not signed"
        self.report.leave(UNSIGNED, f"{where}: {what}: anybody can have written them")

    def _sorted(self, log: Log) -> Tuple[List[Given], List[Given]]:
        """Return the notes that agree with a record, and those that do not."""
        good, bad = [], []
        for each in self._notes.get(log.origin, []):
            size, root = each.stated.size, each.stated.root
            if size > log.size:
                what = (
                    f"it was shown {size - log.size} more entries of {log.origin} than the {log.size} in these exports"
                )
                if self._stopped:
                    self.report.leave(NOT_SHOWN, f"{each.name}: {what}")
                else:
                    self.report.wrong.append(f"{each.name}: {what}: their end is missing (behind {self._where})")
            elif size <= log.begins:
                self.report.remarks.append(f"{each.name}: its {size} entries are before those shown of {log.origin}")
            elif size not in log.marks:
                self.report.leave(NOT_SHOWN, f"{each.name}: not compared, for what is wrong in {self._stopped}")
            elif log.marks[size][0] != root:
                by = ", ".join(self._names(each.by)) or "no witness of the policy"
                where = f"up to {log.marks[size][1]} it was shown another history of {log.origin}"
                self.report.wrong.append(f"{each.name}: {where} (signed by its key; cosigned by {by})")
                bad.append(each)
            else:
                good.append(each)
        return good, bad

    def _name_liars(self, good: List[Given], bad: List[Given]) -> None:
        """Say which witnesses cosigned what cannot both be true."""
        theirs = {name for each in good for name in self._names(each.by)}
        others = {name for each in bad for name in self._names(each.by)}
        for name in sorted(theirs & others):
            self.report.wrong.append(f"{name} cosigned both histories: it lies, or was restored from a backup")
        if bad and others - theirs:
            other, here = (", ".join(sorted(each)) or "nobody" for each in (others - theirs, theirs - others))
            self.report.wrong.append(f"two histories: {other} saw the other one, {here} that of these exports")

    def _names(self, by: Iterable[Cosigned]) -> List[str]:
        names = {key: name for name, key in self.policy.witnesses.items()}
        return [names[each.witness] for each in by]

    def _quorum(self, notes: List[Given]) -> Tuple[int, int, int]:
        """Return the largest size that a quorum has cosigned, when, and how many have; 0 where there is none.

        A witness that cosigned a size has cosigned all smaller ones: it checked that one begins with the other.
        """
        for size in sorted({each.stated.size for each in notes}, reverse=True):
            times: Dict[Key, int] = {}
            for each in notes:
                for one in each.by if each.stated.size >= size else ():
                    times[one.witness] = min(one.at, times.get(one.witness, one.at))
            if self.policy.is_met(times):
                return size, max(times.values(), default=0), len(times)
        return 0, 0, 0


def _device(origin: str) -> str:
    """Return what the origins of all records of a device begin with."""
    return origin.rpartition("/")[0] or origin


def _utc(at: int) -> str:
    """Return a time of a witness, in words; a clock may say what no calendar holds."""
    try:
        return datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return f"{at} s after 1970"


def _stands(line: ExportLine) -> Tuple[int, List[bytes]]:
    """Return size and edge of the tree before a line, as it says."""
    size = line.proof.get("size")
    return size if type(size) is int else -1, _edge(line.proof)


def _edge(proof: Dict[str, Any]) -> List[bytes]:
    given = proof.get("edge")
    if not isinstance(given, list) or len(given) > PROOF_HASHES:
        raise Refused("the edge of its tree is no list, or too long")
    found = [decoded(str(each), "a hash of its tree") for each in given]
    if any(len(each) != HASH_BYTES for each in found):
        raise Refused("a hash of its tree is not of 32 bytes")
    return found


def check_self_contained(proof: Proof, policy: Policy) -> ExportLine:
    """Return the line that a `.tlog-proof` shows; its extra is the head before it and the line. Raises Refused."""
    if not proof.extra:
        raise Refused("it holds no entry: the journal was gone when it was made")
    before, data = proof.extra[:64].decode("latin-1"), proof.extra[64:]
    line = parse_line(data)
    if not follows(line, before):
        raise Refused("the line in its extra does not follow the head in it")
    check_proof(proof, bytes.fromhex(line.head), policy)
    return line


# ------------------------------------------------------------------------------------------------------------ command

USAGE = """Usage: verify.py --policy FILE [--no-witness] [--local +HH:MM] [--html FILE] [--notes FILE ..]
       EXPORT .. [PROOF.tlog-proof ..]

Shipped as shoe-verify.py; run it without anybody's packages: python3 -I -S shoe-verify.py ...

Verifies exports of a shoe's journals (`shoe journal export`, in order; - for stdin) by the public keys in a policy file
(C2SP tlog-policy), notes of witnesses, and single proofs. The first line is the verdict.
  --no-witness    ask for no witness: the table's own key is enough for you
  --local +HH:MM  print times at the table too, which is so far ahead of UTC
  --html FILE     write the answer on a page to print, too

Exit code: 0 all is verified; 1 something is wrong; 2 usage, or a file is missing. Not checked: 3 what is under no
signature; 4 a key that nobody gave; 5 what is not shown; 6 no witness to rely on; 7 verified but for the open round of
a table in play. Where several are true, 1 counts before all, then the lowest."""


class Options(NamedTuple):
    """What the caller asks for. local: minutes that the table's time is ahead of UTC. html: a page to write."""

    policy: str
    notes: List[str]
    files: List[str]
    is_alone: bool
    local: Optional[int]
    html: str


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit code."""
    if "-h" in arguments or "--help" in arguments:
        print(USAGE)
        return 0
    try:
        asked = _options(arguments)
        policy = _policy(asked.policy)
        if asked.is_alone:
            policy = policy._replace(quorum="none")
        given, wrong = _notes(asked.notes)
        proofs = [name for name in asked.files if name.endswith(".tlog-proof")]
        proved = [_proved(name, policy) for name in proofs]
        notes = [*given, *((each.name, each.note) for each in proved if each.note)]
        exports = [name for name in asked.files if not name.endswith(".tlog-proof")]
        report = (
            _read(exports, policy, notes, asked.is_alone)
            if exports
            else Reader(policy, notes, is_alone=asked.is_alone).finish_proofs(proofs)
        )
        report.wrong[:0] = wrong
        for each in proved:
            each.add_to(report)
        shown = _lines_of(report, policy, asked, [each.text for each in proved if each.line])
        if asked.html:
            Path(asked.html).write_text(page(report, shown, asked), "utf-8")
    except (OSError, Refused) as error:
        print(f"verify: {printable(str(error))}", file=sys.stderr)
        return USAGE_ERROR
    for text in shown:
        print(printable(text))
    return report.code


def _policy(name: str) -> Policy:
    try:
        return parse_policy(_text(name))
    except Refused as error:
        raise Refused(f"{name}: {error}") from None


def _notes(names: Iterable[str]) -> Tuple[List[Tuple[str, Note]], List[str]]:
    """Return the notes in files, by name, and what is wrong with those that are none. Raises OSError."""
    found, wrong = [], []
    for name in names:
        try:
            found.append((name, parse_note(_text(name))))
        except Refused as error:
            wrong.append(f"{name}: {error}")
    return found, wrong


def _read(exports: Sequence[str], policy: Policy, notes: Sequence[Tuple[str, Note]], is_alone: bool) -> Report:
    """Return the report on exports. Where a signature was wrong they are read again, to name its line."""
    deferred, report, kept = Deferred(), Report(), {name: _kept(name) for name in exports}
    for check in (deferred, None):
        reader = Reader(policy, notes, check, is_alone)
        for name in exports:
            with contextlib.ExitStack() as stack:
                file = kept[name] or stack.enter_context(Path(name).open("rb"))
                file.seek(0)
                reader.read(name, _lines(file))
        report = reader.finish()
        if check and deferred.were_right():
            return report
    if not report.wrong:
        report.wrong.append("a signature was wrong at first, and right when it was checked again: run it once more")
    return report


STDIN = "-"
"""The name of standard input."""


def _kept(name: str) -> Optional[BinaryIO]:
    """Return a copy of what can be read only once; None for a file."""
    if name != STDIN and (Path(name).is_file() or not Path(name).exists()):
        return None
    import shutil  # the daemon imports this file, and needs neither
    import tempfile

    made = tempfile.TemporaryFile()  # noqa: SIM115  # until the process ends
    with contextlib.ExitStack() as stack:
        source = sys.stdin.buffer if name == STDIN else stack.enter_context(Path(name).open("rb"))
        shutil.copyfileobj(source, made)
    return made


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of an export; one that is too long is given in part, and refused."""
    return iter(lambda: file.readline(LINE_BYTES + 1), b"")


def printable(text: str) -> str:
    """Return a text without what a terminal, or a narrow encoding, takes for something else: files can say anything."""
    shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    return shown.encode(encoding, "backslashreplace").decode(encoding)


def _options(arguments: Sequence[str]) -> Options:
    rest = list(arguments)
    valued = {"--policy": "", "--local": "", "--html": ""}
    notes: List[str] = []
    files: List[str] = []
    into, is_alone = files, False
    while rest:
        word = rest.pop(0)
        if word in valued:
            if not rest:
                raise Refused(f"name a value behind {word}; --help shows how")
            valued[word], into = rest.pop(0), files
        elif word == "--no-witness":
            is_alone, into = True, files
        elif word == "--notes":
            into = notes
        elif word == "--":
            files += rest
            break
        elif word.startswith("-") and word != STDIN:
            raise Refused(f"unknown option {word}; --help shows how")
        elif into is notes and _is_export(word):
            into = files
            files.append(word)
        else:
            into.append(word)
    if not valued["--policy"] or not files:
        raise Refused("name a policy and at least one export or proof; --help shows how")
    local = _minutes(valued["--local"]) if valued["--local"] else None
    return Options(valued["--policy"], notes, files, is_alone, local, valued["--html"])


def _minutes(text: str) -> int:
    found = re.fullmatch(r"([+-])([01][0-9]|2[0-3]):([0-5][0-9])", text, re.ASCII)
    if not found:
        raise Refused(f"{text[:20]} is no time ahead of UTC: write it as +08:00")
    minutes = int(found.group(2)) * 60 + int(found.group(3))
    return -minutes if found.group(1) == "-" else minutes


def _is_export(name: str) -> bool:
    """Return whether a word behind --notes begins the exports: a file that is no note."""
    if name.endswith(".tlog-proof") or name == STDIN:
        return True
    try:
        with Path(name).open("rb") as file:
            return file.read(2) in [each + b"\t" for each in FORMATS]
    except OSError:
        return False


def _text(name: str) -> str:
    """Return the text of a policy, note or proof. Raises Refused for a file too long to be one, or no text."""
    with Path(name).open("rb") as file:
        data = file.read(TEXT_BYTES + 1)
    if len(data) > TEXT_BYTES:
        raise Refused("it is too long for a policy, a note or a proof")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("it is not UTF-8") from None


class Proved(NamedTuple):
    """What a file with a proof shows, in words too. code: FINE, or why its note and line are None."""

    name: str
    text: str
    code: int
    note: Optional[Note] = None
    line: Optional[ExportLine] = None

    def add_to(self, report: Report) -> None:
        """Add it to a report."""
        if self.line:
            report.signed.add(self.line, [event["type"] for _, event in self.line.events])
        elif self.code == WRONG:
            report.wrong.append(self.text)
        else:
            report.leave(self.code, self.text)


def _proved(name: str, policy: Policy) -> Proved:
    try:
        proof = parse_proof(_text(name))
        line = check_self_contained(proof, policy)
    except NotChecked as error:
        return Proved(name, f"{name}: {error}", error.code)
    except Refused as error:
        return Proved(name, f"{name}: {error}", WRONG)
    origin = proof.note.text.split("\n")[0]
    return Proved(name, f"{name}: {line.name} is entry {proof.number + 1} of {origin}", FINE, proof.note, line)


def verdict(report: Report, policy: Policy, local: Optional[int] = None) -> str:
    """Return the answer in one line of words."""
    played, code = report.signed, report.code
    what = f"{played.table()}: {played.words(local)}"
    if code == FINE:
        return f"{what}, {_are(played)} as the table signed them; {_seen_by(report, policy)}"
    if code == OPEN_ROUND and report.open_round:
        signed, count = report.open_round
        behind = f"verified up to entry {signed} of {count}; the open round behind it is not signed yet"
        return (
            f"{played.table()}: {behind}; {played.words(local)}, {_are(played)} as signed; {_seen_by(report, policy)}"
        )
    if code == WRONG:
        seen = report.seen if report.seen.tables else played
        if not seen.tables:
            return f"WRONG  {report.wrong[0]}"
        return f"WRONG  {seen.table()}: {report.wrong[0]}; {seen.ended()}"
    checked = f"{what}, {_are(played)} as the table signed them" if played.lines else "nothing is checked"
    return f"NOT CHECKED  {CLASSES[code]}: {report.classes[code]}; beside that: {checked}"


def _are(played: Played) -> str:
    return "are" if len(played.rounds or range(played.lines)) != 1 else "is"


def _seen_by(report: Report, policy: Policy) -> str:
    """Return who has seen what is verified, in words."""
    if policy.quorum == "none":
        return "no witness was asked"
    if report.witnessed is None:
        return "a quorum of witnesses has seen them"
    count, size, of = report.witnessed
    of = report.open_round[0] if report.open_round else of
    which = "them" if size == of else f"the first {size} of {of} entries, behind them stands the table's key alone"
    return f"{count} of {len(policy.witnesses)} witnesses {'have' if count != 1 else 'has'} seen {which}"


LAST = {FINE: "all verified", OPEN_ROUND: "verified up to entry {} of {}; the open round behind it is not signed yet"}
"""The last line, for each exit code; another one is NOT all verified."""


def _lines_of(report: Report, policy: Policy, asked: Options, proved: Sequence[str]) -> List[str]:
    """Return what the command prints."""
    lines = [verdict(report, policy, asked.local)]
    lines += [f"OK     {text}" for text in proved]
    if report.lines:
        counts = f"{report.lines} lines, {report.checkpoints} checkpoints and {report.rounds} rounds signed"
        lines.append(f"       {counts} ({BACKEND})")
    if report.opened:
        lines.append(f"       {report.opened} sealed cards are those committed to;")
        lines.append(f"       {report.early} of them were opened before the notes given show their commitment cosigned")
    lines += [f"       {text}" for text in report.remarks]
    if policy.quorum != "none":
        witnesses = ", ".join(f"{name} {key.id.hex()}" for name, key in policy.witnesses.items())
        lines.append(f"       quorum {policy.quorum}; witnesses {witnesses} (are they the ones you know?)")
        lines.append(f"       {_liars(policy)}")
    lines += [f"NOT CHECKED  {text}" for text in report.unseen]
    lines += [f"WRONG  {text}" for text in report.wrong]
    return [*lines, LAST.get(report.code, "NOT all verified").format(*report.open_round or ())]


def _liars(policy: Policy) -> str:
    """Return what a quorum is worth, in words."""
    liars = policy.liars()
    if not liars:
        return "no witness must lie to hide a second history from you: ask for a larger quorum"
    who = "One lying witness" if liars == 1 else f"{liars} lying witnesses"
    return f"{who} could hide a second history from you; ask all {len(policy.witnesses)} for their notes"


# -------------------------------------------------------------------------------------------------------- on one page

TITLES = {FINE: "Verified", WRONG: "Wrong", OPEN_ROUND: "Verified, but for the open round"}
MEANS = {
    FINE: "Every line is as the table signed it, and as many witnesses as you asked for have seen it.",
    WRONG: "Something was changed, moved or removed, or two histories were signed. Keep all files as they are.",
    UNSIGNED: "Anybody can have written the lines named below: conclude nothing from them.",
    NO_KEY: "The lines may be right, but you have not given the key to check them: take it at the table.",
    NOT_SHOWN: "Something is missing: ask for it, and conclude nothing about it until you have it.",
    NOT_WITNESSED: "The table signed this, but no witness has confirmed it: ask for the notes of witnesses.",
    OPEN_ROUND: "Good for a table in play. The lines of its open round are proved by nothing yet: verify again later.",
}
FINDINGS_SHOWN, FILES_SHOWN, KEYS_SHOWN = 5, 8, 4
"""Lines of each part of a page, at most: it is one sheet of A4."""

_STYLE = """@page{size:A4;margin:15mm}body{margin:0;color:#000;background:#fff}
main{font:10pt/1.35 sans-serif;width:180mm;max-height:264mm;overflow:hidden;margin:0 auto;overflow-wrap:anywhere}
h1{font-size:20pt;margin:0;padding:3mm;border:1mm solid}h2{font-size:11pt;margin:4mm 0 1mm}p,ul{margin:2mm 0}
ul{padding-left:5mm}table{border-collapse:collapse}td{padding:0 4mm 0 0;vertical-align:top}.verdict{font-size:12pt}
.small{font:7.5pt/1.3 monospace}"""


def page(report: Report, shown: Sequence[str], asked: Options) -> str:
    """Return the answer on a page of HTML that prints on one sheet of A4. shown: what the command prints."""
    played, found = report.signed, [*report.wrong, *report.unseen]
    rows = [
        ("Table", played.table()),
        ("Under a signature", f"{played.words(asked.local)}; {_counted(played.lines, 'entry', 'entries')}"),
        ("Exit code", str(report.code)),
        ("Written", f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC"),
    ]
    files = [f"{_hash_of(name)}  {name[-40:]}" for name in [asked.policy, *asked.notes, *asked.files][:FILES_SHOWN]]
    keys = [text.strip() for text in shown[1:] if "is it the one" in text or "are they the ones" in text]
    parts = [
        f"<h1>{TITLES.get(report.code, 'Not checked')}</h1><p class=verdict>{_html(shown[0], 500)}</p>",
        f"<p>{MEANS[report.code]}</p>",
        "<p>Checked by ______________________ on ______________</p>",
        "<table>" + "".join(f"<tr><td>{name}<td>{_html(text, 300)}" for name, text in rows) + "</table>",
        _items("What was found", found, FINDINGS_SHOWN, 240) if found else "",
        _items("Compare these keys yourself", keys, KEYS_SHOWN, 200),
        _items("Files (SHA-256)", files, FILES_SHOWN, 110, " class=small"),
        "</main>",
    ]
    head = f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Record</title><style>{_STYLE}</style><main>"
    return "\n".join([head, *parts, ""])


def _items(title: str, texts: Sequence[str], most: int, length: int, kind: str = "") -> str:
    more = f"<li>and {len(texts) - most} more: the command prints them" if texts[most:] else ""
    items = "".join(f"<li>{_html(text, length)}" for text in texts[:most])
    return f"<h2>{title}</h2><ul{kind}>{items}{more}</ul>"


def _html(text: str, length: int) -> str:
    import html

    cut = text if len(text) <= length else text[: length - 2] + ".."
    return html.escape("".join(each if each.isprintable() else ascii(each)[1:-1] for each in cut))


def _hash_of(name: str) -> str:
    """Return SHA-256 of a file; in words where it cannot be read again."""
    made = hashlib.sha256()
    if not Path(name).is_file():
        return "(not a file)"
    with Path(name).open("rb") as file:
        for data in iter(lambda: file.read(1 << 20), b""):
            made.update(data)
    return made.hexdigest()


if __name__ == "__main__":
    gc.disable()  # a million lines are decoded here, and none holds itself
    sys.exit(main(sys.argv[1:]))
