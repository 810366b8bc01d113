"""The calibration as a command reads and keeps it: in its file, or by the daemon where that is the daemon's alone."""

import os
from pathlib import Path
from typing import Any

import msgspec

from firmware_bridge.cli.daemon_socket import NotRunning, ask, daemons_alone, socket_path
from firmware_bridge.config import calibration
from firmware_bridge.config.calibration import AnySection, Calibration
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.printable import harmless
from firmware_bridge.topics.texts.refusals import words_of


class CalibrationStorage:
    """The calibration file of a config's table; `by`: the name under which it is changed.

    Where this process may not write beside the journal, as for a technician who is not root, the daemon does it. Every
    method raises OSError, ConfigError, and NoDaemon where the daemon may not be asked. is_ours: without the daemon.
    """

    def __init__(self, config: Path, path: Path, by: str = "") -> None:
        self._config, self._path, self._by = config, path, by
        self.is_ours = not path.parent.is_dir() or os.access(path.parent, os.R_OK | os.W_OK | os.X_OK)

    def read(self) -> tuple[Calibration, str]:
        """Return the calibration; and the text that a damaged file was set aside, or ""."""
        if self.is_ours:
            return calibration.found(self._path)
        answer = self._ask({"do": "calibration"})
        try:
            return msgspec.convert(answer.get("calibration"), Calibration), str(answer.get("moved", ""))
        except ValueError as error:
            raise ConfigError(f"the daemon gave no calibration ({error})", "restart it after an update") from None

    def keep(self, step: str, section: AnySection | None) -> str:
        """Keep a new section of a step, or (None) the one from before; return the text of `read`."""
        if self.is_ours:
            return calibration.keep(self._path, step, section)
        request = {"do": "keep_calibration", "by": self._by, "step": step, "section": msgspec.to_builtins(section)}
        return str(self._ask(request).get("moved", ""))

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = harmless(ask(socket_path(self._config), request))
        except NotRunning:
            raise ConfigError(*daemons_alone(self._path)) from None
        if not answer.get("ok"):
            raise ConfigError(*words_of("en", answer))
        return answer
