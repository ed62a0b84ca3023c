"""The words of the house: scenario, trial, reply, outcome, family. Pure: no pytest, no network, no clock."""
