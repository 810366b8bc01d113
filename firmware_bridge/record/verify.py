"""Verifies the record of a shoe: with Python alone, from keys and exports, without trust in anybody.

Runs by itself (`python3 -I -S verify.py --help`) and is imported by the client, the ingest and the witness. Needs the
standard library of Python 3.8; PyNaCl or cryptography make signatures faster where they can be imported.

Formats: RFC 6962 (tree, proofs), RFC 8032 (Ed25519), and of C2SP signed-note, tlog-checkpoint, tlog-cosignature,
tlog-proof and tlog-policy.
"""

import base64
import binascii
import hashlib
import re
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()


class Refused(ValueError):
    """Bytes that are not what they should be, or do not verify; the message says what and where."""


# ---------------------------------------------------------------------------------------------------------- the tree


def leaf_hash(head: bytes) -> bytes:
    """The leaf of an entry. head: the 32 bytes of its `head`."""
    return hashlib.sha256(b"\0" + head).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The node above two nodes."""
    return hashlib.sha256(b"\1" + left + right).digest()


def grow(edge: List[bytes], size: int, leaf: bytes) -> None:
    """Appends a leaf to the edge of a tree of `size` leaves: the hashes of its whole subtrees, largest first."""
    while size & 1:
        leaf = node_hash(edge.pop(), leaf)
        size >>= 1
    edge.append(leaf)


def root_of(edge: Sequence[bytes]) -> bytes:
    """The root of the tree with this edge."""
    if not edge:
        return EMPTY_ROOT
    root = edge[-1]
    for left in reversed(edge[:-1]):
        root = node_hash(left, root)
    return root


def root_by_inclusion(index: int, size: int, leaf: bytes, proof: Sequence[bytes]) -> bytes:
    """The root that a proof of inclusion leads to (RFC 9162, 2.1.3.2). Raises Refused for one of a wrong length."""
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
    """Checks that a tree of `size` begins with that of `old` leaves (RFC 9162, 2.1.4.2). Raises Refused."""
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
    """The point of an encoding; None where there is none."""
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
    """S P + k Q, both at once: one doubling for each bit."""
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
    """Whether an Ed25519 signature is right; the same answer from every backend.

    Only canonical encodings of S, of R and of the key count, and no point of small order.
    """
    if len(public) != 32 or len(signature) != 64 or int.from_bytes(signature[32:], "little") >= ORDER:
        return False
    for point in (public, signature[:32]):
        y = int.from_bytes(point, "little") & (2**255 - 1)
        if y >= PRIME or y in _SMALL_ORDER:
            return False
    return _verified(public, signature, message)


# ------------------------------------------------------------------------------------------- keys, notes, checkpoints

ED25519, COSIGNATURE, ML_DSA_44 = 1, 4, 6
"""Types of keys: of a log, of a witness, of a witness by ML-DSA-44."""

KEY_BYTES = {ED25519: 32, COSIGNATURE: 32, ML_DSA_44: 1312}
NOTE_BYTES = 1_000_000
SIGNATURES = 100
"""Signatures in a note, at most."""


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
    """The key with its id. Raises Refused for a name that C2SP does not allow, or a wrong length."""
    if not name or "+" in name or re.search(r"\s|[\x00-\x1f]", name):
        raise Refused(f"{name!r} is no name of a key")
    if len(public) != KEY_BYTES.get(kind):
        raise Refused(f"the key {name} has {len(public)} bytes of type {kind}")
    prefix = name.encode() + b"\n" + bytes([kind])
    return Key(name, hashlib.sha256(prefix + public).digest()[:4], kind, public)


def parse_vkey(text: str) -> Key:
    """The key in `name+id+base64`. Raises Refused."""
    name, _, rest = text.partition("+")
    number, _, encoded = rest.partition("+")
    data = decoded(encoded, f"the key {name}")
    if not data:
        raise Refused(f"{text!r} is no public key: write name+id+base64")
    key = key_of(name, data[0], data[1:])
    if key.id.hex() != number:
        raise Refused(f"the key {name} has the id {key.id.hex()}, not {number}")
    return key


def decoded(text: str, what: str) -> bytes:
    """The bytes of strict base64. Raises Refused, which begins with `what`."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, ValueError):
        raise Refused(f"{what} is not base64") from None
    if base64.b64encode(data).decode() != text:
        raise Refused(f"{what} is not base64 as it should be written")
    return data


