"""Cards go before live odds, on cores that serve no devices: by the unit, in which no code may change it."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.kit.project_copy import UNIT

LINES = dict(re.findall(r"^(\w+)=(.*)$", UNIT.read_text(), re.M))


def test_the_unit_says_on_which_cores_and_before_whom() -> None:
    assert LINES["CPUAffinity"] == "1-3"
    assert int(LINES["Nice"]) < 0
    assert (LINES["CPUSchedulingPolicy"], LINES["CPUSchedulingResetOnFork"]) == ("other", "yes")
    filters = re.findall(r"^SystemCallFilter=(.*)$", UNIT.read_text(), re.M)
    assert filters == ["@system-service", "~@privileged @resources"]


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("chrt"), reason="root, and util-linux")
def test_what_it_starts_is_not_put_before_others() -> None:
    """The priority of a unit with these lines is not inherited by the process of the odds."""
    code = "import os, subprocess as s; print(os.nice(0), s.run(['nice'], capture_output=True, text=True).stdout)"
    command = [
        "nice",
        "-n",
        str(-10 - os.nice(0)),
        "chrt",
        "--reset-on-fork",
        "--other",
        "0",
        sys.executable,
        "-c",
        code,
    ]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    own, child = map(int, done.stdout.split())
    assert own < 0 <= child
