"""The protocols: building and judging trials, without pytest, network or clock."""
