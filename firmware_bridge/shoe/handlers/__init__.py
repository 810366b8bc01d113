"""What an input means: one module per kind of thing that can come to a shoe."""
