"""The local endpoint: a server of this process that answers what code under test sends, whatever it is written with."""
