"""Baccarat: its rules in two dealing procedures, bets, odds and roads."""
