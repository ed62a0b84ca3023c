"""Asking a model, through the SDK, what the tape has no answer to. Nothing here knows pytest."""
