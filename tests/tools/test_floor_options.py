"""The options of `scripts/floor`: one line for each mistake, also before anything is set up."""

import subprocess
import sys

import pytest

from scripts.tools.floor_demo import asked
from scripts.tools.floor_demo.floor import TABLES
from scripts.tools.floor_demo.trouble import TROUBLES
from tests.kit.rows import each_row


@each_row(
    ("words", "mistake"),
    [
        ("--port 99999", "'99999' is not a port: write 1 to 65535"),
        ("--port x", "'x' is not a port"),
        ("--broker-port -5", "'-5' is not a port"),
        ("--speed -1", "'-1' is not a speed"),
        ("--tables x", "'x' is not a whole number"),
        ("--tables 0", "--tables is 3 to 100"),
        ("--tables 12 --trouble", "--tables is 13 to 100 with --trouble"),
        ("--troubel", "--troubel is unknown; did you mean --trouble?"),
    ],
)
def test_a_mistake_is_one_line(words: str, mistake: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        asked.asked(words.split())
    err = capsys.readouterr().err
    assert (ended.value.code, err.count("\n")) == (2, 1)
    assert mistake in err


def test_what_is_right_is_taken() -> None:
    found = asked.asked(["--port", "0", "--broker-port", "1884", "--speed", "5", "--trouble"])
    assert (found.port, found.broker_port, found.speed, found.tables) == (0, 1884, 5.0, 13)


def test_the_counts_are_those_of_the_floor() -> None:
    assert (len(TABLES), len(TROUBLES)) == (asked.FEWEST, asked.TROUBLED)


def test_no_package_is_needed_to_read_them() -> None:
    words = [sys.executable, "-S", "-m", asked.__name__, "--help"]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert "--broker-port N" in done.stdout
