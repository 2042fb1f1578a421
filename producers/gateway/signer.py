"""Signs what the gateway publishes, so that a worker knows whose it is."""

from collections.abc import Callable

from schemas.keys import NamedKey
from schemas.record_signing import Headers, RecordSigner


class Signer:
    """Signs records of a gateway.

    Args:
        gateway: its name.
        key: returns the key to sign with at this moment.
    """

    def __init__(self, gateway: str, key: Callable[[], NamedKey]) -> None:
        self._gateway = gateway
        self._key = key
        self._signers: dict[tuple[str, int, NamedKey], RecordSigner] = {}

    def headers(self, topic: str, partition: int, value: bytes) -> Headers:
        """Return the headers that say whose a record is.

        Args:
            topic: where it is written.
            partition: its partition there.
            value: its value.
        """
        key = self._key()
        where = topic, partition, key
        signer = self._signers.get(where)
        if signer is None:
            # as many as there are partitions, and anew for a new key
            self._signers = {at: kept for at, kept in self._signers.items() if at[2] == key}
            signer = self._signers[where] = RecordSigner(topic, partition, self._gateway, key)
        return signer.headers(value)
