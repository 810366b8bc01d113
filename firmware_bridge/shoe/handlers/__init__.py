"""Handlers of inputs: one module per kind of input."""
