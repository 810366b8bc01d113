"""What ends a code in a stream of text."""

import re

from hardware.errors import ReaderError


def tail_pattern(line_end: str) -> re.Pattern[bytes]:
    """Finds the tails; of CR LF any part will do, so that a lost byte of it does not join two codes."""
    if not line_end:
        raise ReaderError('reader.line_end is empty: give what ends a line, usually "\\n" or "\\r\\n"')
    if set(line_end) <= {"\r", "\n"}:
        return re.compile(rb"[\r\n]+")
    return re.compile(re.escape(line_end.encode("latin-1")))
