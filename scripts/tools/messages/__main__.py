"""Write docs/messages.md and docs/asyncapi.json: `python -m scripts.tools.messages`."""

from pathlib import Path

from scripts.tools.messages.document import document, encoded
from scripts.tools.messages.page import page

DOCS = Path(__file__).parents[3] / "docs"

if __name__ == "__main__":
    (DOCS / "messages.md").write_text(page(), "utf-8")
    (DOCS / "asyncapi.json").write_bytes(encoded(document()))
