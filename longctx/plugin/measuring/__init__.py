"""What a test does with its case, and how its rows reach the process that started the run."""
