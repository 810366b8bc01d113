"""The native reader board: frames, packets, and the decoder of its reports."""
