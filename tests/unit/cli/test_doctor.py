"""`pitwatch doctor` says what is the case on this machine, how bad it is and what to do."""

import hashlib
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from deploy.cli import checkups
from deploy.cli.checkups import FAIL, OK, TIME_ERROR, WARN, Checkup
from deploy.cli.doctor import show
from deploy.cli.kafka_checkups import MUCH_LAG, brokers, group_checkup
from deploy.cli.main import main
from deploy.local.lock import Jar, Lock, write_lock
from deploy.local.ports import free_port
from schemas.catalog import BY_NAME, SUBJECTS

NOW = 1_800_000_000


def doctor(*arguments: str) -> Result:
    ports = ["--gateway-port", str(free_port()), "--worker-port", str(free_port())]
    return CliRunner().invoke(main, ["doctor", "--no-kafka", *ports, *arguments])


def test_a_machine_in_order_is_told_so_line_by_line(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    result = doctor("--format", "json", "--data", str(own))
    assert result.exit_code == 0, result.output
    rows = {row["check"]: row for row in map(json.loads, result.stdout.splitlines())}
    assert list(rows) == [
        *("python", "libraries", "java", "jars", "gateway port", "worker port", "folder", "space"),
        *("disk", "open files", "clock", "schemas", "rulebook", "database"),
    ]
    assert {"python", "libraries", "java", "folder", "schemas", "rulebook"} <= {
        name for name, row in rows.items() if row["verdict"] == OK and row["todo"] is None
    }


def test_what_fails_is_the_exit_status(tmp_path: Path) -> None:
    book = tmp_path / "book.toml"
    book.write_text("[rules]", encoding="utf-8")
    result = doctor("--rulebook", str(book), "--bootstrap", "kafka-1.example:9092")
    assert result.exit_code == 1
    assert "1 fail" in result.stdout
    assert "java" not in result.stdout, "another machine's Kafka needs no Java here"
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("rulebook")]
    assert "fail" in line
    assert "no worker starts so" in line


def test_python_and_what_is_pinned_together() -> None:
    assert checkups.python((3, 11, 0)).verdict == OK
    old = checkups.python((3, 10, 14))
    assert (old.verdict, old.found.split(",")[0]) == (FAIL, "3.10.14")
    assert checkups.libraries(checkups.pinned()).verdict == OK
    wrong = checkups.libraries({"click": "0.1", "no-such-thing": "1.0"})
    assert wrong.verdict == FAIL
    assert "instead of 0.1, no-such-thing none instead of 1.0" in wrong.found


def test_java_must_run(tmp_path: Path) -> None:
    assert checkups.java(tmp_path / "java").verdict == FAIL
    script = tmp_path / "broken"
    script.write_text("#!/bin/sh\necho no heap >&2\nexit 3\n", encoding="utf-8")
    script.chmod(0o700)
    broken = checkups.java(script)
    assert (broken.verdict, broken.found) == (FAIL, "status 3: no heap")


def test_jars_are_compared_with_the_lock(tmp_path: Path) -> None:
    folder = tmp_path / "jars"
    folder.mkdir()
    jar = Jar("org.example", "one", "1.0", 3, hashlib.sha256(b"jar").hexdigest())
    lock = tmp_path / "kafka.lock.toml"
    assert checkups.jars(lock, folder).verdict == FAIL
    lock.write_text(write_lock(Lock(("org.example:one:1.0",), (jar,))), encoding="utf-8")
    absent = checkups.jars(lock, folder)
    assert (absent.verdict, absent.found) == (WARN, f"1 of 1 are not in {folder}")
    (folder / jar.file_name).write_bytes(b"jar")
    assert checkups.jars(lock, folder).verdict == OK
    (folder / jar.file_name).write_bytes(b"war")
    changed = checkups.jars(lock, folder)
    assert changed.verdict == FAIL
    assert "it is not run" in changed.found


