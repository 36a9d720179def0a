"""The sheets of documented figures: the statements, and each figure in steps."""
