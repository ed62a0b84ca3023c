"""What asking costs: prices, the cap, the estimate, and the prompt cache."""
