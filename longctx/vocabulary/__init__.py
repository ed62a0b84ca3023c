"""The basic types: cell, trial, answer, outcome, test. They use no pytest, no network and no clock."""
