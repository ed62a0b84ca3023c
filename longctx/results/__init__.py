"""The record of a run on disk: append-only rows, one a trial."""
