"""What a family reports of a run: its account, and the views, tables and charts that this returns."""
