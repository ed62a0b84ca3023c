"""What several commands share: how they present themselves, write files, start pytest and ask."""
