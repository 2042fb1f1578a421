"""A device that is killed again and again, and a gateway too: on the topic all of it, in order."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from producers.client import Client, Settings
from tests.gateway_harness import published, running_gateway, until
from tests.kafka_fixtures import Broker, CreateFloor

pytestmark = pytest.mark.kafka

KILLS = 6
DEVICE = """
import sys
from pathlib import Path
from producers.client import Client, Settings
url, folder = sys.argv[1:]
client = Client(Settings(gateway=url, table="CS-01", source="shoe", folder=Path(folder),
                         least_pause=0.02, most_pause=0.1))
boot = client.status().boot
while True:
    recorded = client.record("no_more_bets")
    assert recorded.dropped is None
    print(boot, recorded.seq, flush=True)
"""


@contextmanager
def device(folder: Path, url: str) -> Iterator[Iterator[tuple[int, int]]]:
    """Run a device that records without end and tells each identity, and kill it."""
    command = [sys.executable, "-c", DEVICE, url, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield ((int(boot), int(seq)) for boot, seq in map(str.split, process.stdout))
        finally:
            process.kill()


def test_kills_of_device_and_gateway_lose_nothing_and_keep_the_order(
    kafka: Broker, create_floor: CreateFloor, prefix: str, tmp_path: Path
) -> None:
    topic = create_floor(partitions=1).topic("deals.v1")
    recorded: list[tuple[int, int]] = []
    with ExitStack() as running:
        for kill in range(KILLS):
            gateway = running.enter_context(
                running_gateway(tmp_path / "gateway", kafka.bootstrap, prefix)
            )
            with device(tmp_path / "device", f"http://127.0.0.1:{gateway.port}") as told:
                for identity in told:
                    recorded.append(identity)
                    if identity[1] == 30 and kill % 2:
                        gateway.kill()
                    if identity[1] == 60 + 40 * kill:
                        break
            if kill % 2 == 0:
                gateway.kill()
        gateway = running.enter_context(
            running_gateway(tmp_path / "gateway", kafka.bootstrap, prefix)
        )
        settings = Settings(
            gateway=f"http://127.0.0.1:{gateway.port}",
            table="CS-01",
            source="shoe",
            folder=tmp_path / "device",
            least_pause=0.02,
        )
        with Client(settings) as client:
            assert client.flush(60)
            assert client.status().drops == {}
        until("all to be published", gateway.drained)
        events = [record.event for record in published(kafka.bootstrap, topic)]
    came = [(event.boot, event.seq) for event in events]
    first = list(dict.fromkeys(came))
    assert first == sorted(first)
    assert set(recorded) <= set(first)
    for boot in dict.fromkeys(boot for boot, _ in first):
        seqs = [seq for each, seq in first if each == boot]
        assert seqs == list(range(1, len(seqs) + 1))
    # What came twice came among the last 64, so that a worker knows it.
    places = {identity: place for place, identity in reversed(list(enumerate(first)))}
    seen = 0
    for identity in came:
        assert places[identity] > seen - 64
        seen = max(seen, places[identity])
