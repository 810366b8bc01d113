"""Manual pages and shell completion, made from the parser of the command line and the types of the config."""

import argparse
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from firmware_bridge import __version__
from firmware_bridge.cli import COMMANDS, help, parser_of
from firmware_bridge.config.reference import ABOUT, Key, keys

FILES = {
    "/etc/firmware-bridge/bridge.toml": "the configuration of the table, bridge.toml(5)",
    "/var/lib/firmware-bridge": "the journal, a file per shoe or day, and the calibration",
    "/etc/credstore/firmware-bridge.mqtt-password": "the broker's password, mode 0600",
    "/opt/firmware-bridge/share/doc/firmware-bridge": "the documents that shoe help shows",
}

_BASH: Final = """\
# bash completion for shoe: made by `shoe help --completion bash`
_shoe() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} path=shoe words='' word
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$path $word" in
            {paths}) path="$path $word" ;;
        esac
    done
    case "$path $prev" in
{values}
        *)
            case $path in
{words}
            esac
            ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}}
complete -o default -F _shoe shoe
"""


def shoe() -> str:
    """Manual page of the command, in roff."""
    top = parser_of(COMMANDS)
    lines = [*_head("shoe", "1", top.description or ""), ".SH SYNOPSIS", ".B shoe", ".I COMMAND", "[options]"]
    lines += [".SH COMMANDS", *_commands("shoe", top)]
    lines += [".SH EXIT STATUS", "0 fine, 1 a check failed or an order was refused, 2 wrong usage, 78 wrong config."]
    lines += [".SH FILES"]
    for path, text in FILES.items():
        lines += [".TP", f".I {_plain(path)}", _plain(text)]
    return "\n".join([*lines, ".SH SEE ALSO", "bridge.toml(5), shoe help 3am", ""])


def bridge_toml() -> str:
    """Manual page of the config, in roff."""
    lines = [
        *_head("bridge.toml", "5", "the configuration of one table"),
        ".SH DESCRIPTION",
        _plain(ABOUT.replace("`", "")),
    ]
    for title, rows in groupby(keys(), lambda key: key.title):
        lines += [f".SH {_plain(title)}"]
        for key in rows:
            lines += [".TP", f".B {_plain(key.name)}", *_entry(key)]
    return "\n".join([*lines, ".SH SEE ALSO", "shoe(1), shoe config, shoe check", ""])


def _entry(key: Key) -> Iterator[str]:
    default = f" Default: {key.default}." if key.default else ""
    yield _plain(f"{key.meaning} Allowed: {key.may}.{default}")


def _head(name: str, chapter: str, text: str) -> list[str]:
    return [f'.TH {name.upper()} {chapter} "" "shoe {__version__}"', ".SH NAME", _plain(f"{name} - {text.rstrip('.')}")]


def _commands(path: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    """Each command with its arguments and subcommands."""
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        for name, each in action.choices.items():
            yield from (".SS", _plain(f"{path} {name}"), _plain(f"{each.description or ''}."))
            yield from (line for argument in each._actions for line in _argument(argument))
            yield from _commands(f"{path} {name}", each)


def _argument(action: argparse.Action) -> Iterator[str]:
    if isinstance(action, argparse._SubParsersAction | argparse._HelpAction):
        return
    value = action.metavar or (
        "|".join(map(str, action.choices)) if action.choices else "" if action.nargs == 0 else action.dest.upper()
    )
    name = " ".join((", ".join(action.option_strings), str(value))).strip()
    yield from (".TP", f".B {_plain(name)}", _plain(action.help or ""))


def _plain(text: str) -> str:
    """Text escaped for roff: no backslash, hyphen or first dot is a command."""
    if not text:
        return "\\&"
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("%%", "%")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


def bash() -> str:
    """Script for bash-completion; where it has no word, bash completes file names."""
    all_parsers = dict(_parsers("shoe", parser_of(COMMANDS)))
    paths = "|".join(f"'{path}'" for path in all_parsers if path != "shoe")
    values = [
        f"        '{path} {option}') words='{' '.join(map(str, action.choices))}' ;;"
        for path, each in all_parsers.items()
        for action in each._actions
        if action.choices is not None
        for option in action.option_strings
    ]
    words = [
        f"                '{path}') words='{' '.join(_words(path, each))}' ;;" for path, each in all_parsers.items()
    ]
    return _BASH.format(paths=paths, values="\n".join(values), words="\n".join(words))


def _parsers(path: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """A parser and those of its subcommands, by the words that lead to them."""
    yield path, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, each in action.choices.items():
                yield from _parsers(f"{path} {name}", each)


def _words(path: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    """Words that may follow: choices, options, topics."""
    for action in parser._actions:
        yield from action.option_strings or map(str, action.choices or ())
    if path == "shoe help":
        yield from (*help.topics(), *COMMANDS)
