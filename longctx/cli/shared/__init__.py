"""What several commands share: declaring options, writing files, starting pytest, and asking."""
