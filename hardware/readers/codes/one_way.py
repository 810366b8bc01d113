"""The part of a decoder that readers without an ear share: nothing is ever written to them."""

from abc import ABC, abstractmethod

from hardware.readers.messages import Hello, ReportNo


class OneWay(ABC):
    """The answers of a decoder whose reader takes no bytes; see `hardware.readers.Decoder`."""

    def acknowledge(self, report: ReportNo) -> bytes:
        """Nothing: such a reader takes no bytes."""
        return b""

    def resume(self, report: ReportNo | None) -> bytes:
        """Nothing to write; a message begun before the port closed is dropped."""
        self.forget()
        return b""

    def greet(self, hello: Hello) -> bytes:
        """Nothing: such a reader takes no bytes."""
        return b""

    @abstractmethod
    def forget(self) -> None:
        """Drop a message that has only begun."""
