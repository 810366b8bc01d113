"""The witnesses of `floor.toml`, and how many of them must cosign: a C2SP tlog-policy."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.decoding import Undecodable, text_in
from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.verified.witnesses import Fed
from firmware_bridge.record.verify import Policy, Refused, parse_policy, parse_vkey


def fed(config: FloorConfig) -> list[Fed]:
    """Return the witnesses that are asked, in the order of the configuration."""
    return [Fed(parse_vkey(each.vkey), each.url) for each in config.witness]


def policy(config: FloorConfig) -> Policy:
    """Return the policy in the file of `[record] policy`, or that of all witnesses. Raises ConfigError.

    Its logs are not used: the keys of tables are those that were enrolled.
    """
    if config.record.policy is None:
        return parse_policy(default_text(config))
    path = Path(config.record.policy)
    try:
        found = parse_policy(text_in(path))
    except OSError as error:
        raise ConfigError(f"[record] policy {path}: {error.strerror}", "check the path and its owner") from None
    except (Refused, Undecodable) as error:
        raise ConfigError(f"[record] policy {path}: {error}", "see c2sp.org/tlog-policy") from None
    asked = [each.key for each in fed(config)]
    if not found.is_met(asked):
        missing = ", ".join(sorted(name for name, key in found.witnesses.items() if key not in asked))
        what = f"[record] policy {path}: its quorum can never be met: no [[witness]] for {missing}"
        raise ConfigError(what, "add a [[witness]] with vkey and url for each")
    return found


def default_text(config: FloorConfig) -> str:
    """Return the policy without a file: more than half of the witnesses, 2 of 3; all where there are one or two."""
    names = [f"w{number}" for number in range(1, len(config.witness) + 1)]
    lines = [f"witness {name} {row.vkey} {row.url}" for name, row in zip(names, config.witness, strict=True)]
    match names:
        case []:
            return "quorum none\n"
        case [only]:
            return "\n".join([*lines, f"quorum {only}", ""])
    least = len(names) // 2 + 1
    group = {2: "two", 3: "three"}.get(least, "most")
    return "\n".join([*lines, f"group {group} {least} {' '.join(names)}", f"quorum {group}", ""])


def page_of_keys(config: FloorConfig, vkeys: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a tlog-policy with these logs and the house's witnesses and quorum. Raises ConfigError."""
    policy(config)
    yield from (f"log {each}" for each in vkeys)
    text = text_in(Path(config.record.policy)) if config.record.policy else default_text(config)
    yield from (line for line in text.splitlines() if not line.lstrip().startswith("log "))
