"""The fields of a message in words, from its schema."""

from __future__ import annotations

from typing import Any, Final

Json = dict[str, Any]

HEADS: Final = ("v", "table", "shoe", "journal", "seq", "as_of", "at", "boot", "head", "n", "of")
"""What the heads of messages have: told once, in a chapter of its own."""

_PLAIN: Final = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "object": "object",
    "array": "list",
}


def fields(schema: Json, without: tuple[str, ...] = ()) -> list[str]:
    """The fields of an object as a list in Markdown; those that may be missing are said to be."""
    required = schema.get("required", ())
    return [
        f"- **{name}**{'' if name in required else ', may be missing'}: {in_words(each)}"
        for name, each in schema.get("properties", {}).items()
        if name not in without
    ]


def in_words(schema: Json) -> str:
    """What a value may be."""
    if ref := schema.get("$ref"):
        name = str(ref).rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    if "const" in schema:
        return f'always "{schema["const"]}"'
    if "enum" in schema:
        return " or ".join(f'"{each}"' for each in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(in_words, schema["anyOf"])))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(_PLAIN[each] for each in kind)
    if kind == "array":
        return _list(schema)
    if kind == "object" and (inside := schema.get("properties")):
        return f"object with {', '.join(f'{name} ({in_words(each)})' for name, each in inside.items())}"
    if kind == "object" and isinstance(more := schema.get("additionalProperties"), dict):
        return f"object, each value {in_words(more)}" if more else "object"
    return f"{_PLAIN.get(str(kind), 'anything')}{_limits(schema)}"


def _list(schema: Json) -> str:
    items = schema.get("items")
    if isinstance(items, list):
        return f"[{', '.join(map(in_words, items))}]"
    return f"list of {in_words(items)}" if items else "list"


def _limits(schema: Json) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None and high < 2**53:
        return f" from {low} to {high}"
    if low is not None and low > -(2**53):
        return f" from {low} on"
    return f" of at most {schema['maxLength']} characters" if "maxLength" in schema else ""
