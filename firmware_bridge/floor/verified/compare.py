"""Compares the newest notes of all witnesses with each other and with the store: are they of one history?"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from firmware_bridge.facts.decoding import Undecodable, text_of
from firmware_bridge.floor.verified.feeder import Reply, Split
from firmware_bridge.floor.verified.proofs import Leaves, Proofs
from firmware_bridge.record.verify import Checkpoint, Key, Refused, cosigned, parse_note, verified_checkpoint


class Comparison(NamedTuple):
    """What was found of a log. same: name of a witness -> the size of its note, which fits our leaves.

    differs: proofs of two histories. unknown: sentences, why the note of a witness could not be compared.
    """

    origin: str
    same: dict[str, int]
    differs: tuple[Split, ...]
    unknown: tuple[str, ...]


def compare(
    origin: str,
    keys: Iterable[Key],
    replies: Mapping[Key, Reply],
    sizes: Mapping[Key, int],
    leaves: Leaves,
    proofs: Proofs,
) -> Comparison:
    """Compare what witnesses answered to GET. keys: of the log. sizes: what each witness cosigned last, for us."""
    notes: dict[Key, tuple[str, Checkpoint]] = {}
    unknown: list[str] = []
    known = list(keys)
    for witness, reply in replies.items():
        try:
            notes[witness] = _read(origin, known, witness, reply, sizes.get(witness, 0))
        except Refused as error:
            unknown.append(f"{witness.name}: {error}")
    same: dict[str, int] = {}
    differs: list[Split] = []
    have = leaves.size(origin)
    for witness, (note, stated) in notes.items():
        if stated.size > have:
            unknown.append(f"{witness.name}: it has seen {stated.size} entries, the store has {have}")
        elif proofs.root(origin, stated.size) == stated.root:
            same[witness.name] = stated.size
        else:
            what = f"{witness.name} was shown another history of {origin} than the store has"
            differs.append(Split(origin, what, {"note": note, **_others(notes, witness)}))
    differs += _between(origin, [(key, *found) for key, found in notes.items() if found[1].size > have])
    return Comparison(origin, same, tuple(differs), tuple(unknown))


def _read(origin: str, keys: Sequence[Key], witness: Key, reply: Reply, size: int) -> tuple[str, Checkpoint]:
    """Return the note in an answer, signed by log and witness. Raises Refused, which says why there is none."""
    if reply.status == 404 and not size:
        raise Refused("it has cosigned nothing of this log yet")
    if reply.status in (404, 405, 501):
        raise Refused("not comparable: it does not show its newest note")
    if reply.status != 200:
        words = reply.body[:200].decode(errors="replace").strip()
        raise Refused(f"no answer: {words}" if reply.status == 0 else f"it answered {reply.status}")
    try:
        text = text_of(reply.body)
    except Undecodable:
        raise Refused("its answer is no note") from None
    note = parse_note(text)
    stated = verified_checkpoint(note, keys)
    if stated.origin != origin:
        raise Refused(f"its note is of {stated.origin}")
    if not cosigned(note, [witness]):
        raise Refused("it did not cosign the note that it shows")
    if stated.size < size:
        raise Refused(f"it shows a note of {stated.size} entries, but cosigned {size}: is it restored from a backup?")
    return text, stated


def _between(origin: str, ahead: Sequence[tuple[Key, str, Checkpoint]]) -> list[Split]:
    """Return the pairs of witnesses that saw the same number of entries, more than the store has, under two roots."""
    found = []
    for n, (one, note, stated) in enumerate(ahead):
        for other, other_note, other_stated in ahead[:n]:
            if stated.size == other_stated.size and stated.root != other_stated.root:
                what = f"{one.name} and {other.name} were shown two histories of {origin}"
                found.append(Split(origin, what, {one.name: note, other.name: other_note}))
    return found


def _others(notes: Mapping[Key, tuple[str, Checkpoint]], one: Key) -> dict[str, str]:
    return {key.name: note for key, (note, _) in notes.items() if key != one}
