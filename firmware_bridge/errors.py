"""The errors of the bridge: each message says what is wrong, and what to do next."""


class BridgeError(Exception):
    """Base of all errors raised on purpose. `hint` says what to do next."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(f"{what}; {hint}" if hint else what)
        self.what, self.hint = what, hint


class JournalError(BridgeError, ValueError):
    """A journal that cannot be trusted as it is."""


class DiskError(BridgeError, OSError):
    """The journal cannot be written now; `irregularity` names how the shoe reports it."""

    def __init__(self, what: str, hint: str, irregularity: str) -> None:
        super().__init__(what, hint)
        self.irregularity = irregularity


class ScriptError(BridgeError, ValueError):
    """A deal script that makes no sense, with the line."""


class ConfigError(BridgeError, ValueError):
    """All mistakes of a configuration at once, one a line."""
