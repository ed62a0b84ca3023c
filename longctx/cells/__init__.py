"""What is asked: the cells of a run, and their trials."""
