"""A fleet: a thousand real tables at a real broker, without readers and pins, and faults while they deal."""
