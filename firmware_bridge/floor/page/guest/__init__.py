"""The guest screen over a table: what guests may see, and nothing else."""
