"""Asking by Message Batches, at their discount."""
