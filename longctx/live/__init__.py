"""Asks what the tape lacks, through the SDK. Knows nothing of pytest."""
