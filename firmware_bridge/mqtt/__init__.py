"""One link to one broker: connecting, publishing what is journaled, and the retained state."""
