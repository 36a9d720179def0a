"""Scenarios and tables as git has them: trees, revisions, the version before."""
