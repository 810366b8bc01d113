"""A simulated reader for each protocol."""

from pkgutil import resolve_name
from typing import Final

from hardware.readers import READERS
from hardware.sim.board import NativeBoard
from hardware.sim.code_boards import CodeBoard

BOARDS: Final[dict[str, type[NativeBoard] | type[CodeBoard]]] = {
    name: resolve_name(protocol.board) for name, protocol in READERS.items()
}
