"""The record of a run on disk: its rows, one for each trial, its manifest, and baselines."""
