"""index.html: a run's report for people, in one file that needs no network."""
