"""Gives an order to the running daemon, and prints its answer in the language of the table."""

import argparse
import json
from typing import Any

from firmware_bridge.cli.daemon_socket import ask, at_the_table, checked, config_option, socket_path
from firmware_bridge.cli.watch.language import language, language_option
from firmware_bridge.config.plain import say, warn
from firmware_bridge.config.streams import print_json
from firmware_bridge.facts.printable import harmless
from firmware_bridge.topics.texts import text
from firmware_bridge.topics.texts.phrases import in_words, joined
from firmware_bridge.topics.texts.refusals import words_of


def order_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every order."""
    parser.add_argument("--by", required=True, metavar="NAME", help="your name, kept on record")
    config_option(parser)
    parser.add_argument("--json", action="store_true", help="the answer as one JSON object, for programs")
    language_option(parser)


def give(arguments: argparse.Namespace, name: str, fields: dict[str, Any]) -> int:
    """Give the order `name` and print the answer; return 0 if obeyed, 1 if refused. Raises NoDaemon, NotSent."""
    request = checked({"do": name.replace("-", "_"), "by": arguments.by, **fields})
    lang = language(arguments.lang, arguments.config)
    answer = ask(socket_path(arguments.config), request, lang)
    if arguments.json:
        print_json(json.dumps(answer, ensure_ascii=False))
        return 0 if answer["ok"] else 1
    answer = harmless(answer)  # a daemon that was taken over must not write to this terminal
    hint = answer.get("hint") or ""
    if answer["ok"]:
        say(joined(lang, text(lang, "order.done", order=name), in_words(lang, hint)))
        return 0
    reason, todo = words_of(lang, answer)
    refused = text(lang, "order.refused", order=name, why=reason.removeprefix(f"{request['do']} refused: "))
    warn(joined(lang, refused, at_the_table(todo)))
    return 1
