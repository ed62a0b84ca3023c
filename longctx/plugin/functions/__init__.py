"""Plain test functions in pytest: collected with their cells, run once for each trial, and what their fixtures give."""
