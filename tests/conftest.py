"""What holds for all tests."""

import gc
import os
import shutil
import signal
import tempfile
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

from tests.kit import costs, nightly, patient_products, wire

# The same examples at each run of a commit; other ones each night.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=not nightly.EVERY
)
settings.load_profile("any machine")

patient_products.wait_long()

# Nothing of what is collected is garbage: to look for it, again and again, is 45 % of the time that it takes.
gc.disable()

# A shell that runs the tests in the background lets them, and all they start, ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

TERMINAL: Final = {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
"""The terminal and the language of every command, whoever starts the tests, and wherever."""

NOT_INHERITED: Final = (
    *("COLUMNS", "LINES", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"),
    *("LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME"),
    *("TTY_COMPATIBLE", "TTY_INTERACTIVE"),  # rich's
)
"""Variables that no command sees unless its test sets them."""


@pytest.fixture(autouse=True, scope="session")
def terminal_of_all_tests() -> Iterator[None]:
    """Tests and the commands they start see the same terminal everywhere; a test that wants another one sets it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in NOT_INHERITED:
            patch.delenv(name, raising=False)
            os.unsetenv(name)  # readline, which pytest loads, sets LINES and COLUMNS past os.environ
        for name, value in TERMINAL.items():
            patch.setenv(name, value)
        yield


# ---------------------------------------------------------------- which tests run, and what they cost


METER: Final = costs.Meter()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="only tests that start no process and take 20 ms at most")
    parser.addoption("--by-day", action="store_true", help="only the cells of a day, also of a test that is named")
    parser.addoption("--slowest", action="store_true", help="print the twenty dearest functions")
    parser.addoption("--write-costs", action="store_true", help="write tests/costs.json anew")


def pytest_collection_finish() -> None:
    """From here on there is garbage, and none of it is what was collected."""
    gc.enable()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Turn away what does not run today; the dearest file runs first."""
    known = costs.read()
    today = _today(config, items, known)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in today])
    items[:] = [item for item in items if item.nodeid in today]
    of_file = defaultdict[Path, float](float)
    for item in items:
        of_file[item.path] += known.get(costs.function_of(item.nodeid), costs.QUICK).cpu
    items.sort(key=lambda item: -of_file[item.path])


def _today(config: pytest.Config, items: list[pytest.Item], known: costs.Costs) -> set[str]:
    """The cases that run: by night, and of what is named, all; by day no story, and what the budget holds."""
    cases = [item.nodeid for item in items]
    is_named = any("::" in word for word in config.args) and not config.option.by_day
    if nightly.EVERY or "story" in config.option.markexpr or is_named:
        return set(cases)
    cases = [item.nodeid for item in items if not item.get_closest_marker("story")]
    if config.option.fast:
        return {case for case in cases if known.get(costs.function_of(case), costs.QUICK).is_quick}
    return costs.of_a_day(cases, known)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    before = METER()
    done = yield
    METER.add(item.nodeid, before)
    return done


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker has ended, and tells what its tests cost."""
    costs.added(METER.spent, getattr(node, "workeroutput", {}).get("spent", {}))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if config.option.slowest:
        terminalreporter.section("the dearest functions")
        for line in costs.slowest(METER.spent):
            terminalreporter.write_line(line)


# ---------------------------------------------------------------- every kind of message is sent by some test


def pytest_configure(config: pytest.Config) -> None:
    """Processes that run tests share a directory of the kinds of messages that they received."""
    if not hasattr(config, "workerinput"):
        os.environ[wire.SEEN] = tempfile.mkdtemp(prefix="kinds-")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A run of all tests fails where a kind of message was not received; a run of some of them proves nothing."""
    if hasattr(session.config, "workerinput"):
        session.config.workeroutput["spent"] = METER.spent  # type: ignore[attr-defined]  # xdist's
        return
    if session.config.option.write_costs:
        is_all = nightly.EVERY and _is_whole(session.config)
        costs.write(costs.renewed(costs.read(), METER.spent, is_all=is_all))
    seen = Path(os.environ.pop(wire.SEEN))
    missing = list(wire.missing(seen)) if _is_whole(session.config) else []
    shutil.rmtree(seen)
    if missing and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    for each in missing:
        print(f"\n{each}", end="")


def _is_whole(config: pytest.Config) -> bool:
    options = config.option
    chosen = (options.fast, options.keyword, options.markexpr, options.collectonly, options.maxfail)
    return config.args_source is not config.ArgsSource.ARGS and not any(chosen)
