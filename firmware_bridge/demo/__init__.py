"""A table without its hardware: a simulated dealer, broker and backend, deal scripts, rounds played in memory."""
