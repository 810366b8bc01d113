"""What makes the package, as far as that shows without making one; the package itself: scripts/test-package."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


def package(*options: str) -> tuple[int, str]:
    command = [str(PROJECT / "scripts/package"), *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--pictures"], "unknown option --pictures"),
        (["arm64"], "unknown option arm64"),
        (["--out"], "--out needs a directory"),
        (["--arch", "--out"], "--arch needs arm64 or amd64"),
    ],
    ids=str,
)
def test_what_it_does_not_know_is_refused_in_one_line(options: list[str], says: str) -> None:
    assert package(*options) == (2, f"package: {says}; scripts/package --help lists the options\n")


def test_another_machine_is_refused() -> None:
    code, said = package("--arch", "armhf")
    assert code == 1
    assert "--arch armhf: known are arm64 and amd64" in said


@pytest.mark.parametrize("name", ["preinst", "postinst", "prerm", "postrm"])
def test_what_dpkg_calls_is_a_script_that_stops_at_the_first_error(name: str) -> None:
    script = PROJECT / "scripts/debian" / name
    assert subprocess.run(["/bin/sh", "-n", script], check=False).returncode == 0
    assert "\nset -e" in script.read_text()


@pytest.mark.parametrize(("signed", "env", "code"), [("", {}, 1), ("", {"SHOE_UNSIGNED": "yes"}, 0), ("yes", {}, 0)])
def test_a_package_that_nobody_signed_is_refused_before_dpkg_unpacks_it(
    signed: str, env: dict[str, str], code: int, tmp_path: Path
) -> None:
    text = (PROJECT / "scripts/debian/preinst").read_text()
    (tmp_path / "preinst").write_text(text.replace("\nsigned=\n", f"\nsigned={signed}\n"))
    given = {"DPKG_MAINTSCRIPT_PACKAGE": "firmware-bridge", "DPKG_ROOT": "/nowhere", "PATH": "/usr/bin:/bin"} | env
    done = subprocess.run(
        ["/bin/sh", tmp_path / "preinst", "install"], check=False, capture_output=True, text=True, env=given
    )
    assert (done.returncode, "This package is not signed" in done.stderr) == (code, code == 1)
