"""One folder a game: its script as data and its checks, one for a clause."""
