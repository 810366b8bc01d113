"""Tells whether the first line after a port was opened may have lost its head."""


class FirstLine:
    """A line whose first byte came after a quiet time is whole; nothing else shows that in text without a check sum."""

    def __init__(self) -> None:
        self._is_fresh = False
        self._may_be_cut = False

    def begin(self) -> None:
        """The port was opened."""
        self._is_fresh, self._may_be_cut = True, False

    def hear(self, chunk: bytes) -> None:
        """Bytes came; none: the line has been quiet since the port was opened."""
        if self._is_fresh:
            self._is_fresh, self._may_be_cut = False, bool(chunk)

    def cuts(self) -> bool:
        """Whether the line that has ended now may lack its head; the next one does not."""
        may_be_cut, self._may_be_cut = self._may_be_cut, False
        return may_be_cut
