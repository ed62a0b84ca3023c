"""The basic types: point, trial, answer, outcome, declaration. They use no pytest, no network and no clock."""
