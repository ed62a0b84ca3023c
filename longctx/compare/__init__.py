"""Runs side by side on the same trials."""
