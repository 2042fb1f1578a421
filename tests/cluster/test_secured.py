"""A floor in use on a cluster: everyone on it is asked who he is, by the commands of the README.

| step | holds |
|---|---|
| install | TLS, tokens, signatures and users of Kafka are taken as they are made there |
| `helm test` | a device's round comes through all of them to the database |
| a stranger | nothing is taken without a token |
"""

import ssl
from shlex import quote
from typing import Any, Final

import httpx
import pytest
import yaml

from tests.cluster.cluster import Cluster, until
from tests.cluster.readme import README, read
from tests.cluster.site import Site, install_secured_kafka
from tests.gateway_harness import line

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900)]

HEADING: Final = "A floor in use"
EXAMPLE: Final = "kafka.example:9092"

FLOOR: Final = """
[[pits]]
name = "main"
[[pits.tables]]
name = "CF-01"
[[gateways]]
name = "pitwatch-gateway-0"
tables = ["CF-01"]
"""
"""What the site's Kafka is told of the floor: its gateway is a user."""

SMALL: Final = {"requests": {"cpu": "50m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}

HERE: Final[dict[str, Any]] = {
    "topics": {"replication": 1, "inSync": 1, "single": True},
    "gateway": {"spool": {"mebibytes": 512, "volumeSize": "1Gi"}, "resources": SMALL},
    "console": {"replicas": 1, "resources": SMALL},
    "worker": {"resources": SMALL},
    "historian": {"resources": SMALL},
}
"""One broker and a node of two cores, beside what the README says."""


@pytest.fixture(scope="module")
def installed(
    cluster: Cluster, site: Site, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """The README's commands by heading, when those of a floor in use are done."""
    readme = read(README.read_text(encoding="utf-8"))
    cluster.run(["kubectl", "delete", "namespace", cluster.namespace, "--ignore-not-found"])
    folder = tmp_path_factory.mktemp("site")
    floor = folder / "floor.toml"
    floor.write_text(FLOOR, encoding="utf-8")
    kafka = install_secured_kafka(cluster, floor, folder / "secrets")
    assert EXAMPLE in readme.values[HEADING]
    values = yaml.safe_load(readme.values[HEADING].replace(EXAMPLE, kafka.bootstrap))
    for part, more in HERE.items():
        values[part] = values.get(part, {}) | more
    (cluster.folder / "values.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    variables = {"DATABASE_URL": site.database, **kafka.variables}
    given = "".join(f"export {name}={quote(value)}\n" for name, value in variables.items())
    cluster.shell(given + readme.commands[HEADING])
    return readme.commands


def test_a_round_comes_through_all_that_asks_who_it_is(
    cluster: Cluster, installed: dict[str, str]
) -> None:
    assert "Succeeded" in cluster.shell(installed["Test"])


def test_a_device_has_its_token_and_a_stranger_gets_nothing(
    cluster: Cluster, installed: dict[str, str]
) -> None:
    name = "pitwatch-gateway-0"
    address = cluster.get("service", name)["spec"]["clusterIP"]
    token = (cluster.folder / "keys" / "shoe-cf-01.token").read_text(encoding="ascii").strip()
    known = ssl.create_default_context(cafile=cluster.folder / "keys" / "authority.pem")
    with httpx.Client(verify=known, trust_env=False, timeout=30) as client:

        def post(body: bytes, token: str) -> int:
            return client.post(
                f"https://{address}:7301/v1/events",
                content=body,
                headers={"Host": name, **({"Authorization": f"Bearer {token}"} if token else {})},
                extensions={"sni_hostname": name},
            ).status_code

        own, others = (line(1, table=table, source="shoe-cf-01") for table in ("CF-01", "CF-02"))
        until("the device to be let in", lambda: post(own, token) == 202)
        assert post(others, token) == 403
        assert post(own, "") == 401
        assert post(own, f"{token}0") == 401
