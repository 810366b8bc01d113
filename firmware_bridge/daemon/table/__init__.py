"""The running table: the way of an input, and those who ask the table or give it orders."""
