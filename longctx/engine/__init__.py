"""A run, from a profile to a verdict: plan, ask, measure, finish. The plugin, the commands and notebooks call it."""
