"""The completion of `shoe` in a shell, from the parser of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

from firmware_bridge.cli import COMMANDS, parser_of
from firmware_bridge.cli.help import pages

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


def bash() -> str:
    """A script for bash-completion; where it knows no word, bash completes the names of files."""
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
    """A parser and those of its commands, by the words that lead to them."""
    yield path, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, each in action.choices.items():
                yield from _parsers(f"{path} {name}", each)


def _words(path: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    """What may come next: choices, options, topics."""
    for action in parser._actions:
        yield from action.option_strings or map(str, action.choices or ())
    if path == "shoe help":
        yield from (*pages.topics(), *COMMANDS)
