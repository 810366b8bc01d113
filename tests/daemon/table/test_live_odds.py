"""Live odds beside the table."""

import asyncio
import os
import signal
import sys

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.daemon.table import live_odds
from firmware_bridge.daemon.table.live_odds import LiveOdds, before_round, question
from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.wire_states import Odds
from firmware_bridge.games.baccarat.odds import full, odds
from firmware_bridge.games.house import house_of
from firmware_bridge.shoe import Shoe
from tests.kit.patience import comes


def shoe_after(script: str, **settings: object) -> Shoe:
    replay = Replay(house_of(**settings), "T07", print, burn=False)  # type: ignore[arg-type]
    list(replay.play(parse(script)))
    return replay.shoe


async def followed(*shoes: Shoe) -> LiveOdds:
    news = asyncio.Event()
    live = LiveOdds(news.set, asyncio.get_running_loop())
    for shoe in shoes:
        live.follow(shoe)
    await answered(live)
    live.close()
    return live


async def answered(live: LiveOdds) -> None:
    await comes(lambda: not live.busy)


def test_they_are_of_the_round_to_come_and_say_so() -> None:
    one, two = shoe_after("9s Td Ts Tc"), shoe_after("9s Td Ts Tc 2s")
    state = asyncio.run(followed(one, two)).state
    assert state is not None
    assert (state.round, state.cards) == (2, 412)


def test_a_full_shoe_returns_what_the_rule_book_says() -> None:
    state = asyncio.run(followed(shoe_after("shoe"))).state
    assert state is not None
    assert state.odds
    assert state.odds["player"].rtp == odds(full(8))["player"].rtp
    assert state.deviation
    assert not any(state.deviation.values())


def test_the_newest_wins_however_long_the_older_take() -> None:
    state = asyncio.run(followed(shoe_after("shoe"), shoe_after("9s Td Ts Tc"), shoe_after("9s Td Ts Tc " * 2))).state
    assert state is not None
    assert (state.round, state.cards) == (3, 408)


def test_sealed_cards_and_those_of_the_round_under_way_take_no_part() -> None:
    six = shoe_after("9s Td Ts Tc 4d 5h", procedure="six-card")
    assert len(six.seen) == 6
    assert len(before_round(six)) == 4
    assert len(before_round(shoe_after("9s Td Ts Tc 2s 3d"))) == 4


def test_a_correction_changes_them() -> None:
    """The sixth card that was read is no card of the round, and has left the shoe all the same."""
    read = "2s 2h 3s 3h 4d 6d"
    corrected, other = [
        asyncio.run(followed(*map(shoe_after, scripts))).state
        for scripts in ([read, f"{read} !correct 1 2s2h3s3h9d"], ["6d !void misdeal 2s 2h 3s 3h 9d"])
    ]
    assert corrected
    assert other
    assert (corrected.round, corrected.cards) == (2, 410)
    assert (corrected.odds, corrected.deviation) == (other.odds, other.deviation)


def test_there_are_none_when_the_shoe_is_over() -> None:
    state = asyncio.run(followed(shoe_after("9s Td Ts Tc"), shoe_after("9s Td Ts Tc !close_shoe"))).state
    assert state is not None
    assert (state.round, state.odds) == (None, None)


def test_none_of_the_shoe_before_stand_under_the_head_of_the_next() -> None:
    async def states() -> list[Odds | None]:
        live = LiveOdds(lambda: None, asyncio.get_running_loop())
        live.follow(shoe_after("9s Td Ts Tc"))
        await answered(live)
        before = live.state
        live.follow(shoe_after("9s Td Ts Tc !close_shoe !open_shoe"))
        live.close()
        return [before, live.state]

    before, after = asyncio.run(states())
    assert before
    assert before.round == 2
    assert after == Odds(None, 0, None)


