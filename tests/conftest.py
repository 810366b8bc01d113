"""What holds for all tests."""

import os
import signal
from collections.abc import Iterator
from typing import Final

import pytest

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
