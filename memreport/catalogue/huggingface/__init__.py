"""Configurations of Hugging Face as model cards."""
