"""The event contract: records, Avro and JSON line codecs. Knows no game and no Kafka."""