def parse_note(text: str) -> Note:
    """The parts of a signed note. Raises Refused."""
    if len(text) > NOTE_BYTES or re.search(r"[\x00-\x09\x0b-\x1f]", text):
        raise Refused("a note with control characters, or too long")
    body, blank, lines = text.rpartition("\n\n")
    if not blank or not lines.endswith("\n"):
        raise Refused("a note without its blank line, or without signatures")
    found = []
    for line in lines[:-1].split("\n"):
        mark, name, encoded = ([*line.split(" "), "", ""])[:3]
        if line.count(" ") != 2 or mark != "\u2014" or not name or "+" in name or re.search(r"\s", name):
            raise Refused(f"{line[:100]!r} is no signature line")
        data = decoded(encoded, f"the signature of {name}")
        if len(data) < 5:
            raise Refused(f"the signature of {name} is too short")
        found.append(Signature(name, data[:4], data[4:], line + "\n"))
    if len(found) > SIGNATURES:
        raise Refused(f"a note with {len(found)} signatures")
    return Note(body + "\n", tuple(found))


def parse_checkpoint(text: str) -> Checkpoint:
    """What the text of a note says, without a look at its signatures. Raises Refused, for an extension line too."""
    lines = text.split("\n")
    if len(lines) != 4 or lines[3] or not lines[0]:
        raise Refused("a checkpoint has three lines: origin, size, root")
    if not re.fullmatch(r"0|[1-9][0-9]{0,18}", lines[1], re.ASCII):
        raise Refused(f"{lines[1][:30]!r} is no size of a tree")
    root = decoded(lines[2], "the root")
    if len(root) != HASH_BYTES:
        raise Refused(f"the root has {len(root)} bytes")
    return Checkpoint(lines[0], int(lines[1]), root)


def verified_checkpoint(note: Note, keys: Iterable[Key]) -> Checkpoint:
    """What the note says, signed by its log. Raises Refused where no key signed it, or the signature of one is wrong.

    keys: of logs; those of the note's origin count.
    """
    stated = parse_checkpoint(note.text)
    known = {(key.name, key.id): key for key in keys if key.kind == ED25519 and key.name == stated.origin}
    signed = 0
    for each in note.signatures:
        key = known.get((each.name, each.id))
        if key is None:
            continue
        if not is_signed(key.public, each.data, note.text.encode()):
            raise Refused(f"{stated.origin}, size {stated.size}: the signature of the log is wrong")
        signed += 1
    if not signed:
        raise Refused(f"{stated.origin}, size {stated.size}: not signed by a key that is known")
    return stated


def cosigned(note: Note, witnesses: Iterable[Key]) -> List[Cosigned]:
    """The cosignatures of these witnesses on a note. Raises Refused where one of them is wrong."""
    known = {(key.name, key.id): key for key in witnesses if key.kind != ED25519}
    found = []
    for each in note.signatures:
        key = known.get((each.name, each.id))
        if key is None:
            continue
        at = int.from_bytes(each.data[:8], "big")
        if len(each.data) <= 8 or at >= 2**63 or not _is_cosigned(key, at, each.data[8:], note.text):
            raise Refused(f"the cosignature of {key.name} is wrong")
        found.append(Cosigned(key, at))
    return found


def cosigned_bytes(at: int, text: str) -> bytes:
    """What an Ed25519 witness signs. text: of the note."""
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
    message = b"subtree/v1\n\0" + bytes([len(name)]) + name + number + bytes([len(origin)]) + origin
    message += bytes(8) + stated.size.to_bytes(8, "big") + stated.root
    try:
        mldsa.MLDSA44PublicKey.from_public_bytes(key.public).verify(signature, message)
    except Exception:  # a wrong signature, or a key that is none: both verify nothing
        return False
    return True


# ------------------------------------------------------------------------------------------------------ policy, proof

PROOF_BEGINS = "c2sp.org/tlog-proof@v1"


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
        """Whether these witnesses are a quorum."""
        there = set(cosigners)

        def met(name: str) -> bool:
            if name in self.witnesses:
                return self.witnesses[name] in there
            group = self.groups[name]
            return sum(map(met, group.members)) >= group.least

        return self.quorum == "none" or met(self.quorum)

    def liars(self) -> int:
        """Count of witnesses that must lie, beside the log, before two people can be shown different trees."""

        def cost(name: str) -> int:
            if name in self.witnesses:
                return 1
            group = self.groups[name]
            both = 2 * group.least - len(group.members)
            return sum(sorted(map(cost, group.members))[: max(0, both)])

        return 0 if self.quorum == "none" else cost(self.quorum)


