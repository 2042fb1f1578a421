"""The device gateway: events in on HTTP, kept on disk, published to Kafka in order."""
