"""The signed record: tree, notes, proofs, and the one file that verifies them."""
