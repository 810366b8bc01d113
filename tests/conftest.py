"""What holds for all tests."""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from tests import fast
from tests.kit import wire

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

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


# ---------------------------------------------------------------- the fast tier


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="only tests that start no process and sleep through nothing")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """True for a file that `--fast` leaves out."""
    return (config.option.fast and fast.is_slow(collection_path)) or None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = {path: n for n, path in enumerate(fast.in_turn([*dict.fromkeys(item.path for item in items)]))}
    items.sort(key=lambda item: order[item.path])


def pytest_collection_finish(session: pytest.Session) -> None:
    """What `--fast` has collected starts no process, or fails."""
    if session.config.option.fast and hasattr(session.config, "workerinput"):
        fast.forbid_processes()


# ---------------------------------------------------------------- every kind of message is sent by some test


def pytest_configure(config: pytest.Config) -> None:
    """Processes that run tests share a directory of the kinds of messages that they received."""
    if not hasattr(config, "workerinput"):
        os.environ[wire.SEEN] = tempfile.mkdtemp(prefix="kinds-")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A run of all tests fails where a kind of message was not received; a run of some of them proves nothing."""
    if hasattr(session.config, "workerinput"):
        return
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
