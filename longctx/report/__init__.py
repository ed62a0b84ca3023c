"""Pictures of what measure says: terminal tables, summary.md, summary.json. Computes nothing."""
