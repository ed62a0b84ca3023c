"""Plain test functions: what a function marked `longctx` asks, draws, checks and reads, one run for each trial."""
