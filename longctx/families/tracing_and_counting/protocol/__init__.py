"""What is asked and how it is judged: pure, without pytest, network or clock."""
