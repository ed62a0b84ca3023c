"""The verdict on a change: bands, evidence, validity, and the planning of a gate."""
