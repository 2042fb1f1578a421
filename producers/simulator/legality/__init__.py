"""What the regulations say of a stream of events: a second opinion, apart from dealer and judge."""
