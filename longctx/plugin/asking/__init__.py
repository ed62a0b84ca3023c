"""The asking pass, which pytest makes before any test runs."""
