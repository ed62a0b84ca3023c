"""The cells of a run, and their trials."""
