"""How the reader is set: the same at the table and on the technician's bench."""

from firmware_bridge.config.sections import ReaderConfig
from firmware_bridge.daemon.devices import code_books
from hardware.readers import ReaderSettings


def settings(config: ReaderConfig, book: code_books.CodeBook, repeats: float) -> ReaderSettings:
    """Return the decoder's settings with this code book. repeats: seconds, as configured or measured."""
    words = code_books.not_read(config.not_read, book)
    return ReaderSettings(config.min_quality, config.pattern, config.line_end, config.hold, repeats, words)
