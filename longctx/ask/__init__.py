"""Turns trials into replies: live through the SDK onto the tape, or replayed from it. Knows nothing of pytest."""
