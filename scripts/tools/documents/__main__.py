"""Writes what docs/ holds of the code; with `--check`, names what is stale and ends with 1."""

import sys

from scripts.tools.documents import DOCS, DOCUMENTS, stale

if sys.argv[1:] == ["--check"]:
    if old := stale():
        sys.exit(f"stale in docs/: {', '.join(old)}; run scripts/docs --write")
else:
    for name, make in DOCUMENTS.items():
        (DOCS / name).write_bytes(make())
