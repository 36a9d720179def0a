"""What changed between two versions of a scenario, in words."""
