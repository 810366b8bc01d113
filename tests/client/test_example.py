"""The example that backend engineers are given does what it says."""

from __future__ import annotations

import doctest

from firmware_bridge import client


def test_the_example_for_backend_engineers() -> None:
    found = doctest.testmod(client)
    assert found.attempted > 10
    assert found.failed == 0
