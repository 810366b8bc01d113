"""The lines of docs/keys.md that encrypt secrets, run in a directory tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

KEY = Path("/var/lib/systemd/credential.secret")


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("systemd-creds"), reason="root, and systemd 250")
@pytest.mark.parametrize("unit", ["firmware-bridge", "shoe-floor-ingest"])
def test_each_secret_that_is_there_is_encrypted_and_named_in_a_drop_in(unit: str, tmp_path: Path) -> None:
    product = "shoe-floor" if unit.startswith("shoe-floor") else unit
    [lines] = re.findall(r"```sh\n(dropin=.*?)```", (ROOT / "docs/keys.md").read_text("utf-8"), re.S)
    script = f"unit={unit}\n" + lines.replace("/etc/", f"{tmp_path}/etc/")
    (tmp_path / "etc/systemd/system").mkdir(parents=True)
    shutil.copy(ROOT / f"systemd/{unit}.service", tmp_path / "etc/systemd/system")
    (tmp_path / "etc/credstore").mkdir()
    (tmp_path / f"etc/credstore/{product}.mqtt-password").write_text("hunter2")
    had_key = KEY.exists()
    try:
        subprocess.run(["bash", "-euc", script], check=True, capture_output=True)
        dropin = tmp_path / f"etc/systemd/system/{unit}.service.d/encrypted.conf"
        assert dropin.read_text() == f"[Service]\nLoadCredentialEncrypted=mqtt-password:{product}.mqtt-password\n"
        encrypted = tmp_path / f"etc/credstore.encrypted/{product}.mqtt-password"
        assert b"hunter2" not in encrypted.read_bytes()
        command = ["systemd-creds", "decrypt", "--name=mqtt-password", str(encrypted), "-"]
        assert subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout == b"hunter2"
    finally:
        if not had_key:
            KEY.unlink(missing_ok=True)  # made for this
