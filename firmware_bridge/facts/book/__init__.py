"""The book of facts: a row for each thing that many rooms speak of; their tables, texts and forms are read off it."""
