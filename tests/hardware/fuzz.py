"""The fuzz of the decoders: damaged streams by the million, and no crash, no hang, no card that was not sent."""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from hardware.readers.messages import Message, Notice, Read, ReportNo, Unread
from tests.hardware.streams import LINES, SESSION, decoder, held, reads, slot, taken

CARDS = 6  # in a stream
BOUND = 1024  # bytes a decoder may keep
HANG_S = 1.0  # of the processor, for some 500 bytes


@dataclass
class Tally:
    """What came of a protocol's inputs."""

    inputs: int = 0
    cards: int = 0
    damaged: int = 0
    strange: int = 0  # codes that were not sent, which a code book does not know
    wrong: list[str] = field(default_factory=list)


def main() -> int:
    """Fuzz each protocol asked for; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000, help="damaged streams for each protocol")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--protocol", choices=tuple(LINES), help="only this one")
    asked = parser.parse_args()
    found = 0
    for protocol in [asked.protocol] if asked.protocol else LINES:
        began = time.monotonic()
        tally = fuzz(protocol, asked.inputs, asked.seed)
        spent = time.monotonic() - began
        rate = tally.inputs / spent
        print(
            f"{protocol:<10} {tally.inputs} inputs, {rate:.0f}/s, {tally.cards} cards read, "
            f"{tally.damaged} frames refused, {tally.strange} codes for no book, {len(tally.wrong)} wrong",
            flush=True,
        )
        for each in tally.wrong[:10]:
            print(f"  {each}")
        found += len(tally.wrong)
    return 1 if found else 0


def fuzz(protocol: str, inputs: int, seed: int) -> Tally:
    """Feed a protocol's decoder `inputs` damaged streams, each as on a port that was just opened."""
    rng, tally = Random(f"{protocol} {seed}"), Tally()
    for _ in range(inputs):
        trial(protocol, rng, rng, tally)
    return tally


def trial(protocol: str, cards: Random, cable: Random, tally: Tally) -> None:
    """One stream: `cards` chooses what is sent, `cable` what becomes of it."""
    tally.inputs += 1
    line = LINES[protocol]
    codes, base = list(line.codes(cards, CARDS)), cards.randrange(256)
    wire = b"".join(line.sent(base + n, code) for n, code in enumerate(codes)) * line.rounds
    host, spoiled = decoder(protocol), damaged(wire, cable)
    host.resume(ReportNo(SESSION, (base - 1) % 256))
    began = time.process_time()
    try:
        messages = [message for portion in portions(spoiled, cable) for message in taken(host, portion)]
    except Exception as error:  # whatever it is, it is what is looked for
        tally.wrong.append(f"{type(error).__name__}: {error} after {spoiled.hex()}")
        return
    if time.process_time() - began > HANG_S:
        tally.wrong.append(f"slow on {spoiled.hex()}")
    tally.cards += len(reads(messages))
    tally.damaged += host.bad
    tally.strange += sum(code not in codes for code in reads(messages))
    tally.wrong += mistakes(protocol, codes, messages, spoiled, held(host))
    tally.wrong += [f"slot {m.slot} of {m.code} from {spoiled.hex()}" for m in messages if is_misplaced(m, codes, base)]


def mistakes(protocol: str, codes: list[int | str], messages: list[Message], wire: bytes, kept: int) -> Iterator[str]:
    """What must not be: a card of the book out of its order, a card made up of checked bytes, endless memory."""
    line = LINES[protocol]
    found = reads(messages)
    rest = iter(codes)
    if line.numbered and is_silent_loss(codes, messages):
        yield f"silently lost some of {codes}: {messages} from {wire.hex()}"
    known = [code for code in found if code in codes]
    if not all(code in rest for code in known):
        yield f"{known} of {codes} from {wire.hex()}"
    if line.checked and not line.weak and any(code not in codes for code in found):
        yield f"made up {found} of {codes} from {wire.hex()}"
    if kept > BOUND:
        yield f"keeps {kept} bytes after {wire.hex()}"
    if any(isinstance(message, Notice) and any(str(code) in message.what for code in codes) for message in messages):
        yield f"says a card in clear: {messages}"


def is_misplaced(message: Message, codes: list[int | str], base: int) -> bool:
    """Whether a card that was sent is given another slot than was sent."""
    if not isinstance(message, Read) or message.slot is None or message.code not in codes:
        return False
    return message.slot != slot(base + codes.index(message.code))


def is_silent_loss(codes: list[int | str], messages: list[Message]) -> bool:
    """Whether one of `codes`, no two of them the same, is missing between two others and nothing was said of it."""
    before, warned = None, False
    for message in messages:
        warned = warned or isinstance(message, Unread) or getattr(message, "gap", False)
        if isinstance(message, Read) and message.code in codes:
            at = codes.index(message.code)
            if before is not None and at > before + 1 and not warned:
                return True
            before, warned = at, False
    return False


def damaged(wire: bytes, rng: Random) -> bytes:
    """The bytes after a bad cable: some flipped, lost, doubled, cut off (a line swaps none), or with noise between."""
    spoiled = bytearray(wire)
    for _ in range(rng.choice((0, 1, 1, 2, 4, 12))):
        at = rng.randrange(len(spoiled)) if spoiled else 0
        match rng.randrange(8):
            case 0 if spoiled:
                spoiled[at] ^= 1 << rng.randrange(8)
            case 1 if spoiled:
                spoiled[at] = rng.randrange(256)
            case 2:
                del spoiled[at : at + rng.randint(1, 9)]
            case 3:
                spoiled[at:at] = rng.randbytes(rng.randint(1, 9))
            case 4:
                spoiled[at:at] = bytes((rng.choice(b"\0\2\3\5\r\n\x7e\xf3\x04"),))
            case 5:
                del spoiled[at:]
            case 6:
                spoiled[at:at] = rng.randbytes(rng.randint(100, 300))
            case 7:
                spoiled[at:at] = spoiled[at : at + rng.randint(1, 5)]
    return bytes(spoiled)


def portions(wire: bytes, rng: Random) -> Iterator[bytes]:
    """The bytes as a port hands them over."""
    while wire:
        cut = rng.choice((1, 3, 16, 64, 4096))
        yield wire[:cut]
        wire = wire[cut:]


if __name__ == "__main__":
    sys.exit(main())
