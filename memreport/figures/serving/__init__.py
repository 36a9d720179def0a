"""Figures of serving memory: weights, key-value cache, peak, the fleet."""