def test_a_process_that_dies_is_started_anew_and_asked_again() -> None:
    async def states() -> LiveOdds:
        live = LiveOdds(lambda: None, asyncio.get_running_loop())
        live.follow(shoe_after("shoe"))
        await answered(live)
        assert live._child
        os.kill(live._child.pid, signal.SIGKILL)  # between two questions
        live._child.wait()
        live.follow(shoe_after("9s Td Ts Tc"))
        os.kill(live._child.pid, signal.SIGKILL)  # over a question
        await answered(live)
        live.close()
        return live

    state = asyncio.run(states()).state
    assert state
    assert (state.round, state.cards) == (2, 412)


def test_a_question_that_kills_every_process_is_given_up_and_the_next_is_asked(mocker: MockerFixture) -> None:
    async def states() -> list[Odds | None]:
        live = LiveOdds(lambda: None, asyncio.get_running_loop())
        broken = mocker.patch.object(live_odds, "CHILD", ("/bin/false",))
        live.follow(shoe_after("shoe"))
        await answered(live)
        mocker.stop(broken)
        before = live.state
        live.follow(shoe_after("9s Td Ts Tc"))
        await answered(live)
        live.close()
        return [before, live.state]

    before, after = asyncio.run(states())
    assert before == Odds(None, 0, None)
    assert after
    assert after.cards == 412


@pytest.mark.parametrize(
    "line",
    [
        b"a library warns",
        b"",
        b"{}",
        b"[]",
        b'{"round":"one"}',
        b'{"round":7,"cards":1,"odds":null}',
        b"\xff\xfe",
        b"[" * 9_000,
    ],
)
def test_a_line_that_is_no_odds_counts_as_a_lost_process(mocker: MockerFixture, line: bytes) -> None:
    async def states() -> tuple[int, LiveOdds, list[object]]:
        loop, failed = asyncio.get_running_loop(), list[object]()
        loop.set_exception_handler(lambda _, context: failed.append(context))
        live = LiveOdds(lambda: None, loop)
        says = f"import sys\nfor _ in sys.stdin: sys.stdout.buffer.write({line!r} + b'\\n'); sys.stdout.flush()"
        started = mocker.spy(live, "_start")
        broken = mocker.patch.object(live_odds, "CHILD", (sys.executable, "-c", says))
        live.follow(shoe_after("shoe"))
        await answered(live)
        tries = started.call_count
        mocker.stop(broken)
        live.follow(shoe_after("9s Td Ts Tc"))
        await answered(live)
        live.close()
        return tries, live, failed

    tries, live, failed = asyncio.run(states())
    assert (tries, failed) == (live_odds.TRIES, [])
    assert live.state
    assert live.state.cards == 412


def test_a_process_that_writes_without_end_is_lost(mocker: MockerFixture) -> None:
    async def states() -> LiveOdds:
        live = LiveOdds(lambda: None, asyncio.get_running_loop())
        broken = mocker.patch.object(live_odds, "CHILD", (sys.executable, "-c", "while True: print(end='9' * 9_999)"))
        live.follow(shoe_after("shoe"))
        mocker.stop(broken)
        await answered(live)
        live.close()
        return live

    state = asyncio.run(states()).state
    assert state
    assert state.cards == 416


def test_a_process_that_hangs_is_ended_and_another_asked(mocker: MockerFixture) -> None:
    async def states() -> tuple[int, LiveOdds]:
        live = LiveOdds(lambda: None, asyncio.get_running_loop())
        live.follow(shoe_after("shoe"))
        await answered(live)
        assert live._child
        hanging = live._child
        os.kill(hanging.pid, signal.SIGSTOP)
        patience = mocker.patch.object(live_odds, "ANSWER_S", 0.5)  # with this one alone
        live.follow(shoe_after("9s Td Ts Tc"))
        mocker.stop(patience)
        await answered(live)
        live.close()
        return hanging.returncode, live

    code, live = asyncio.run(states())
    assert code == -signal.SIGKILL
    assert live.state
    assert live.state.cards == 412


def test_only_counts_of_disclosed_cards_leave_the_house() -> None:
    sealed = shoe_after("9s Td Ts Tc", disclose="sealed")
    assert question(sealed).seen == {}
    assert question(shoe_after("9s Td Ts Tc 2s")).seen == {Card("9s"): 1, Card("Td"): 1, Card("Ts"): 1, Card("Tc"): 1}
