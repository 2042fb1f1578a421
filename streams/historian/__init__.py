"""Keeps rounds, findings, alarms and acts in a database, and takes them out again."""
