"""`shoe check` says what no keys of orders mean, and tries whether an unsigned order is refused."""

from __future__ import annotations

import json
from typing import Any

from tests.daemon import listened
from tests.daemon.listened import status_is
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit import command
from tests.kit.backend import Backend
from tests.kit.order_keys import OrderKey

broker, brokers, shoe = real.broker, real.brokers, command.shoe  # fixtures
backend, table = listening.backend, listened.table  # fixtures


def test_no_keys_an_unsigned_order_and_keys(table: Any, backend: Backend, shoe: command.Run) -> None:
    made = table(orders=[OrderKey("cage", "void").row])
    status_is(backend, "online")

    def found(made: Any) -> tuple[str, str]:
        checks = json.loads(shoe("check", "--json", "--config", made.config_path).out)["checks"]
        (each,) = [each for each in checks if each["name"] == "orders"]
        return each["level"], each["text"]

    level, text = found(made)
    assert (level, text) == ("OK", "signed orders of cage; an unsigned one was refused")
    made.stop()
    made.configure()
    level, text = found(made)
    assert level == "WARN"
    assert text.startswith("no key is set")
    backend.faults.clear()  # what `shoe check` sends to try the broker is no message of a shoe
