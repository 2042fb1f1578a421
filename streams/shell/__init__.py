"""The worker: Faust, Kafka, metrics and health around the core."""
