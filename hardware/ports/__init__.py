"""Serial ports: opening them exclusively, reading and writing on the loop."""
