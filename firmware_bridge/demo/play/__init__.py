"""Given rounds through the real shoe, step by step: what is due after each move, what it caused, and the result.

`python -m firmware_bridge.demo.play GAME [FILE]` (scripts/play) reads a JSON object a line and writes one for each.
"""
