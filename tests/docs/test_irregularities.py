"""docs/irregularities.md has the policies as the shoe has them."""

import re

from firmware_bridge.facts.house import Row
from firmware_bridge.shoe.policy import KEEP_ORDER, POLICIES
from tests.docs.pages import DOCS


def test_irregularities_are_explained_as_the_policies_have_them() -> None:
    text = (DOCS / "irregularities.md").read_text("utf-8")
    parts = re.split(r"^## `([\w-]+)`$", text, flags=re.M)[1:]
    documented = {name: part.partition("\n## ")[0] for name, part in zip(parts[::2], parts[1::2], strict=True)}
    assert list(documented) == list(POLICIES)
    for name, policy in POLICIES.items():
        rows = {key: row for key, row in policy.items() if name == "keep-order" or row != KEEP_ORDER[key]}
        assert re.findall(r"^\| .*\|$", documented[name], re.M)[1:] == [
            explained(key, row) for key, row in rows.items()
        ]


def explained(name: str, row: Row) -> str:
    """The line of an irregularity in the docs."""
    blocked = ("yes" if row.blocks else "no") + (", confirm" if row.confirm else "")
    choices = ", ".join(f"`{choice}`" for choice in row.choices) or "-"
    return f"| `{name}` | {row.todo} | {blocked} | {choices} |"
