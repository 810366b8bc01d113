"""What readers have in common that only talk: nothing is ever written to them."""

from hardware.readers.messages import Hello, ReportNo


class Deaf:
    """The answers of a decoder whose reader does not listen; see `hardware.readers.Decoder`."""

    def acknowledge(self, report: ReportNo) -> bytes:
        """Nothing: such a reader does not listen."""
        return b""

    def resume(self, report: ReportNo | None) -> bytes:
        """Nothing to write; what was begun before the port closed is dropped."""
        self.forget()
        return b""

    def greet(self, hello: Hello) -> bytes:
        """Nothing: such a reader does not listen."""
        return b""

    def forget(self) -> None:
        """Drop what was begun."""
        raise NotImplementedError
