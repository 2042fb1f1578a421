"""Children are started again when they die, within a bound, and never outlive the supervisor."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import psutil
import pytest

from deploy.local import ports
from deploy.local.ports import answers, free_port, taken
from deploy.local.supervisor import ChildFault, Program, Supervisor, answers_ready, move_aside

DEADLINE_SECONDS = 20.0

SLEEPER = "import time; print('up', flush=True); time.sleep(600)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SLEEPER
FAILING = "import sys; sys.exit('no luck today')"


def until(happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not happened():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def has_said(log: Path, text: str) -> bool:
    return log.exists() and log.read_text() == text


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def supervisor(said: list[str]) -> Iterator[Supervisor]:
    running = Supervisor(said.append, restarts=2, first_pause=0.01)
    yield running
    running.stop()


def program(folder: Path, code: str, name: str = "gateway", port: int | None = None) -> Program:
    return Program(name, (sys.executable, "-c", code), folder / f"{name}.log", port)


def test_a_child_that_dies_is_started_again_and_it_is_said(
    supervisor: Supervisor, said: list[str], tmp_path: Path
) -> None:
    child = program(tmp_path, SLEEPER)
    supervisor.start(child)
    until(lambda: has_said(child.log, "up\n"))
    first = child.pid
    assert first is not None

    os.kill(first, signal.SIGKILL)
    until(lambda: child.status() is not None)
    supervisor.watch()
    assert said == [
        f"gateway ended by signal 9; started again in 0.01 s (1 of 2); see {tmp_path}/gateway.log"
    ]

    def started_again() -> bool:
        supervisor.watch()
        return child.pid != first and child.ready()

    until(started_again)
    until(lambda: has_said(child.log, "up\nup\n"))


def test_a_child_that_dies_too_often_is_given_up_with_the_end_of_its_log(
    supervisor: Supervisor, said: list[str], tmp_path: Path
) -> None:
    supervisor.start(program(tmp_path, FAILING))

    def watch_for_ever() -> bool:
        supervisor.watch()
        return False

    with pytest.raises(ChildFault) as gave_up:
        until(watch_for_ever)

    assert len(said) == 2
    assert "found it ended 3 times in 5 minutes, at last with status 1" in str(gave_up.value)
    assert "no luck today" in str(gave_up.value)
    assert str(tmp_path / "gateway.log") in str(gave_up.value)


def test_a_child_that_does_not_get_ready_is_told(supervisor: Supervisor, tmp_path: Path) -> None:
    child = program(tmp_path, SLEEPER, port=free_port())
    supervisor.start(child)

    with pytest.raises(ChildFault, match="expected the gateway ready within 0 s, found it is not"):
        supervisor.wait_ready(child, 0.3)


def test_ready_is_what_the_child_says(supervisor: Supervisor, tmp_path: Path) -> None:
    port = free_port()
    server = textwrap.dedent(
        f"""
        from http.server import BaseHTTPRequestHandler, HTTPServer
        class Ready(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200 if self.path == "/readyz" else 404)
                self.end_headers()
        HTTPServer(("127.0.0.1", {port}), Ready).serve_forever()
        """
    )
    child = program(tmp_path, server, port=port)
    assert not child.ready()
    supervisor.start(child)

    supervisor.wait_ready(child, DEADLINE_SECONDS)

    assert child.ready()


def test_a_server_that_says_it_is_not_ready_is_not() -> None:
    class Unready(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(503)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Unready) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        assert not answers_ready(server.server_address[1])
        thread.join()
    assert not answers_ready(server.server_address[1])


def test_stop_ends_the_last_started_first_and_the_stubborn_too(tmp_path: Path) -> None:
    supervisor = Supervisor(print)
    order: list[str] = []
    others = set(psutil.Process().children())  # the session's broker, where other tests need it

    class Noting(Program):
        def stop(self, seconds: float) -> None:
            super().stop(min(seconds, 0.5))
            order.append(self.name)

    for name, code in (("kafka", SLEEPER), ("worker", STUBBORN), ("gateway", SLEEPER)):
        child = Noting(name, (sys.executable, "-c", code), tmp_path / f"{name}.log")
        supervisor.start(child)
        until(partial(has_said, child.log, "up\n"))
    processes = set(psutil.Process().children()) - others
    assert len(processes) == 3

    supervisor.stop()

    assert order == ["gateway", "worker", "kafka"]
    assert not any(process.is_running() for process in processes)
    supervisor.stop()


def test_children_die_with_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    parent = textwrap.dedent(
        f"""
        import signal, sys
        from pathlib import Path
        from deploy.local.supervisor import Program, Supervisor
        child = Program("c", (sys.executable, "-c", {STUBBORN!r}), Path({str(tmp_path)!r}) / "log")
        Supervisor(print).start(child)
        print(child.pid, flush=True)
        signal.pause()
        """
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as killed:
        assert killed.stdout is not None
        child = psutil.Process(int(killed.stdout.readline()))
        until(lambda: has_said(tmp_path / "log", "up\n"))
        killed.kill()

    assert psutil.wait_procs([child], timeout=DEADLINE_SECONDS)[0] == [child]


def test_a_child_whose_parent_is_gone_already_does_not_start() -> None:
    leash = Path(sys.modules["deploy.local.leash"].__file__ or "")
    result = subprocess.run(
        [sys.executable, "-I", "-S", leash, "1", sys.executable, "-c", "print('started')"],
        capture_output=True,
        check=False,
        text=True,
    )
    assert result.returncode == 1
    assert result.stdout == ""
    assert "the parent died before its child started" in result.stderr


def test_a_log_is_bounded_while_the_child_goes_on_writing(tmp_path: Path) -> None:
    log = tmp_path / "gateway.log"
    with log.open("ab") as output:
        output.write(b"x" * 100)
        output.flush()
        move_aside(log, 101)
        assert log.stat().st_size == 100

        move_aside(log, 100)
        output.write(b"more")

    assert log.read_bytes() == b"more"
    assert (tmp_path / "gateway.log.1").read_bytes() == b"x" * 100
    move_aside(tmp_path / "absent.log", 1)


def test_free_ports_are_free_and_taken_ones_taken() -> None:
    port = free_port()
    assert not taken(port)
    assert not answers(port)
    with HTTPServer(("127.0.0.1", port), BaseHTTPRequestHandler):
        assert taken(port)
        assert answers(port)
    with pytest.raises(OSError, match="assign requested address"):
        taken(port, "203.0.113.1")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep a chosen port")
def test_a_chosen_port_is_given_to_nobody_else_and_its_server_may_come_and_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    port = free_port()
    monkeypatch.setattr(ports, "RANGE", range(port, port + 1))
    for _ in range(2):
        with pytest.raises(RuntimeError, match=rf"free port of {port} to {port} on .*, found none"):
            free_port()
        with HTTPServer(("127.0.0.1", port), BaseHTTPRequestHandler):
            assert answers(port)


def test_no_more_ports_are_kept_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "_kept", deque())
    monkeypatch.setattr(ports, "MOST_KEPT", 1)
    first = free_port()
    free_port()
    monkeypatch.setattr(ports, "RANGE", range(first, first + 1))
    assert free_port() == first
