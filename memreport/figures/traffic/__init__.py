"""Figures of bytes between GPUs, hosts and disks."""
