"""The comparison of runs on the same trials."""
