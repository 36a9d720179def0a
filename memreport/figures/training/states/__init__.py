"""Weights, gradients and optimizer states: on the GPU, and of them what lives on the host."""
