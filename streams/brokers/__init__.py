"""How every process speaks to Kafka: in the clear, or by TLS with a user and a password."""
