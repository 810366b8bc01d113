"""The screen over a table, for guests: what may be seen of it, and nothing else."""
