"""28 messages of a foreign client, SQLite."""

from collections import Counter
from pathlib import Path

import pytest

from tests.floor.poison import poison, survive
from tests.kit import broker as real
from tests.kit.broker import Broker

broker, brokers = real.broker, real.brokers  # fixtures


@pytest.mark.story
def test_each_of_28_poison_messages_goes_where_it_should_and_nothing_is_lost(tmp_path: Path, broker: Broker) -> None:
    assert Counter(each.becomes for each in poison()) == {"quarantine": 21, "kept": 3, "no message": 4}
    assert list(survive(tmp_path, broker)) == []
