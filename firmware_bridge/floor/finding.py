"""One finding of `shoe-floor check`."""

from typing import NamedTuple


class Finding(NamedTuple):
    """One check: whether it is fine, what was found, and what to do.

    warns: print the remedy although it may be fine.
    """

    fine: bool
    what: str
    todo: str = ""
    warns: bool = False

    def __str__(self) -> str:
        """The line to print."""
        if self.fine and not self.warns:
            return f"fine   {self.what}"
        return f"{'warn ' if self.fine else 'wrong'}  {self.what}; {self.todo}"
