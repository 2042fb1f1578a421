"""The `pitwatch` command."""
