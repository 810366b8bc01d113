"""The commands of docs/floor.md for PostgreSQL, run as they stand there on a server of the tests."""

import shlex
from pathlib import Path
from typing import Final

from tests.floor_whole.cluster import Cluster

DOC: Final = (Path(__file__).parents[2] / "docs/floor.md").read_text("utf-8")
AS_POSTGRES: Final = "sudo -u postgres "


def documented(section: str) -> list[str]:
    """The commands of a section that are run as the server's administrator, or make its tables."""
    told = DOC.split(f"\n## {section}\n")[1].split("\n## ")[0]
    lines = [line.strip() for line in told.splitlines() if line.startswith("    ")]
    return [line for line in lines if line.startswith((AS_POSTGRES, "shoe-floor --config"))]


def as_postgres(cluster: Cluster, line: str) -> None:
    """Run a command of the administrator, without the question for a password."""
    program, *words = shlex.split(line.removeprefix(AS_POSTGRES))
    words = [word.replace("/mnt/backup", str(cluster.directory)) for word in words if word != "--pwprompt"]
    cluster.run(program, "-h", str(cluster.directory), "-p", str(cluster.port), "-U", "postgres", *words)
