"""The documents of all messages: `python -m tests.tools.messages` writes docs/messages.md and docs/asyncapi.json."""
