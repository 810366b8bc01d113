"""Gives an order to the running daemon, and prints its answer in the language of the table."""

import argparse
import json
from typing import Any

from firmware_bridge.cli.daemon_socket import ask, at_the_table, checked, config_option, socket_path
from firmware_bridge.cli.watch.language import language, language_option
from firmware_bridge.config.plain import say, warn
from firmware_bridge.config.streams import print_json
from firmware_bridge.facts.printable import harmless
from firmware_bridge.topics.texts import Language, known, text
from firmware_bridge.topics.texts.phrases import in_words, joined


def order_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of every order."""
    parser.add_argument("--by", required=True, metavar="NAME", help="your name, kept on record")
    config_option(parser)
    parser.add_argument("--json", action="store_true", help="the answer as one JSON object, for programs")
    language_option(parser)


def give(arguments: argparse.Namespace, name: str, fields: dict[str, Any]) -> int:
    """Gives the order `name` and prints the answer; 0 if obeyed, 1 if refused. Raises NoDaemon, NotSent."""
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
    reason = answer["error"].removeprefix(f"{request['do']} refused: ")
    refused = text(lang, "order.refused", order=name, why=refusal(lang, reason))
    warn(joined(lang, refused, at_the_table(advice(lang, hint))))
    return 1


def refusal(lang: Language, reason: str) -> str:
    """The reason of a refusal in a language: a code, or the shoe's English."""
    return reason if lang == "en" else known(lang, f"refused.{reason}") or in_words(lang, reason)


def advice(lang: Language, hint: str) -> str:
    """What to do after a refusal, in a language; it may be what the policy says of an open alarm."""
    from firmware_bridge.shoe.policy import POLICIES  # imported here: most orders are not refused

    for policy, rows in POLICIES.items() if lang != "en" else ():
        for id, row in rows.items():
            if row.todo == hint and (found := known(lang, f"todo.{id}_{policy}") or known(lang, f"todo.{id}")):
                return found
    return in_words(lang, hint)
