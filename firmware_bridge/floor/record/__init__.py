"""The record of a table's messages: rows, how far each journal is complete, pseudonyms."""
