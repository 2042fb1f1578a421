"""Chemin de fer, with the additional cards of 4.9."""
