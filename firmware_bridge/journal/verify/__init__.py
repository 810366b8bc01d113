"""Proves a journal from its files alone: lines, chain, commitments, and the rounds judged again."""
