"""`make run` a second time, with the network refused: nothing is fetched, the floor is there."""

import subprocess
from pathlib import Path

import pytest

from deploy.local.ports import answers
from tests.floor_process import ANY_PORTS, FloorProcess
from tests.kafka_fixtures import Broker
from tests.loopback_only import loopback_only
from tests.require import absent, require

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]


def first_setup() -> None:
    asked = subprocess.run([require("make"), "--question", "setup"], cwd=ROOT, check=False)
    if asked.returncode != 0:
        absent("setup", "not all is installed yet, which make setup or make test does")


def test_a_second_run_needs_no_network(kafka: Broker) -> None:
    assert kafka.running  # so all jars are in the cache
    first_setup()
    arguments = " ".join([*ANY_PORTS, "--partitions", "4", "--speed", "60"])
    floor = FloorProcess([*loopback_only(), "make", "run", f"RUN_ARGS={arguments}"], ROOT)
    try:
        floor.line(r"\d\d:\d\d:\d\d +\w\w-\d\d +\d+ +\w+ +\w+ ")
        kafka_port, data = floor.kafka, floor.data
        processes = floor.processes()
        floor.interrupt()
        assert [process for process in processes if process.is_running()] == []
        assert not answers(kafka_port)
        assert not data.exists()
        # The name of the data's folder is made at random, and may have these three letters.
        assert "pip install" not in "".join(floor.stdout)
    finally:
        floor.close()


def test_a_second_setup_needs_no_network() -> None:
    first_setup()
    made = FloorProcess([*loopback_only(), "make", "setup"], ROOT)
    assert made.wait() == 0, made.stdout + made.stderr
    said = "".join(made.stdout)
    assert "Nothing to be done for 'setup'." in said
    assert "pip" not in said
