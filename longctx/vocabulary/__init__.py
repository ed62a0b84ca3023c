"""The basic types: scenario, trial, reply, outcome, family. They use no pytest, no network and no clock."""
