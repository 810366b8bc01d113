"""What is kept of a table's messages: rows, how far each journal is whole, pseudonyms."""
