"""Certificates, users and access lists of a floor's Kafka, for its administrator."""