@contextmanager
def serving(status: int) -> Iterator[int]:
    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Server) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def test_a_port_is_free_or_its_servers_own() -> None:
    assert checkups.port("gateway", free_port()).verdict == OK
    with serving(200) as port:
        assert checkups.port("gateway", port).found == f"a server on {port} says that it is ready"
    with serving(503) as port:
        unready = checkups.port("worker", port)
        assert unready.verdict == WARN
        assert f"ask http://127.0.0.1:{port}/readyz why" in unready.todo
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        taken = checkups.port("worker", silent.getsockname()[1])
        assert (taken.verdict, taken.todo) == (FAIL, "see who has it: `ss -ltnp`")


def test_a_folder_can_be_written_and_only_its_owner_looks_into_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    folder, space, disk = checkups.folder(tmp_path, own=True)
    assert (folder.verdict, folder.todo[-len(str(tmp_path)) :]) == (WARN, str(tmp_path))
    assert "chmod 700" in folder.todo
    assert next(checkups.folder(tmp_path, own=False)).verdict == OK
    assert space.name == "space"
    assert disk.found.startswith("a write with its sync takes ")
    tmp_path.chmod(0o700)
    assert next(checkups.folder(tmp_path, own=True)).verdict == OK
    assert "can be made" in next(checkups.folder(tmp_path / "a" / "b", own=True)).found
    assert not (tmp_path / "a").exists()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_told() -> None:
    (folder,) = checkups.folder(Path("/proc/self"), own=True)
    assert folder.verdict == FAIL
    assert "--data" in folder.todo


@pytest.mark.parametrize(("mebibytes", "verdict"), [(4096, OK), (1024, WARN), (100, FAIL)])
def test_room_on_the_disk(tmp_path: Path, mebibytes: int, verdict: str) -> None:
    assert checkups.space(tmp_path, mebibytes * 1024 * 1024).verdict == verdict


@pytest.mark.parametrize(("most", "verdict"), [(-1, OK), (1024, OK), (256, WARN)])
def test_open_files(most: int, verdict: str) -> None:
    assert checkups.files(most).verdict == verdict


@pytest.mark.parametrize(
    ("now", "state", "verdict"),
    [(NOW, 0, OK), (NOW, TIME_ERROR, WARN), (NOW, -1, OK), (1_000_000_000, 0, FAIL)],
)
def test_a_clock_is_kept_and_not_of_the_past(now: int, state: int, verdict: str) -> None:
    assert checkups.clock(now, state).verdict == verdict
    assert checkups.kernel_clock() in range(-1, 6)


def test_schemas_that_were_changed_are_told() -> None:
    assert checkups.schemas(SUBJECTS).found == "7 releases of 6 records"
    first = BY_NAME["finding"].newest
    edited = replace(BY_NAME["finding"], releases=(replace(first, sha256="0" * 64),))
    broken = checkups.schemas((edited,))
    assert (broken.verdict, broken.todo) == (FAIL, "restore the package: releases never change")
    assert "finding v1 was changed: expected SHA-256 0000" in broken.found


def test_a_cluster_has_brokers_enough_and_workers_for_what_waits() -> None:
    assert brokers("kafka:9092", 3, single=False).verdict == OK
    assert brokers("kafka:9092", 1, single=True).verdict == OK
    assert brokers("kafka:9092", 1, single=False).verdict == FAIL
    assert group_checkup(2, 10).verdict == OK
    assert group_checkup(2, MUCH_LAG + 1).verdict == WARN
    assert group_checkup(0, 0).verdict == WARN
    assert group_checkup(0, 5) == Checkup(
        "workers",
        FAIL,
        "0 in the group, 5 deals not judged yet",
        "start `pitwatch worker`: nothing is judged",
    )


def test_what_is_found_is_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    show([Checkup("kafka", WARN, "[bold]found[/bold]", "[do]")], "text")
    assert "[bold]found[/bold]   [do]" in capsys.readouterr().out
