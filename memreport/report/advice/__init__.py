"""The advice on a scenario, in words."""
