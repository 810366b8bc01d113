"""The dialogue with a technician: a line per step, a live bar, a question now and then."""

from __future__ import annotations

import json
import select
import sys
from typing import Any, Final

from hardware.calibrate.figures import Refusal

BAR: Final = 30
"""Characters of the live bar."""


class Guide:
    """Speaks to a terminal with a live bar, to a pipe in plain lines, or (as_json) in JSON lines.

    yes: nobody is there to answer; every question is answered with yes.
    """

    def __init__(self, step: str, as_json: bool, yes: bool) -> None:
        self._step, self._json, self._yes = step, as_json, yes
        self._live = sys.stdout.isatty() and not as_json
        self._bar = False
        self._told = -1

    @property
    def unattended(self) -> bool:
        """Whether nobody answers questions."""
        return self._yes

    def say(self, text: str) -> None:
        """Say to the technician what to do, or what was found."""
        if self._json:
            self.tell({"say": text})
        else:
            self._end_bar()
            print(text, flush=True)

    def tell(self, fields: dict[str, Any]) -> None:
        """A JSON line, for programs."""
        print(json.dumps({"step": self._step, **fields}, ensure_ascii=False), flush=True)

    def bar(self, part: float, count: int, of: int, text: str, name: str = "done") -> None:
        """Show what `name` says: live on a terminal, else when the count changes."""
        if self._live:
            full = round(BAR * max(0.0, min(1.0, part)))
            print(f"\r\x1b[K  {name} {'█' * full}{'░' * (BAR - full)} {count}/{of} {text}", end="", flush=True)
            self._bar = True
        elif count != self._told and self._json:
            self.tell({"count": count, "of": of, "text": text})
        elif count != self._told:
            print(f"  {count}/{of} {text}", flush=True)
        self._told = count

    def ask(self, question: str, choices: str = "yn") -> str:
        """The letter answered, the first one of `choices` where nobody is there. Raises Refusal at the input's end."""
        if self._yes:
            return choices[0]
        self._end_bar()
        while True:
            print(f"{question} [{'/'.join(choices)}] ", end="", flush=True)
            line = sys.stdin.readline()
            if not line:
                raise Refusal("nobody answers", "run it on a terminal, or with --yes")
            if (letter := line.strip().lower()[:1] or choices[0]) in choices:
                return letter

    def typed(self) -> str:
        """The letter that was typed meanwhile, followed by Enter; nothing else waits for it."""
        if self._yes or not select.select([sys.stdin], [], [], 0)[0]:
            return ""
        return sys.stdin.readline().strip().lower()[:1]

    def _end_bar(self) -> None:
        if self._bar:
            print()
        self._bar = False
