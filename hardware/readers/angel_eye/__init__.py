"""The Angel Eye shoe: its frames, and the decoder of its slots and results."""
