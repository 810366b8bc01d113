"""Readers that send codes and hear nothing: text lines, scan engines, RFID."""
