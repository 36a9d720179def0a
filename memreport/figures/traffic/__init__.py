"""Figures of bytes between accelerators, hosts and disks."""
