"""docs/irregularities.md has the policies as the shoe has them."""

import re

from firmware_bridge.facts.house import Row
from firmware_bridge.shoe.policy import KEEP_ORDER, POLICIES
from firmware_bridge.topics.texts.alarms import todo
from tests.docs.pages import DOCS


def test_irregularities_are_explained_as_the_policies_have_them() -> None:
    text = (DOCS / "irregularities.md").read_text("utf-8")
    parts = re.split(r"^## `([\w-]+)`$", text, flags=re.M)[1:]
    documented = {name: part.partition("\n## ")[0] for name, part in zip(parts[::2], parts[1::2], strict=True)}
    assert list(documented) == list(POLICIES)
    for name, policy in POLICIES.items():
        rows = {key: row for key, row in policy.items() if name == "keep-order" or row != KEEP_ORDER[key]}
        rows_of_it = [explained(name, key, row) for key, row in rows.items()]
        assert re.findall(r"^\| .*\|$", documented[name], re.M)[1:] == rows_of_it


def explained(policy: str, name: str, row: Row) -> str:
    """The line of an irregularity in the docs."""
    blocked = ("yes" if row.blocks else "no") + (", confirm" if row.confirm else "")
    choices = ", ".join(f"`{choice}`" for choice in row.choices) or "-"
    return f"| `{name}` | {todo('en', name, policy)} | {blocked} | {choices} |"
