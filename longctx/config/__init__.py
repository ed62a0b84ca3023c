"""The files under fixtures/ that people write, read and checked: profiles, model profiles and prompt sets."""
