"""The record of a table: lines, files, the cursor of what was acknowledged, retention."""
