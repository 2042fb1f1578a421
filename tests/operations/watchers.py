"""A real Prometheus and a real Alertmanager with the configuration that is shipped."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import yaml

from deploy.local.leash import spawn
from deploy.local.ports import free_port
from tests.architecture.source import ROOT
from tests.gateway_harness import until
from tests.operations.receivers import LOOPBACK, Received
from tests.operations.rule_files import RULES, read
from tests.require import require

PROMETHEUS: Final = ROOT / "deploy" / "compose" / "prometheus.yml"
ALERTMANAGER: Final = ROOT / "deploy" / "alertmanager" / "alertmanager.yml"
SECRETS: Final = "/etc/alertmanager/secrets"
"""Where the shipped configuration has its secrets."""

TOKEN: Final = "a token of this test alone"  # noqa: S105  nobody else's


@dataclass(frozen=True, slots=True)
class Watcher:
    """A program that answers on a port."""

    port: int

    def get(self, path: str, **params: str) -> Any:
        """Return what it answers."""
        answer = httpx.get(
            f"http://{LOOPBACK}:{self.port}{path}", params=params, timeout=20, trust_env=False
        )
        answer.raise_for_status()
        return answer.json()

    def query(self, expr: str) -> list[Any]:
        """Return the result of a query as it is now."""
        result: list[Any] = self.get("/api/v1/query", query=expr)["data"]["result"]
        return result

    def post(self, path: str, body: object) -> None:
        """Tell it something."""
        httpx.post(
            f"http://{LOOPBACK}:{self.port}{path}", json=body, timeout=20, trust_env=False
        ).raise_for_status()


@contextmanager
def running(command: Sequence[str], port: int, log: Path) -> Iterator[Watcher]:
    """Run a program until it is no longer needed."""
    with log.open("wb") as output:
        process = spawn(command, output=output)

    def ready() -> bool:
        assert process.poll() is None, log.read_text()
        try:
            return httpx.get(f"http://{LOOPBACK}:{port}/-/ready", trust_env=False).is_success
        except httpx.TransportError:
            return False

    try:
        until(f"{command[0]} to be ready", ready)
        yield Watcher(port)
    finally:
        process.terminate()
        process.wait(60)


@contextmanager
def alertmanager(folder: Path, received: Received) -> Iterator[Watcher]:
    """Run Alertmanager as it is shipped, but that it tells the test, and at once."""
    program = require("prometheus-alertmanager")
    text = ALERTMANAGER.read_text(encoding="utf-8").replace(SECRETS, str(folder))
    config = yaml.safe_load(text)
    for name in ("mail-password", "surveillance-token", "pager-token", "dead-mans-switch-token"):
        (folder / name).write_text(TOKEN)
    config["global"] |= {
        "smtp_smarthost": f"{LOOPBACK}:{received.mail_port}",
        "smtp_require_tls": False,
    }
    config["route"]["group_wait"] = "0s"
    for receiver in config["receivers"]:
        for hook in receiver.get("webhook_configs", ()):
            hook["url"] = f"http://{LOOPBACK}:{received.hook_port}/{receiver['name']}"
    path = folder / "alertmanager.yml"
    path.write_text(json.dumps(config))
    port = free_port()
    command = [program, f"--config.file={path}", f"--storage.path={folder / 'alertmanager'}"]
    command += [f"--web.listen-address={LOOPBACK}:{port}", "--cluster.listen-address="]
    with running(command, port, folder / "alertmanager.log") as watcher:
        yield watcher


@contextmanager
def prometheus(folder: Path, targets: Mapping[str, int], alertmanager: int) -> Iterator[Watcher]:
    """Run Prometheus as it is shipped, but with these targets, and a second between two scrapes.

    Args:
        folder: for its data.
        targets: the port of each job, without ``pitwatch-``.
        alertmanager: the port of whom it tells.
    """
    program = require("prometheus")
    config = read(PROMETHEUS)
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    (told,) = config["alerting"]["alertmanagers"]
    told["static_configs"] = [{"targets": [f"{LOOPBACK}:{alertmanager}"]}]
    assert {job["job_name"] for job in config["scrape_configs"]} == {
        f"pitwatch-{name}" for name in targets
    }
    for job in config["scrape_configs"]:
        port = targets[job["job_name"].removeprefix("pitwatch-")]
        job["static_configs"] = [{"targets": [f"{LOOPBACK}:{port}"]}]
        # A floor of the tests speaks in the clear; compose's gateway is scraped by compose's test.
        job.pop("scheme", None)
        job.pop("tls_config", None)
    (folder / "rules").symlink_to(RULES)
    path = folder / "prometheus.yml"
    path.write_text(json.dumps(config))
    port = free_port()
    command = [program, f"--config.file={path}", f"--storage.tsdb.path={folder / 'prometheus'}"]
    command += [f"--web.listen-address={LOOPBACK}:{port}"]
    with running(command, port, folder / "prometheus.log") as watcher:
        yield watcher
