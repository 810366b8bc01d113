"""Draws the stale pictures in docs/, or those named; with `--check`, names the stale ones and ends with 1."""

import sys

from scripts.tools.pictures import PICTURES, draw, is_stale


def main(words: list[str]) -> int | str:
    """Return the exit code, or a message for an exit code of 1."""
    is_check = words[:1] == ["--check"]
    names = [word.removeprefix("docs/") for word in words[is_check:]]
    if unknown := [name for name in names if name not in PICTURES]:
        print(f"no picture of docs/: {', '.join(unknown)}; they are {', '.join(PICTURES)}", file=sys.stderr)
        return 2
    if is_check:
        stale = [name for name in names or PICTURES if is_stale(name)]
        return f"stale in docs/: {', '.join(stale)}; run scripts/pictures" if stale else 0
    for name in names or filter(is_stale, PICTURES):
        draw(name)
        print(f"docs/{name}")
    return 0


sys.exit(main(sys.argv[1:]))
