"""Statistics of rates and of paired trials, as pure functions of numbers."""
