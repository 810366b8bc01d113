"""The picture of a table in a terminal, for `shoe watch` and the demo."""
