"""A simulated reader for each protocol."""

from pkgutil import resolve_name
from typing import ClassVar, Final, Protocol

from hardware.readers import READERS
from hardware.sim.board import NativeBoard
from hardware.sim.pty import Board, Papers


class CodeBoard(Board, Protocol):
    """A board whose `pull` takes a text.

    papers: what its cards carry. misreads: whether it can be given a card that it cannot read.
    """

    papers: ClassVar[Papers]
    misreads: ClassVar[bool]

    def pull(self, code: str) -> None:
        """A card with `code` passes; ValueError for what no card of this reader carries."""


BOARDS: Final[dict[str, type[NativeBoard] | type[CodeBoard]]] = {
    name: resolve_name(protocol.board) for name, protocol in READERS.items()
}
