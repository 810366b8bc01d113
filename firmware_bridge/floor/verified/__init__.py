"""Verifies the records of tables as they come and in the store, keeps incidents, and feeds witnesses."""
