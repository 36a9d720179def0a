"""Words of other programs for fields and choices of a job, and how a scenario in them is read."""
