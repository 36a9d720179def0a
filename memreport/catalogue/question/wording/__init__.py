"""Other wordings of a question put into those that are read everywhere else."""
