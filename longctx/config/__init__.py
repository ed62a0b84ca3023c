"""The data a run is made from, read from fixtures/ and checked: profiles, model profiles, prompt sets."""
