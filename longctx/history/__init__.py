"""The history of a project: its kept runs in the order of their dates."""
