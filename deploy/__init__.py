"""Where all parts meet; no product logic."""
