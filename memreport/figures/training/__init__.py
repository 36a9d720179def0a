"""Figures of training memory: states, activations, working set, peak."""
