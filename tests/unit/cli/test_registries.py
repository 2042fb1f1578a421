"""What a person is told of a registry that a command is to use."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import click
import pytest

from deploy.cli import registries
from deploy.cli.registries import registry_option, say_away, use_registry
from schemas.catalog import SUBJECTS
from schemas.codec import CODEC
from schemas.registry_ids import IdCache

RELEASES = [release for subject in SUBJECTS for release in subject.releases]


class _Registry(BaseHTTPRequestHandler):
    """Has an id for every release."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["schema"]
        number = [release.text.decode() for release in RELEASES].index(asked) + 7
        body = json.dumps({"id": number}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A registry's address; what the process learns of it is forgotten afterwards."""
    monkeypatch.setenv("PITWATCH_CACHE", str(tmp_path / "cache"))
    with HTTPServer(("127.0.0.1", 0), _Registry) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://user:hidden@127.0.0.1:{server.server_port}/apis"
        server.shutdown()
        thread.join()
    CODEC.learn({}, confluent=False)


def test_without_a_registry_nothing_is_learnt() -> None:
    use_registry(None, "p.")
    use_registry("", "p.")
    assert not CODEC.ids


def test_ids_are_learnt_and_kept_in_the_users_cache(url: str, tmp_path: Path) -> None:
    use_registry(url, "p.")
    assert CODEC.ids == dict(enumerate(RELEASES, 7))
    (path,) = (tmp_path / "cache" / "registry").iterdir()
    assert "hidden" not in path.read_text() + path.name


def test_a_registry_that_is_away_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PITWATCH_CACHE", str(tmp_path))
    away = "http://127.0.0.1:1/apis"
    cache = IdCache(tmp_path / registries.FOLDER, away, "p.")
    cache.write({release: number for number, release in enumerate(RELEASES, 3)})
    try:
        use_registry(away, "p.", say_away)
        assert CODEC.ids == dict(enumerate(RELEASES, 3))
    finally:
        CODEC.learn({}, confluent=False)
    assert f"{away}: expected a registry, found: " in (said := capsys.readouterr().err)
    assert said.endswith("; its ids are taken from disk\n")


def test_a_folder_that_cannot_be_written_is_named(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PITWATCH_CACHE", str(tmp_path / "file"))
    with pytest.raises(click.ClickException, match="PITWATCH_CACHE names another"):
        use_registry(url, "p.")


def test_what_is_no_address_is_told() -> None:
    with pytest.raises(click.ClickException, match="registry: expected http://HOST:PORT/PATH"):
        use_registry("registry", "p.")


def test_a_subcommand_asks_no_registry(url: str) -> None:
    @click.group(invoke_without_command=True)
    @click.option("--topic-prefix", default="p.")
    @registry_option
    def group(topic_prefix: str) -> None:
        assert topic_prefix == "p."

    @group.command()
    def sub() -> None:
        assert not CODEC.ids

    group.main(["--registry", url, "sub"], standalone_mode=False)
    group.main(["--registry", url], standalone_mode=False)
    assert CODEC.ids
