"""What a run measured, from its rows: rates, headlines, and what stands out."""
