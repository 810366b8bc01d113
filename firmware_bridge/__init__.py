"""The shoe bridge: cards from the shoe become rounds at the backend."""

__version__ = "0.1.0"
