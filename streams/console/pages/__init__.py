"""The pages, one module each: ``routes(console)`` returns what it serves."""
