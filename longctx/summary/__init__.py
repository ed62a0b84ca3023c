"""The summary of a run, computed from its rows: rates, headlines, costs."""
