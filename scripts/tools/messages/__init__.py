"""The documents of all messages: `python -m scripts.tools.messages` writes docs/messages.md and docs/asyncapi.json."""
