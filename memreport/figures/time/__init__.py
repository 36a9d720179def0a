"""Figures of time: rooflines, kernels, throughput."""
