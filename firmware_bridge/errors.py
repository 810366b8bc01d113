"""Errors of the bridge: each message says what is wrong and what to do next."""


class BridgeError(Exception):
    """Base of all errors raised on purpose. `what`: the fault; `hint`: what to do next, or ""."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(f"{what}; {hint}" if hint else what)
        self.what, self.hint = what, hint


class JournalError(BridgeError, ValueError):
    """Journal that cannot be trusted as it is."""


class UsageError(BridgeError, ValueError):
    """Options of a command that contradict each other."""


class ScriptError(BridgeError, ValueError):
    """Deal script with a mistake; the message has the line."""


class ConfigError(BridgeError, ValueError):
    """All mistakes of a configuration, one a line."""


def in_words(error: Exception) -> str:
    """Return the text of an error; of a system's error without its number, with the file that it names."""
    cause = getattr(error, "reason", error)  # of urllib, which wraps the error
    known = cause if isinstance(cause, OSError) else error
    if not isinstance(known, OSError) or not known.strerror:
        return str(known)
    return f"{known.filename}: {known.strerror}" if isinstance(known.filename, str) else known.strerror
