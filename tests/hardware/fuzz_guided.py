"""The same fuzz led by the coverage of the decoders' code: atheris chooses what the cable does to each stream."""

import argparse
import subprocess
import sys
from random import Random

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports(include=["hardware"]):
    from tests.hardware.fuzz import Tally, trial
    from tests.hardware.streams import LINES

LONGEST = 1024  # bytes of an input: twelve damages, one of them up to 300 bytes of noise, and the portions


class Drawn(Random):
    """Takes its numbers from a fuzzer's bytes, and zeros when they are used up: no damage then."""

    def __init__(self, drawn: bytes) -> None:
        super().__init__(0)
        self._left = drawn

    def getrandbits(self, k: int) -> int:
        """The next `k` bits, beginning at a whole byte."""
        size = (k + 7) // 8
        taken, self._left = self._left[:size], self._left[size:]
        return int.from_bytes(taken, "little") & ((1 << k) - 1)


def main() -> int:
    """Fuzz each protocol asked for, in a process of its own; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz --guided", description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000, help="streams for each protocol")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--protocol", choices=tuple(LINES), help="only this one")
    asked = parser.parse_args()
    if asked.protocol:
        look_for(asked.protocol, asked.inputs, asked.seed)
    command = [sys.executable, "-m", "tests.hardware.fuzz_guided", *sys.argv[1:], "--protocol"]
    return max(subprocess.run([*command, protocol], check=False).returncode != 0 for protocol in LINES)


def look_for(protocol: str, inputs: int, seed: int) -> None:
    """Fuzz one protocol; atheris ends the process, with an error at the first finding."""
    tally = Tally()

    def look(drawn: bytes) -> None:
        cable = Drawn(drawn)
        trial(protocol, Random(cable.getrandbits(16)), cable, tally)
        assert not tally.wrong, tally.wrong[0]
        if tally.inputs == inputs:
            print(f"{protocol:<10} {inputs} inputs, {tally.cards} cards read, 0 wrong", flush=True)

    atheris.Setup(["fuzz", f"-runs={inputs}", f"-seed={seed}", f"-max_len={LONGEST}"], look)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
