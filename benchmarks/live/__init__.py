"""How fast a live run asks, and what it keeps when servers and machines fail; against simulated servers."""
