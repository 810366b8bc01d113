"""Readers that give codes and no more: text lines, scan engines, RFID."""
