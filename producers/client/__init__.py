"""A device's side of the event contract, for vendors: the standard library alone, one import.

    from producers.client import Client, Settings

Copy this folder as ``producers/client`` into a device's software, or build one of the same
behaviour: its README says what that is.
"""

from producers.client.client import Client, Status
from producers.client.settings import Settings

__all__ = ["Client", "Settings", "Status"]
