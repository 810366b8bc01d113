from typing import Any

import pytest

from firmware_bridge.mqtt.backoff import FORGOTTEN_S, Backoff, RoundTrip, SilentEnds
from firmware_bridge.mqtt.settings import Moment


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


def waited(lasted: float, *, acknowledged: bool = False, refused: bool = False, patient: bool = False) -> float:
    """The wait after a connection that lasted so long, late in an outage."""
    backoff = Backoff(chance=lambda: 1.0)
    for moment in range(90):
        backoff.wait(moment)
    backoff.connected(90)
    if acknowledged:
        backoff.acknowledged()
    return backoff.wait(90 + lasted, refused=refused, patient=patient)


@pytest.mark.parametrize(
    ("connection", "wait"),
    [
        ({"lasted": 29}, 15.0),
        ({"lasted": 30}, 0.1),
        ({"lasted": 0.01, "acknowledged": True}, 0.1),
        ({"lasted": 29, "acknowledged": True, "refused": True}, 15.0),
        ({"lasted": 30, "refused": True}, 0.1),
        ({"lasted": 29, "acknowledged": True, "patient": True}, 60.0),
        ({"lasted": 30, "patient": True}, 1.0),
    ],
)
def test_an_outage_ends_with_an_acknowledgement_or_after_30_s_and_not_by_being_let_in(
    connection: dict[str, Any], wait: float
) -> None:
    assert waited(**connection) == pytest.approx(wait)


def test_a_patient_wait_doubles_from_a_second_to_a_minute_and_half_of_it_is_certain() -> None:
    for chance, part in ((1.0, 1.0), (0.0, 0.5)):
        backoff = Backoff(chance=lambda chance=chance: chance)  # type: ignore[misc]  # a default binds it here
        waits = [backoff.wait(moment, patient=True) for moment in range(8)]
        assert waits == [part * each for each in (1, 2, 4, 8, 16, 32, 60, 60)]


# ---------------------------------------------------------------- another client of our name


@pytest.mark.parametrize(
    ("answers_s", "wait"),
    [
        ([], 5.0),
        ([0.01] * 50, 5.0),
        ([2.0], 6.0),
        ([8.0], 24.0),
        ([8.0] * 50, 8.0),
        ([90.0], 60.0),
        ([20] + [0.01] * 50, 5),
    ],
)
def test_the_wait_for_an_answer_follows_how_long_answers_took(answers_s: list[float], wait: float) -> None:
    trip = RoundTrip(5.0, 60.0, 300.0)
    for each in answers_s:
        trip.took(each)
    assert trip.s == pytest.approx(wait, abs=0.1)


def test_a_silence_doubles_the_wait_until_the_next_answer() -> None:
    trip = RoundTrip(5.0, 60.0, 30.0)
    trip.took(2.0)
    waits = []
    for _ in range(4):
        trip.longer()
        waits.append(trip.s)
    assert waits == [12.0, 24.0, 30.0, 30.0]
    trip.reset()
    assert trip.s == 6.0


def test_a_namesake_that_the_broker_states_is_known_at_once_and_forgotten_later() -> None:
    ends = SilentEnds()
    ends.connected(0)
    ends.taken_over(40)
    assert ends.is_conflict(40 + FORGOTTEN_S - 1)
    assert not ends.is_conflict(40 + FORGOTTEN_S)
    ends.taken_over(400)
    ends.kept_out()
    assert not ends.is_conflict(400)


Ended = tuple[float, float]
"""When a connection began, and when it ended without a reason."""


def guessed(*connections: Ended | None) -> list[bool]:
    """Whether there is a guess after each connection; None for an attempt that failed."""
    ends, found = SilentEnds(), list[bool]()
    for each in connections:
        if each is None:
            ends.kept_out()
            continue
        ends.connected(each[0])
        found.append(ends.broke(each[1]))
        assert ends.is_conflict(each[1]) == found[-1]
    return found


@pytest.mark.parametrize(
    ("connections", "found"),
    [
        ([(0, 1), (1, 2), (2, 3)], [False, False, True]),
        ([(0, 1), (1, 2), (2, 12), (12, 13)], [False, False, False, False]),
        ([(0, 1), (1, 2), None, (2, 3)], [False, False, False]),
        ([(0, 1), (1, 2), (2, 3), (10, 50)], [False, False, True, True]),
        ([(0, 1), (1, 2), (2, 3), (10, 400)], [False, False, True, False]),
    ],
)
def test_three_ends_right_after_being_let_in_are_worth_a_guess(
    connections: list[Ended | None], found: list[bool]
) -> None:
    assert guessed(*connections) == found


TOPIC, LARGE, SMALL = Moment("command"), Moment("event", 6_500), Moment("event", 300)


@pytest.mark.parametrize(
    ("moments", "guess", "is_conflict"),
    [
        ([TOPIC, TOPIC, TOPIC], TOPIC, False),
        ([SMALL, LARGE, LARGE, LARGE], LARGE, False),
        ([LARGE, LARGE, SMALL], SMALL, False),
        ([LARGE, LARGE, TOPIC], None, True),
        ([None, LARGE, None], None, True),
        ([None, None, None, LARGE, LARGE, LARGE], LARGE, False),
    ],
)
def test_ends_at_one_moment_are_no_namesake(
    moments: list[Moment | None], guess: Moment | None, is_conflict: bool
) -> None:
    ends = SilentEnds()
    for second, each in enumerate(moments):
        ends.connected(second)
        ends.broke(second + 0.5, each)
    assert (ends.moment, ends.is_conflict(len(moments))) == (guess, is_conflict)
