import io
import json
import logging
from collections.abc import Iterator

import pytest

from streams.shell.logs import QUIET, log_json


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.root
    handlers, level = root.handlers[:], root.level
    levels = {name: logging.getLogger(name).level for name in QUIET}
    written = io.StringIO()
    log_json(written)
    yield written
    root.handlers[:] = handlers
    root.setLevel(level)
    for name, was in levels.items():
        logging.getLogger(name).setLevel(was)


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
