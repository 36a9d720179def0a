"""Figures of the model itself: parameters, adapters, what a rank of a parallel job holds."""
