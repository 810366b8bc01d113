"""Manual page and shell completion of a command, made from its parser."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Final

from firmware_bridge import __version__
from firmware_bridge.config.arguments import ENVIRONMENT, MEANINGS

_BASH: Final = """\
# bash completion for {command}: made by `{command} help --completion bash`
_{function}() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} path={command} option='' config='' words='' typed='' word
    local -i place=0
    [[ $cur == = ]] && cur=''
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        [[ $word == = ]] && continue
        if [[ $option ]]; then
            [[ $option == --config ]] && config=$word
            option=''
            continue
        fi
        case "$path ${{word//_/-}}" in
            {paths}) path="$path ${{word//_/-}}" place=0 ;;
            {valued}) option=$word ;;
            *) [[ $word == -* ]] || {{ place+=1; typed=$word; }} ;;
        esac
    done
    local file=${{config:+--config $config}}
    case "$path ${{option:-$place}}" in
{values}
    esac
    if [[ ! $words && ! $option ]]; then
        case $path in
{words}
        esac
    fi
    [[ $path == '{underscored}' && ! $option && $cur == *_* ]] && words=${{words//-/_}}
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}}
complete -o default -F _{function} {command}
"""


def page(command: str, parser: argparse.ArgumentParser, files: Mapping[str, str], see_also: str) -> str:
    """Return the manual page of a command, in roff. files: path -> what it is."""
    lines = [*head(command, "1", parser.description or ""), ".SH SYNOPSIS", f".B {plain(command)}", ".I COMMAND"]
    lines += ["[options]", ".SH COMMANDS", *_commands(command, parser)]
    lines += [".SH EXIT STATUS"]
    for code, meaning in MEANINGS.items():
        lines += [".TP", f".B {code}", plain(meaning)]
    lines += [".SH ENVIRONMENT"]
    for name, text in ENVIRONMENT.items():
        lines += [".TP", f".B {name}", plain(text)]
    lines += [".SH FILES"]
    for path, text in files.items():
        lines += [".TP", f".I {plain(path)}", plain(text)]
    return "\n".join([*lines, ".SH SEE ALSO", see_also, ""])


def head(name: str, chapter: str, text: str) -> list[str]:
    """Return the first lines of a manual page, up to its name and what it is."""
    return [f'.TH {name.upper()} {chapter} "" "shoe {__version__}"', ".SH NAME", plain(f"{name} - {text.rstrip('.')}")]


def _commands(path: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield each command with its arguments and subcommands."""
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        for name, each in action.choices.items():
            yield from (".SS", plain(f"{path} {name}"), plain(f"{each.description or ''}."))
            yield from (line for argument in each._actions for line in _argument(argument))
            yield from _commands(f"{path} {name}", each)


def _argument(action: argparse.Action) -> Iterator[str]:
    if isinstance(action, argparse._SubParsersAction | argparse._HelpAction) or action.help == argparse.SUPPRESS:
        return
    value = action.metavar or (
        "|".join(map(str, action.choices)) if action.choices else "" if action.nargs == 0 else action.dest.upper()
    )
    name = " ".join((", ".join(action.option_strings), str(value))).strip()
    yield from (".TP", f".B {plain(name)}", plain(action.help or ""))


def plain(text: str) -> str:
    """Return the text escaped for roff: no backslash, hyphen or first dot is a command."""
    if not text:
        return "\\&"
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("%%", "%")
    escaped = "".join([each if each.isascii() else f"\\[u{ord(each):04X}]" for each in escaped])
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


def bash(
    command: str,
    parser: argparse.ArgumentParser,
    asked: Mapping[str, str] = {},
    more: Mapping[str, str] = {},
    underscored: str = "",
) -> str:
    """Return the script for bash-completion; where it has no word, bash completes file names.

    asked: words that lead to an option, or to an argument by its number from 0, -> the shell command that writes what
    may follow; `$file` in it is the `--config` that was typed, `$typed` the argument before. more: path -> further
    words. underscored: path with subcommands that are also taken with `_` in place of `-`.
    """
    parsers = dict(_parsers(command, parser))
    paths = [f"'{path}'" for path in parsers if path != command]
    options = [(f"{path} {name}", each) for path, of in parsers.items() for name, each in _with_value(of)]
    values = [f"        '{last}') [[ $cur == -* ]] || words=$({ask}) || words='' ;;" for last, ask in asked.items()]
    values += [
        f"        '{path}') words='{' '.join(map(str, action.choices))}' ;;"
        for path, action in options
        if action.choices is not None
    ]
    words = [
        f"            '{path}') words='{' '.join([*_words(each), *more.get(path, '').split()])}' ;;"
        for path, each in parsers.items()
    ]
    function = command.replace("-", "_")
    return _BASH.format(
        command=command,
        function=function,
        paths="|".join(paths),
        valued="|".join(f"'{path}'" for path, _ in options),
        values="\n".join(values),
        words="\n".join(words),
        underscored=underscored,
    )


def _parsers(path: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield a parser and those of its subcommands, by the words that lead to them."""
    yield path, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, each in action.choices.items():
                yield from _parsers(f"{path} {name}", each)


def _with_value(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.Action]]:
    """Yield the options that take a value."""
    for action in parser._actions:
        if action.nargs in (None, argparse.ONE_OR_MORE):
            yield from ((option, action) for option in action.option_strings)


def _words(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the words that may follow: choices and options."""
    for action in parser._actions:
        if action.help != argparse.SUPPRESS:
            yield from action.option_strings or map(str, action.choices or ())
