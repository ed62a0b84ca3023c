"""The seeded generator of a fictional country's official register, in GPO markup, and of questions about it."""
