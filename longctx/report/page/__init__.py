"""The page of a run, index.html: its report for people in one file that needs no network."""
