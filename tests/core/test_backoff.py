import pytest

from firmware_bridge.mqtt.backoff import Backoff


def longest(*moments: float) -> float:
    backoff = Backoff(chance=lambda: 1.0)
    for moment in moments:
        wait = backoff.wait(moment)
    return wait


@pytest.mark.parametrize(
    ("failures_at", "wait"),
    [
        ([0], 0.1),
        ([0, 1], 0.2),
        ([0, 1, 2, 3], 0.8),
        (range(60), 2.0),
        ([0, 61], 0.2),
        (range(90), 15.0),
        (range(100_000), 15.0),
    ],
)
def test_waits_grow_to_2_s_in_the_first_minute_and_15_s_later(failures_at: list[int], wait: float) -> None:
    assert longest(*failures_at) == pytest.approx(wait)


def test_the_jitter_is_full() -> None:
    assert Backoff(chance=lambda: 0.0).wait(0) == 0.0


def test_a_steady_connection_ends_the_outage() -> None:
    backoff = Backoff(chance=lambda: 1.0)
    for moment in range(90):
        backoff.wait(moment)
    backoff.connected(90)
    assert backoff.wait(95) == pytest.approx(0.1)


@pytest.mark.parametrize(("lasted", "refused"), [(0.5, False), (30, True)])
def test_a_flapping_connection_does_not_end_it(lasted: float, refused: bool) -> None:
    backoff = Backoff(chance=lambda: 1.0)
    for moment in range(90):
        backoff.wait(moment)
    backoff.connected(90)
    assert backoff.wait(90 + lasted, refused=refused) == 15.0
