"""A whole floor on one machine: embedded Kafka and the supervisor."""
