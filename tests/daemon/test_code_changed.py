"""A daemon of an installed wheel puts on record that other software was installed, and which files were changed."""

import base64
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable

broker, brokers = real.broker, real.brokers  # fixtures
backend = listening.backend  # fixture

CLONE = Path(__file__).parents[2]
PACKAGES = ("firmware_bridge", "hardware")


def install(site: Path) -> None:
    """Writes RECORD for the files of this software in `site`, as a wheel's installer does."""
    info = site / "firmware_bridge-0.1.0.dist-info"
    info.mkdir(exist_ok=True)
    files = [each for name in PACKAGES for each in (site / name).rglob("*") if each.is_file()]
    digests = {
        str(each.relative_to(site)): base64.urlsafe_b64encode(sha256(each.read_bytes()).digest()).decode().rstrip("=")
        for each in files
        if "__pycache__" not in each.parts
    }
    (info / "RECORD").write_text("".join(f"{path},sha256={digest},1\n" for path, digest in digests.items()))


def test_other_software_and_a_changed_file_are_on_record(backend: Any, broker: Broker, tmp_path: Path) -> None:
    site = tmp_path / "site"
    for name in PACKAGES:
        shutil.copytree(CLONE / name, site / name, ignore=shutil.ignore_patterns("__pycache__"))
    install(site)
    table = DaemonTable(tmp_path, broker.port)
    table.code = ("-P", "-m", "firmware_bridge")  # else the clone's own files come first

    def heard(kind: str) -> list[Any]:
        return [each["event"] for each in backend.on("event") if each["event"]["type"] == kind]

    def run_until(kind: str, times: int) -> None:
        """Ends before any file is changed: a daemon reads its files after it has begun."""
        table.start(PYTHONPATH=str(site))
        backend.wait_until(lambda: len(heard(kind)) == times)
        table.stop()

    file = site / "hardware" / "__init__.py"
    try:
        run_until("BridgeStarted", 1)
        run_until("BridgeStarted", 2)
        assert not heard("SoftwareChanged")
        file.write_text(file.read_text() + "# another release\n")
        install(site)
        run_until("SoftwareChanged", 1)
        file.write_text("# by hand\n" + file.read_text())
        run_until("CodeFound", 1)
    finally:
        table.close()
    first, _, third, _ = (each["code"]["software"] for each in heard("BridgeStarted"))
    (changed,) = heard("SoftwareChanged")
    assert (changed["old"]["software"], changed["new"]["software"]) == (first, third)
    assert [each["changed"] for each in heard("CodeFound")] == [["hardware/__init__.py"]]
