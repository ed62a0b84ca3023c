"""What happened over time: the kept runs of a project in the order of their dates."""
