"""The verdict on a change: its bands, evidence and validity, and the planning of a gate."""
