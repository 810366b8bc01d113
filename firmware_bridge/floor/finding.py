"""What `shoe-floor check` says of one thing."""

from typing import NamedTuple


class Finding(NamedTuple):
    """A thing that was looked at: whether it is fine, what was found, and what to do.

    warns: it may be fine, and what to do is said all the same.
    """

    fine: bool
    what: str
    todo: str = ""
    warns: bool = False

    def __str__(self) -> str:
        """As it is printed."""
        if self.fine and not self.warns:
            return f"fine   {self.what}"
        return f"{'warn ' if self.fine else 'wrong'}  {self.what}; {self.todo}"
