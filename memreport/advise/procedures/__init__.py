"""Ways to make a job fit, step by step: a checklist, and a tree of decisions."""
