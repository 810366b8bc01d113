"""A daemon at its table on a thread of its own: the browser's driver has the loop of this one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.kit.daemon_table import DaemonTable


class Elsewhere:
    """A daemon that deals baccarat, from making to `close`. sections: as those of `DaemonTable`."""

    def __init__(self, folder: Path, port: int, **sections: Any) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._table = self._do(lambda: DaemonTable(folder, port, **sections).start())

    def deal(self, text: str) -> None:
        """Draw these cards and let the daemon journal them all."""
        self._do(lambda: self._table.deal(text))

    def order(self, do: str, by: str, **fields: Any) -> None:
        """Give an order that is obeyed."""
        answer = self._do(lambda: self._table.ask(do=do, by=by, **fields))
        assert answer["ok"], answer

    def close(self) -> None:
        """Put everything away."""
        self._do(self._table.close)
        self._thread.shutdown()

    def _do(self, what: Callable[[], Any]) -> Any:
        return self._thread.submit(what).result()
