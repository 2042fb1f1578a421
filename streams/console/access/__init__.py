"""Who is there and what they may do: accounts, sessions, roles, and what guards every request."""
