import io
import json
import logging
from collections.abc import Iterator

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from streams.serving.logs import MOST_MESSAGES, QUIET, LogCounts, log_json


@pytest.fixture
def unset() -> Iterator[None]:
    """A process whose log was not set up, whatever other tests set up in it."""
    root = logging.root
    handlers, level = root.handlers[:], root.level
    levels = {name: logging.getLogger(name).level for name in QUIET}
    root.handlers[:] = []
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    for name, was in levels.items():
        logging.getLogger(name).setLevel(was)


@pytest.fixture
def stream(unset: None) -> io.StringIO:
    written = io.StringIO()
    log_json(written)
    return written


def test_a_record_is_one_json_object_with_its_fields(stream: io.StringIO) -> None:
    logging.getLogger("pit").warning("finding", extra={"code": "stub_overdue", "detail": {"a": 1}})
    line = json.loads(stream.getvalue())
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "warning",
        "logger": "pit",
        "message": "finding",
        "code": "stub_overdue",
        "detail": {"a": 1},
    }


def test_an_error_keeps_its_traceback_in_one_line(stream: io.StringIO) -> None:
    try:
        int("broken")
    except ValueError:
        logging.getLogger("pit").exception("failed", extra={"what": object})
    assert stream.getvalue().count("\n") == 1
    assert "ValueError: invalid literal" in json.loads(stream.getvalue())["error"]


def test_noise_of_the_libraries_is_left_out(stream: io.StringIO) -> None:
    logging.getLogger("faust.x").info("chatter")
    logging.getLogger("faust.x").error("%s has not sent fetch request for %s", "It", "tp")
    logging.getLogger("aiokafka").error("connection lost")
    assert [json.loads(line)["message"] for line in stream.getvalue().splitlines()] == [
        "connection lost"
    ]


def test_warnings_and_errors_are_counted_by_their_message(unset: None) -> None:
    counts = log_json(io.StringIO())
    registry = CollectorRegistry()
    registry.register(counts)
    logging.getLogger("streams.shell.x").warning("feed lost", extra={"seconds": 5})
    logging.getLogger("streams.shell.x").warning("feed lost", extra={"seconds": 6})
    logging.getLogger("streams.shell.x").info("feed back")
    logging.getLogger("kafka.net").error("%s is away", "broker 1")
    assert [line for line in generate_latest(registry).decode().splitlines() if line[0] != "#"] == [
        'pitwatch_log_messages_total{level="error",message="kafka"} 1.0',
        'pitwatch_log_messages_total{level="warning",message="feed lost"} 2.0',
    ]


def test_no_more_messages_are_told_apart_than_may_be() -> None:
    counts = LogCounts()
    for number in range(MOST_MESSAGES + 5):
        said = {"name": "deploy.x", "msg": f"m{number}", "levelname": "WARNING"}
        counts.handle(logging.makeLogRecord(said))
    (family,) = counts.collect()
    by_message = {sample.labels["message"]: sample.value for sample in family.samples}
    assert len(by_message) == MOST_MESSAGES + 1
    assert by_message["other"] == 5


def test_set_up_a_second_time_it_goes_on_counting(stream: io.StringIO) -> None:
    logging.getLogger("deploy.cli.registries").warning("registry away, ids taken from disk")
    counts = log_json(stream)
    (family,) = counts.collect()
    said = {sample.labels["message"]: sample.value for sample in family.samples}
    assert said == {"registry away, ids taken from disk": 1.0}


def test_a_field_that_is_no_text_costs_no_line(stream: io.StringIO) -> None:
    name = b"floor-\xff.toml".decode("utf-8", "surrogateescape")
    logging.getLogger("pit").warning("not reloaded", extra={"file": name, "place": {(1, 2): 3}})
    line = json.loads(stream.getvalue())
    assert stream.getvalue().count("\n") == 1
    assert line["message"] == "not reloaded"
    assert line["file"] == name
