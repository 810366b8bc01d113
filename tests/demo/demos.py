"""A demo as a process of its own; and many demos side by side in this process."""

import asyncio
import os
import re
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from firmware_bridge.cli import parser_of
from firmware_bridge.cli.demo import cancel, deal
from firmware_bridge.cli.demo.options import play
from firmware_bridge.daemon.table import broker_outage
from firmware_bridge.demo.harness import Harness
from firmware_bridge.demo.narration import Narration
from tests.kit.broker import free_port
from tests.kit.patience import HANG_S, comes
from tests.kit.process import ran

SHOE = ("-m", "firmware_bridge", "demo")
LIMIT_S = 360.0

Played = Callable[[str], str]

AT_ONCE = 6


def environment(folder: Path, **more: str) -> dict[str, str]:
    return os.environ | {"TMPDIR": str(folder), "RUNTIME_DIRECTORY": str(folder)} | more


def demo(folder: Path, *words: str, code: int = 0, env: dict[str, str] | None = None) -> str:
    """What a demo of seed 3 prints, without the times; it must leave nothing behind."""
    folder.mkdir(exist_ok=True)
    done = ran(*SHOE, "--seed", "3", "--speed", "200", *words, seconds=LIMIT_S, env=env or environment(folder))
    assert done.returncode == code, done.stdout + done.stderr
    assert list(folder.iterdir()) == []
    return _without_times(done.stdout + done.stderr)


def side_by_side(folder: Path, plays: Sequence[str], at_once: int) -> Played:
    """What a demo with some of these words prints, without the times; raises its error. They run on one loop."""

    async def one(words: str, n: int) -> str:
        async with turns:
            playing = asyncio.ensure_future(_played(folder / str(n), words))
            try:
                await comes(playing.done, HANG_S)
            finally:
                await cancel(playing)
            return playing.result()

    async def all_of_them() -> list[str | BaseException]:
        return await asyncio.gather(*[one(words, n) for n, words in enumerate(plays)], return_exceptions=True)

    def played(words: str) -> str:
        if isinstance(text := texts[words], BaseException):
            raise text
        return text

    turns = asyncio.Semaphore(at_once)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(broker_outage, "LOST_AFTER_S", 3.0)  # as at a table: it is one of their faults
        texts = dict(zip(plays, asyncio.run(all_of_them()), strict=True))
    return played


@pytest.fixture(scope="module")
def played_before() -> dict[str, Played]:
    """Function of this file -> its demos, once they were played."""
    return {}


@pytest.fixture
def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, played_before: dict[str, Played]
) -> Played:
    """`played(words)`: what a demo prints. The first case of a function plays the `words` of all its cases in this
    run, side by side, for a dealer's time is mostly looking."""
    function = request.node.originalname
    if function not in played_before:
        cases = [
            each for each in request.session.items if each.path == request.path and isinstance(each, pytest.Function)
        ]
        plays = [str(each.callspec.params["words"]) for each in cases if each.originalname == function]
        played_before[function] = side_by_side(tmp_path_factory.mktemp("demos"), plays, AT_ONCE)
    return played_before[function]


async def _played(folder: Path, words: str) -> str:
    folder.mkdir()
    # The kernel may give a port to another demo while this one's broker is away.
    given = ["demo", "--seed", "3", "--speed", "200", "--port", str(free_port()), *words.split()]
    out = StringIO()
    story = Narration(out)
    stage = Harness(play(parser_of(["demo"]).parse_args(given)), folder, story.handle, story.write_line)
    story.begin(stage)
    try:
        await stage.open()
        await deal(stage, asyncio.Event(), None)
        with redirect_stdout(out):
            story.end(stage)
    finally:
        await stage.close()
    return _without_times(out.getvalue())


def _without_times(said: str) -> str:
    return re.sub(r"^ *\d+\.\d\d  ", "", said, flags=re.MULTILINE)
