"""The end of a run: what it leaves, its verdict, and what is said of it."""
