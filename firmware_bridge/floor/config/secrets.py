"""Where the secrets that `floor.toml` names lie."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from msgspec.structs import fields

from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.config.sections import FloorConfig, MqttSection, NatsSection, PageSection, StoreSection

CREDENTIALS: Final = "/run/credentials/shoe-floor-ingest.service"


def secret(name: str) -> Path:
    """The file of a secret: of a name without a path, a credential of the unit that runs, or else of the ingest's."""
    return Path(os.environ.get("CREDENTIALS_DIRECTORY", CREDENTIALS), name)


def password(config: MqttSection | NatsSection | StoreSection | PageSection) -> bytes | None:
    """The password in its file, None where none is set. Raises ConfigError."""
    if config.password_file is None:
        return None
    try:
        return secret(config.password_file).read_bytes().rstrip(b"\r\n")
    except OSError as error:
        section = next(field.encode_name for field in fields(FloorConfig) if field.type is type(config))
        what = f"[{section}] password_file {config.password_file}: {error.strerror}"
        raise ConfigError(what, "check the path and its owner") from None
