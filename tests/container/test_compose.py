"""`compose.yaml`: from nothing but images to a finding on the console's page.

All of it runs but Grafana, of which Debian has no package; PostgreSQL, Prometheus and Alertmanager
are Debian's (services.Dockerfile).
"""

import os
import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from deploy.images.build import Images
from deploy.images.engine import Engine
from deploy.local.ports import free_port
from tests.console_harness import sign_in
from tests.container.services import service_image
from tests.gateway_harness import line, until
from tests.require import absent

# The first test builds the images, and their base where this machine has none.
pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.timeout(900)]

ROOT: Final = Path(__file__).resolve().parents[2]
SERVICES: Final = (
    *("gateway", "worker-0", "worker-1", "historian", "console"),
    *("prometheus", "alertmanager", "simulator"),
)
"""What is started; Kafka, the topics and PostgreSQL come with what needs them."""

PATIENCE: Final = 300.0
"""Seconds for an effect: a busy machine takes long, a broken stack for ever."""

ALARM: Final = re.compile(r'<tr[^>]* data-alarm="[0-9a-f]{32}"')
CLAUSE: Final = re.compile(r"</span>(?:2\.6|2\.15|4\.9|16\.8|27\.8)\(")
"""As pages have them: an alarm's row, and a finding's clause without its chapter."""


def compose_program() -> list[str]:
    """Return Docker's compose: its plugin, or the program of before."""
    plugin = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
    if plugin.returncode == 0:
        return ["docker", "compose"]
    if shutil.which("docker-compose") is None:
        absent("docker-compose", "docker has no compose plugin and docker-compose is not installed")
    return ["docker-compose"]


DEVICES: Final = "/var/lib/pitwatch/keys/devices.json"
"""Where the service ``devices`` has its file."""


