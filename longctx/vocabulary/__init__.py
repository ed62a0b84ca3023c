"""The basic types: cell, trial, reply, outcome, test. They use no pytest, no network and no clock."""