def parse_policy(text: str) -> Policy:
    """The policy in a file of C2SP tlog-policy. Raises Refused with the number of the line."""
    logs: List[Key] = []
    witnesses: Dict[str, Key] = {}
    groups: Dict[str, Group] = {}
    quorum: Optional[str] = None
    urls: Dict[str, str] = {}
    members: Set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip(" \t").split()
        if not words or words[0].startswith("#"):
            continue
        try:
            if words[0] == "log" and len(words) in (2, 3):
                logs.append(_fresh(parse_vkey(words[1]), logs, (ED25519,)))
            elif words[0] == "witness" and len(words) in (3, 4):
                key = _fresh(parse_vkey(words[2]), witnesses.values(), (COSIGNATURE, ML_DSA_44))
                witnesses[_new(words[1], witnesses, groups)] = key
                urls[words[1]] = words[3] if words[3:] else ""
            elif words[0] == "group" and len(words) > 3:
                name = _new(words[1], witnesses, groups)
                groups[name] = _group(words[2], words[3:], {*witnesses, *groups}, members)
            elif words[0] == "quorum" and len(words) == 2 and quorum is None:
                quorum = words[1]
                if quorum not in {"none", *witnesses, *groups}:
                    raise Refused(f"{quorum} is not defined above")
            else:
                raise Refused(f"{line.strip()[:100]!r} is not understood")
        except Refused as error:
            raise Refused(f"policy, line {number}: {error}") from None
    if quorum is None:
        raise Refused("policy: the line `quorum` is missing")
    return Policy(tuple(logs), witnesses, groups, quorum, urls)


def _fresh(key: Key, others: Iterable[Key], kinds: Tuple[int, ...]) -> Key:
    if key.kind not in kinds:
        raise Refused(f"the key {key.name} is of type {key.kind}, which does not belong here")
    if any(each.public == key.public for each in others):
        raise Refused(f"the key {key.name} stands there twice")
    return key


def _new(name: str, *taken: Iterable[str]) -> str:
    if name == "none" or any(name in each for each in taken):
        raise Refused(f"the name {name} is taken")
    return name


def _group(least: str, names: Sequence[str], known: Set[str], members: Set[str]) -> Group:
    """The group of these members; `members` are those of all groups so far: each counts in one way only."""
    for name in names:
        if name not in known or name in members:
            raise Refused(f"{name} is a member already" if name in members else f"{name} is not defined above")
        members.add(name)
    count = {"all": len(names), "any": 1}.get(least) or (int(least) if re.fullmatch("[1-9][0-9]{0,3}", least) else 0)
    if not 1 <= count <= len(names):
        raise Refused(f"{least} of {len(names)} members is no group")
    return Group(count, tuple(names))


class Proof(NamedTuple):
    """A `.tlog-proof`. number: of the entry, from 0. extra: not authenticated. note: the checkpoint, cosigned."""

    extra: bytes
    number: int
    hashes: Tuple[bytes, ...]
    note: Note


def parse_proof(text: str) -> Proof:
    """The parts of a proof. Raises Refused."""
    first, _, rest = text.partition("\n\n")
    lines = first.split("\n")
    if lines[0] != PROOF_BEGINS or not rest:
        raise Refused(f"a proof begins with {PROOF_BEGINS}")
    extra = b""
    if lines[1:] and lines[1].startswith("extra "):
        extra = decoded(lines.pop(1)[len("extra ") :], "extra")
    found = re.fullmatch(r"index (0|[1-9][0-9]{0,18})", lines[1] if lines[1:] else "", re.ASCII)
    if not found:
        raise Refused("a proof without its index")
    hashes = tuple(decoded(line, "a hash of the proof") for line in lines[2:])
    if any(len(each) != HASH_BYTES for each in hashes):
        raise Refused("a hash of the proof is not of 32 bytes")
    return Proof(extra, int(found.group(1)), hashes, parse_note(rest))


def text_of_proof(proof: Proof, note: str) -> str:
    """The file of a proof. note: the checkpoint as text."""
    extra = ["extra " + base64.b64encode(proof.extra).decode()] if proof.extra else []
    hashes = [base64.b64encode(each).decode() for each in proof.hashes]
    return "\n".join([PROOF_BEGINS, *extra, f"index {proof.number}", *hashes, "", note])


def check_proof(proof: Proof, head: bytes, policy: Policy) -> Checkpoint:
    """The checkpoint that shows the entry with this head, signed by its log and a quorum. Raises Refused."""
    stated = verified_checkpoint(proof.note, policy.logs)
    if not policy.is_met(each.witness for each in cosigned(proof.note, policy.witnesses.values())):
        raise Refused(f"{stated.origin}, size {stated.size}: no quorum of witnesses")
    if root_by_inclusion(proof.number, stated.size, leaf_hash(head), proof.hashes) != stated.root:
        raise Refused(f"entry {proof.number} is not the one in the tree of {stated.origin}")
    return stated


# ------------------------------------------------------------------------------------------------------------ rounds


def round_bytes(origin: str, payload: bytes) -> bytes:
    """What the `sig` of a round signs. payload: the message without `sig`."""
    return b"shoe-round/1\n" + origin.encode() + b"\n" + payload


def is_round_signed(public: bytes, origin: str, payload: bytes) -> bool:
    """Whether a `round` message, bytes as they came, has the signature of this key in its last field, `sig`."""
    found = re.fullmatch(rb'(.*),"sig":"([A-Za-z0-9+/]{86}==)"\}', payload, re.DOTALL)
    if not found:
        return False
    signature = base64.b64decode(found.group(2))
    return is_signed(public, signature, round_bytes(origin, found.group(1) + b"}"))
