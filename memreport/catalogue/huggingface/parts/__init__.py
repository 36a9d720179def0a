"""Configurations of several parts: towers for images and sound, and what a part leaves to its class."""
