"""A port is given to one process of tests on the whole machine, until that ends."""

from tests.kit.broker import AT_ONCE, PORTS, free_port
from tests.kit.process import ran

GIVEN = """
import sys
from tests.kit import broker
broker.PORTS = range(*map(int, sys.argv[1:]))
print(broker.free_port())
"""


def given(*ports: int) -> str:
    """What a process says that asks for one of these ports."""
    done = ran("-c", GIVEN, *ports, execute=True)
    return done.stdout.strip() or done.stderr


def block_of(port: int) -> tuple[int, int]:
    first = port - port % AT_ONCE
    return first, first + AT_ONCE


def test_a_port_of_ours_is_given_to_nobody_else_until_we_end() -> None:
    ours = block_of(free_port())
    assert "hold all ports" in given(*ours)
    other = int(given(PORTS.start, PORTS.stop))
    assert other not in range(*ours)
    assert int(given(*block_of(other))) in range(*block_of(other))
