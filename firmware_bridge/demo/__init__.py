"""Simulated tables: the demo with dealer, broker and backend, deal scripts, and rounds played in memory."""
