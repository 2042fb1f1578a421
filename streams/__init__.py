"""From deal events to findings: a pure core, its wire formats, and the shells that run it."""
