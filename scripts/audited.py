"""Judges what pip-audit wrote about a lock: only a package that was asked about can be without a known vulnerability.

Exit code 0: all were, and none is known; 1: some are known; 2: could not ask, about one at least.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path


def main() -> int:
    """Print a line for each finding; return the exit code."""
    lock, report = map(Path, sys.argv[1:])
    wanted = set(re.findall(r"^([A-Za-z0-9._-]+)==", lock.read_text("utf-8"), re.M))
    try:
        rows = json.loads(report.read_text("utf-8"))["dependencies"]
    except (ValueError, KeyError, OSError):
        print(f"{lock}: could not ask: pip-audit has no result")
        return 2
    known = [f"{row['name']} {row['version']}: {each['id']}" for row in rows for each in row.get("vulns", [])]
    asked = {_normal(row["name"]) for row in rows if "vulns" in row}
    missing = sorted(name for name in wanted if _normal(name) not in asked)
    for line in known:
        print(f"{lock}: {line}")
    for name in missing:
        print(f"{lock}: could not ask about {name}")
    if not known and not missing:
        print(f"{lock}: {len(asked)} packages, no vulnerability is known")
    return 2 if missing else 1 if known else 0


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
