"""How a worker ends itself when going on could lose or repeat something; each asks for a restart.

| status | why |
|---|---|
| 75 | another worker has or may have its partitions |
| 76 | a batch could not be finished: an output or a state was not acknowledged |
| 77 | it had something to judge and did not come forward, or found no Kafka at its start |
| 78 | it could read nothing of any source: its topic, or it itself, is not what it should be |
"""

import logging
import os
import sys
from typing import Final, NoReturn

SEAT_LOST: Final = 75
BATCH_FAILED: Final = 76
STALLED: Final = 77
NOTHING_READ: Final = 78


def end_process(status: int) -> NoReturn:
    """End the process at once: nothing that is still buffered may leave it."""
    for handler in logging.root.handlers:
        handler.flush()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
