"""The cost of asking: prices, the cap, the estimate, and the prompt cache."""
