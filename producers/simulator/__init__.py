"""Dealers written from the regulations, with faults to plant."""
