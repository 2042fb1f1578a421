"""Health and metrics over HTTP, from a thread of its own."""
