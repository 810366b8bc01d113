"""A port is given to one process of tests on the whole machine, until that ends."""

import socket

import pytest

from tests.kit import broker
from tests.kit.broker import AT_ONCE, free_port
from tests.kit.process import ran

OURS = range(8_192, 8_192 + AT_ONCE)
"""Ports that no test is given."""

GIVEN = f"""
from tests.kit import broker
broker.PORTS = {OURS!r}
print(broker.free_port())
"""


def test_a_port_of_ours_is_given_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[socket.socket] = []
    for name, value in {"PORTS": OURS, "_left": [], "_held": held}.items():
        monkeypatch.setattr(broker, name, value)
    given = {free_port() for _ in range(3)}
    assert len(given) == 3
    assert "hold all ports" in ran("-c", GIVEN, execute=True).stderr
    for each in held:
        each.close()
    assert int(ran("-c", GIVEN, execute=True).stdout) in OURS
