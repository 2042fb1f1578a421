"""The device gateway: HTTP in, spool on disk, Kafka out."""
