"""`pitwatch doctor --registry` says what a registry lacks, and what to do about it."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner

from deploy.cli.main import main
from deploy.local.ports import free_port
from schemas.catalog import SUBJECTS, Release
from schemas.registry import NO_PROMISE, NO_SCHEMA, NO_SUBJECT, subject_name
from schemas.registry_ids import IdCache

FINDINGS = "p.findings.v1-value"
RELEASES = [release for subject in SUBJECTS for release in subject.releases]
MODES = {subject_name("p.", subject): subject.mode.value for subject in SUBJECTS}


class Answers(HTTPServer):
    """A registry that has what it is told to have.

    Attributes:
        subjects: the ids of each subject's versions, by schema.
        modes: what each subject is held to.
        fits: whether what is not registered is compatible.
        status: of every answer, where it is no success.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.subjects: dict[str, dict[str, int]] = {
            subject_name("p.", subject): {
                release.text.decode(): RELEASES.index(release) + 1 for release in subject.releases
            }
            for subject in SUBJECTS
        }
        self.modes = dict(MODES)
        self.fits = True
        self.status = 200

    def said(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, object]:
        """Return the status and the body of an answer."""
        kind, *names = path.removeprefix("/").split("/")
        name = next((each for each in names if each.startswith("p.")), "")
        versions = self.subjects.get(name, {})
        if self.status != 200:
            return self.status, {"error_code": self.status, "message": "no"}
        if kind == "compatibility":
            return 200, {"is_compatible": self.fits}
        if kind == "config":
            mode = self.modes.get(name)
            return (200, {"compatibilityLevel": mode}) if mode else missing(NO_PROMISE)
        if not name:
            return 200, list(self.subjects)
        if not versions:
            return missing(NO_SUBJECT)
        if method == "GET":
            return 200, list(range(1, len(versions) + 1))
        number = versions.get(body["schema"])
        return missing(NO_SCHEMA) if number is None else (200, {"id": number})


def missing(code: int) -> tuple[int, object]:
    return 404, {"error_code": code, "message": "not found"}


class _Handler(BaseHTTPRequestHandler):
    server: Answers

    def do_GET(self) -> None:
        self.answer({})

    def do_POST(self) -> None:
        self.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def answer(self, body: dict[str, Any]) -> None:
        status, said = self.server.said(self.command, self.path, body)
        text = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Answers]:
    monkeypatch.setenv("PITWATCH_CACHE", str(tmp_path / "cache"))
    with Answers() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def looked_at(port: int) -> tuple[int, dict[str, tuple[str, str, str]]]:
    """Return the exit status, and of each check: the verdict, what is found, what to do."""
    ports = ["--gateway-port", str(free_port()), "--worker-port", str(free_port())]
    url = f"http://user:hidden@127.0.0.1:{port}"
    command = ["doctor", "--no-kafka", "--format", "json", "--topic-prefix", "p.", *ports]
    result = CliRunner().invoke(main, [*command, "--registry", url])
    assert "hidden" not in result.output
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    names = {"registry", "subjects", "compatibility", "registry ids"}
    return result.exit_code, {
        row["check"]: (row["verdict"], row["found"], row["todo"] or "")
        for row in rows
        if row["check"] in names
    }


def kept(answers: Answers, ids: dict[Release, int]) -> Path:
    """Keep ids on disk as a process does; return the file."""
    from deploy.cli.registries import FOLDER  # noqa: PLC0415  after the cache is named
    from deploy.local.caches import cache_folder  # noqa: PLC0415  as above

    cache = IdCache(cache_folder() / FOLDER, f"http://127.0.0.1:{answers.server_port}", "p.")
    cache.write(ids)
    return cache.path


def test_one_in_order_is_told_so(answers: Answers) -> None:
    status, said = looked_at(answers.server_port)
    assert status == 0
    assert {verdict for verdict, _, _ in said.values()} == {"ok"}
    assert said["registry"][1] == f"http://127.0.0.1:{answers.server_port} answers, 6 subjects"
    assert "6 with every release" in said["subjects"][1]
    assert "none kept" in said["registry ids"][1]
    kept(answers, {release: number for number, release in enumerate(RELEASES, 1)})
    _, said = looked_at(answers.server_port)
    assert f"{len(RELEASES)} of {len(RELEASES)} kept" in said["registry ids"][1]


def test_one_that_is_away_fails_and_says_who_starts_all_the_same() -> None:
    status, said = looked_at(free_port())
    assert status == 1
    verdict, found, todo = said["registry"]
    assert verdict == "fail"
    assert "expected a registry, found" in found
    assert "start it, or see --registry" in todo


def test_one_that_refuses_is_told_from_one_that_is_away(answers: Answers) -> None:
    answers.status = 401
    status, said = looked_at(answers.server_port)
    assert status == 1
    assert "found 401: no" in said["registry"][1]
    assert "who may ask it" in said["registry"][2]


@pytest.mark.parametrize("whole", [True, False], ids=["subject", "release"])
def test_what_is_not_registered_fails(answers: Answers, whole: bool) -> None:
    views = "p.tables.v1-value"
    if whole:
        del answers.subjects[views], answers.modes[views]
    else:
        answers.subjects[views].popitem()
    status, said = looked_at(answers.server_port)
    assert status == 1
    verdict, found, todo = said["subjects"]
    assert (verdict, todo) == ("fail", "run `pitwatch schemas register`")
    assert found.startswith(f"{views}: ")
    assert found.endswith("table_view v2 is not registered")
    assert "compatibility" not in said


def test_another_programs_records_under_the_name_fail(answers: Answers) -> None:
    answers.subjects[FINDINGS] = {"something else": 99}
    answers.fits = False
    status, said = looked_at(answers.server_port)
    assert status == 1
    assert said["subjects"][1] == f"{FINDINGS}: finding v1 breaks what its 1 versions promise"
    assert "another --topic-prefix" in said["subjects"][2]


def test_versions_that_this_program_does_not_know_are_a_warning(answers: Answers) -> None:
    answers.subjects[FINDINGS]["of a newer program"] = 99
    status, said = looked_at(answers.server_port)
    assert status == 0
    assert said["subjects"][0] == "warn"
    assert "2 versions, of which this program knows 1" in said["subjects"][1]


def test_a_subject_that_is_held_to_nothing_fails(answers: Answers) -> None:
    del answers.modes[FINDINGS]
    status, said = looked_at(answers.server_port)
    assert status == 1
    expected = f"{FINDINGS}: expected compatibility {MODES[FINDINGS]}, found none of its own"
    assert said["compatibility"][1] == expected
    answers.modes[FINDINGS] = "NONE"
    _, said = looked_at(answers.server_port)
    assert said["compatibility"][1].endswith("found NONE")


def test_a_registry_that_was_made_anew_is_known_by_its_ids(answers: Answers) -> None:
    path = kept(answers, {RELEASES[0]: 77})
    status, said = looked_at(answers.server_port)
    assert status == 1
    assert said["registry ids"][1] == f"{RELEASES[0].name} is 1 and was 77"
    assert f"delete {path}" in said["registry ids"][2]
