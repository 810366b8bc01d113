"""`shoe-floor witness` as a process of its own, of a log that nobody writes; an address asks it once a second."""

from __future__ import annotations

import socket
import subprocess
from contextlib import suppress
from pathlib import Path

from firmware_bridge.floor.witness.keys import load as load_key
from firmware_bridge.record.verify import ED25519, key_of
from tests.kit.broker import free_port
from tests.kit.patience import until
from tests.kit.process import python, ran


class Witnessing:
    """Runs from the begin to `kill`."""

    def __init__(self, folder: Path) -> None:
        self.port, key, config = free_port(), folder / "w.key", folder / "witness.toml"
        ran("-m", "firmware_bridge.floor", "witness", "key", "new", "--file", key)
        log = key_of("casino.example/T07", ED25519, load_key("casino.example/T07", key).key.public)
        section = f'[witness]\nrate = 1\nname = "w.example/1"\nlisten = "127.0.0.1:{self.port}"\nkey_file = "{key}"\n'
        config.write_text(f'{section}path = "{folder / "w.db"}"\n[[log]]\nvkey = "{log.vkey}"\n')
        self._log = folder / "witness.log"
        with self._log.open("wb") as stderr:
            command = ("-m", "firmware_bridge.floor", "witness", "--config", config)
            self._process: subprocess.Popen[bytes] = python(*command, stderr=stderr)
        self.pid = self._process.pid
        until(self._listens)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    @property
    def log(self) -> str:
        """What it has logged so far."""
        return self._log.read_text(errors="replace")

    def _listens(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            return True
        return False
