"""Rulebooks as data: every code with its clause, severity and response."""
