"""A fleet: a thousand real tables at a real broker, without readers and pins, with faults while they deal."""
