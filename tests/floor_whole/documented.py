"""The commands of docs/floor.md for PostgreSQL, run as they stand there on a server of the tests."""

import re
import shlex
from pathlib import Path
from typing import Final

from tests.floor_whole.cluster import Cluster

DOC: Final = (Path(__file__).parents[2] / "docs/floor.md").read_text("utf-8")
AS_POSTGRES: Final = "sudo -u postgres "


def documented(section: str) -> list[str]:
    """The commands of a section that are run as the server's administrator, or make its tables."""
    lines = [line.strip() for line in section_of(section).splitlines() if line.startswith("    ")]
    return [line for line in lines if line.startswith((AS_POSTGRES, "shoe-floor --config"))]


def section_of(title: str) -> str:
    """The text under a title, to the next one of any level."""
    return re.split(r"^##+ ", DOC.split(f"# {title}\n")[1], maxsplit=1, flags=re.M)[0]


def block_of(section: str, language: str) -> str:
    """A file that a section shows."""
    return section.split(f"```{language}\n")[1].split("```")[0]


def script_of(section: str, first: str) -> str:
    """A list of commands of a section as a script: the one that begins with these words."""
    found = [each for each in re.findall(r"(?:^ {4}.*\n)+", section, re.M) if each.startswith(f"    {first}")]
    assert len(found) == 1, (first, found)
    return re.sub(r"^ {4}", "", found[0], flags=re.M)


def as_postgres(cluster: Cluster, line: str) -> None:
    """Run a command of the administrator, without the question for a password."""
    program, *words = shlex.split(line.removeprefix(AS_POSTGRES))
    words = [word.replace("/mnt/backup", str(cluster.directory)) for word in words if word != "--pwprompt"]
    cluster.run(program, "-h", str(cluster.directory), "-p", str(cluster.port), "-U", "postgres", *words)
