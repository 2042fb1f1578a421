"""The five worst faults of `make faults`, in runs that are small enough for every day.

Whatever is done to workers and broker, states, findings and rounds are those of a floor where
nothing failed, byte for byte; no offset was committed ahead of an acknowledged state; no lag is
left.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.kafka import LocalKafka
from tests.faults.proxy import Proxy
from tests.faults.run import SMALL, broker, run
from tests.faults.table import FAULTS, Fault

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.timeout(400)]

WORST = [fault for fault in FAULTS if fault.worst]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalKafka, Proxy]]:
    """A broker of these tests' own, for they kill and freeze it, with its proxy."""
    with broker(tmp_path_factory.mktemp("faults")) as both:
        yield both


@pytest.mark.parametrize("fault", WORST, ids=lambda fault: fault.name.replace(" ", "-"))
def test_a_floor_under_a_fault_comes_to_what_it_would_without(
    fault: Fault, place: tuple[LocalKafka, Proxy], tmp_path: Path
) -> None:
    outcome = run(fault, SMALL, *place, tmp_path / f"floor-{WORST.index(fault)}")

    assert outcome.problems == ()
    assert outcome.events == SMALL.events
