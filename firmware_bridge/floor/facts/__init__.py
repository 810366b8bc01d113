"""What a house reports from: rounds, stakes, alarms, dealers, shoes and orders, made from the messages."""
