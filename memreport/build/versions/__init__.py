"""Two states of scenarios side by side: what a path or a revision holds, files that are compared, a version before."""
