"""The sheets on cost: the bill, the bill for cost tools, buying against renting."""
