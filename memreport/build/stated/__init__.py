"""Answers on jobs that files and command lines of other programs state."""
