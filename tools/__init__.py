"""What the project needs and longctx does not: nothing of it is installed."""
