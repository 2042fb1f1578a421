"""The event contract: records, Avro and NDJSON codecs, compatibility. Knows no game and no Kafka."""