@dataclass(frozen=True)
class Stack:
    """A stack that compose runs.

    Attributes:
        ports: where services listen on this machine, by the name of their variable.
    """

    command: list[str]
    environment: dict[str, str]
    ports: dict[str, int]

    def run(self, *arguments: str) -> str:
        """Run compose with arguments and return what it printed."""
        done = subprocess.run(
            [*self.command, *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def url(self, service: str) -> str:
        """Return where a service is reached on this machine."""
        return f"http://127.0.0.1:{self.ports[service]}"

    def get(self, service: str, path: str) -> httpx.Response | None:
        """Get a page of a service; nothing where no one answers."""
        try:
            return httpx.get(self.url(service) + path, timeout=10, trust_env=False)
        except httpx.TransportError:
            return None


def post(stack: Stack, authority: Path, body: bytes, token: str | None) -> int:
    """Post lines to the gateway as a device that has this token; return the answer's status."""
    answer = httpx.post(
        f"https://127.0.0.1:{stack.ports['gateway']}/v1/events",
        content=body,
        headers={} if token is None else {"Authorization": f"Bearer {token}"},
        verify=ssl.create_default_context(cafile=authority),
        timeout=30,
        trust_env=False,
    )
    return answer.status_code


def services(one: Engine) -> dict[str, str]:
    """Build the images of others; return them by their variables."""
    return {
        f"PITWATCH_{name.upper()}_IMAGE": service_image(one, name)
        for name in ("postgresql", "prometheus", "alertmanager")
    }


@pytest.fixture(scope="module")
def stack(
    docker_engine: Engine, images: Images, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    secrets = tmp_path_factory.mktemp("compose") / "env"
    made = subprocess.run(
        ["sh", ROOT / "deploy/compose/secrets.sh"], capture_output=True, check=True
    )
    secrets.write_bytes(made.stdout)
    ports = {name: free_port() for name in ("gateway", "console", "prometheus", "alertmanager")}
    running = Stack(
        [
            *(*compose_program(), "--file", str(ROOT / "compose.yaml"), "--env-file", str(secrets)),
            *("--project-name", f"pitwatch-test-{os.getpid()}", "--profile", "simulator"),
        ],
        {
            **docker_engine.environment,
            **services(docker_engine),
            **{f"PITWATCH_{name.upper()}_PORT": str(port) for name, port in ports.items()},
            "PITWATCH_IMAGE": images.pitwatch,
            "PITWATCH_KAFKA_IMAGE": images.kafka,
            "PITWATCH_PARTITIONS": "4",
        },
        ports,
    )
    try:
        running.run("up", "--detach", *SERVICES)
        yield running
    finally:
        running.run("down", "--volumes", "--timeout", "1")


def test_from_up_to_a_finding_on_the_page(stack: Stack) -> None:
    added = stack.run("exec", "-T", "console", "pitwatch", "users", "add", "chief", "--generate")

    def ready() -> bool:
        answer = stack.get("console", "/readyz")
        return answer is not None and answer.status_code == 200

    until("the console to be ready", ready, PATIENCE)
    with httpx.Client(base_url=stack.url("console"), trust_env=False, timeout=30) as client:
        sign_in(client, "chief", added.strip())
        until("an alarm on the page", lambda: ALARM.search(client.get("/alarms").text), PATIENCE)
        history = "/history?show=findings"
        until("a finding's clause", lambda: CLAUSE.search(client.get(history).text), PATIENCE)


def test_a_device_speaks_with_its_token_and_for_its_tables_alone(
    stack: Stack, tmp_path: Path
) -> None:
    authority = tmp_path / "authority.pem"
    authority.write_text(
        stack.run("exec", "-T", "gateway", "cat", "/etc/pitwatch/authority.pem"), encoding="utf-8"
    )
    added = stack.run("run", "--rm", "-T", "devices", "add", "shoe-1", "--table", "CS-02")
    token = added.split()[-1]
    own, others = (line(1, table=table, source="shoe-1") for table in ("CS-02", "BJ-01"))
    until("the token to hold", lambda: post(stack, authority, own, token) == 202, PATIENCE)
    assert post(stack, authority, others, token) == 403
    assert post(stack, authority, own, None) == 401
    assert post(stack, authority, own, token[:-1]) == 401
    kept = stack.run("run", "--rm", "-T", "--entrypoint=cat", "devices", DEVICES)
    assert '"shoe-1"' in kept
    assert token not in kept
    stack.run("run", "--rm", "-T", "devices", "revoke", "shoe-1")
    until("the token to end", lambda: post(stack, authority, own, token) == 401, PATIENCE)


def test_what_no_gateway_has_signed_is_set_aside(stack: Stack) -> None:
    forge = (
        "from kafka import KafkaProducer; import os; "
        "p = KafkaProducer(bootstrap_servers='kafka:9092', security_protocol='SASL_SSL', "
        "sasl_mechanism='SCRAM-SHA-512', sasl_plain_username='admin', "
        "sasl_plain_password=open('/etc/pitwatch/passwords/admin').read().strip(), "
        "ssl_cafile='/etc/pitwatch/authority.pem'); "
        "p.send('pitwatch.deals.v1', key=b'BJ-01', value=b'forged').get(30)"
    )
    stack.run("exec", "-T", "worker-0", "python3", "-c", forge)
    access = ("-e", "PITWATCH_KAFKA_USER=admin")
    password = "PITWATCH_KAFKA_PASSWORD_FILE=/etc/pitwatch/passwords/admin"  # noqa: S105  a path
    letters = ("pitwatch", "dlq", "list", "--bootstrap=kafka:9092", "--reason=unsigned_record")

    def listed() -> bool:
        said = stack.run("exec", "-T", *access, "-e", password, "worker-0", *letters)
        return "BJ-01" in said

    until("the record to be set aside", listed, PATIENCE)


def test_database_and_keys_are_backed_up_as_the_guide_says(stack: Stack) -> None:
    keys = (
        "run",
        "--rm",
        "-T",
        "--entrypoint=tar",
        "devices",
        "-c",
        "-C",
        "/var/lib/pitwatch",
        ".",
    )
    dump = ("exec", "-T", "postgresql", "pg_dump", "--username=pitwatch", "--format=plain")
    guide = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8")
    for command in (keys, dump[:5]):
        assert f"docker compose {' '.join(command)}" in guide
    saved = stack.run(*keys)
    for name in ("authority.key", "keys/gateway-keys", "keys/devices.json", "passwords/admin"):
        assert f"./{name}\0" in saved
    assert "CREATE TABLE public.findings" in stack.run(*dump, "pitwatch")


def test_prometheus_scrapes_every_process_and_judges_by_our_rules(stack: Stack) -> None:
    def query(expression: str) -> list[Any]:
        answer = httpx.get(
            f"{stack.url('prometheus')}/api/v1/query",
            params={"query": expression},
            timeout=10,
            trust_env=False,
        )
        result: list[Any] = answer.json()["data"]["result"]
        return result

    until(
        "five processes scraped", lambda: len(query('up{job=~"pitwatch-.*"} == 1')) == 5, PATIENCE
    )
    until("findings in the metrics", lambda: query("pitwatch_findings_total > 0"), PATIENCE)
    until("our rules to be judged by", lambda: query('ALERTS{alertname=~"Pitwatch.*"}'), PATIENCE)
    alerts = f"{stack.url('alertmanager')}/api/v2/alerts"
    until(
        "an alert at Alertmanager",
        lambda: httpx.get(alerts, timeout=10, trust_env=False).json(),
        PATIENCE,
    )
