"""The asking pass within pytest, before any test runs."""
