"""What a site has before it installs Pitwatch: a Kafka and a PostgreSQL, here in the cluster.

They are as small as they can be: one node each. Kafka is there twice, in the clear and secured as
`pitwatch floor secrets` does it. What belongs to Pitwatch is made by its chart.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from string import Template
from typing import Final

from tests.cluster import images
from tests.cluster.cluster import Cluster, until

MANIFESTS: Final = Path(__file__).with_name("manifests")
KAFKA: Final = "kafka"
SECURED: Final = "kafka-secured"
POSTGRESQL: Final = "postgresql"
PORTS: Final = {KAFKA: 9092, SECURED: 9092, POSTGRESQL: 5432}

OPEN: Final = {"environment": "", "mounts": "", "volumes": ""}
"""A Kafka in the clear."""

GUARDED: Final = {
    "environment": ", {name: PITWATCH_KAFKA_SECRETS, value: /etc/kafka-secrets}",
    "mounts": ", {name: secrets, mountPath: /etc/kafka-secrets, readOnly: true}",
    "volumes": "{name: secrets, secret: {secretName: kafka-secured, defaultMode: 0440, items: ["
    "{key: kafka.pem, path: kafka.pem}, {key: authority.pem, path: authority.pem}, "
    "{key: admin, path: passwords/admin}]}}",
}
"""A Kafka with its certificate and its administrator's password from a Secret."""

PASSWORD: Final = "of-the-tests-alone"  # noqa: S105  it opens nothing else
"""Of a database that lives as long as the tests."""


@dataclass(frozen=True, slots=True)
class Site:
    """A site's Kafka and database.

    Attributes:
        cluster: where they run.
        bootstrap: Kafka's address.
        database: the database's URL.
    """

    cluster: Cluster
    bootstrap: str
    database: str

    def take_kafka_away(self) -> None:
        """End Kafka, and wait until it is gone."""
        self._scale_kafka(0)
        gone = ("wait", "--for=delete", f"pod/{KAFKA}-0", "--timeout=120s")
        self.cluster.kubectl(*gone, namespace=self.cluster.site)

    def bring_kafka_back(self) -> None:
        """Start Kafka on what it had, and wait until it serves."""
        self._scale_kafka(1)
        until("Kafka to serve", partial(serves, self.cluster, KAFKA))

    def _scale_kafka(self, nodes: int) -> None:
        scale = ("scale", f"statefulset/{KAFKA}", f"--replicas={nodes}")
        self.cluster.kubectl(*scale, namespace=self.cluster.site)


def install_site(cluster: Cluster) -> Site:
    """Start both and return when they serve."""
    addresses = {name: address(cluster, name) for name in (KAFKA, POSTGRESQL)}
    start(cluster, KAFKA, KAFKA, address=addresses[KAFKA], image=images.KAFKA, **OPEN)
    start(cluster, POSTGRESQL, POSTGRESQL, image=images.POSTGRESQL, password=PASSWORD)
    for name in (KAFKA, POSTGRESQL):
        until(f"{name} to serve", partial(serves, cluster, name))
    return Site(
        cluster,
        addresses[KAFKA],
        f"postgresql://pitwatch:{PASSWORD}@{POSTGRESQL}.{cluster.site}.svc:5432/pitwatch",
    )


def start(cluster: Cluster, manifest: str, name: str, **given: str) -> None:
    """Apply a manifest of this folder's."""
    text = (MANIFESTS / f"{manifest}.yaml").read_text(encoding="utf-8")
    cluster.apply(Template(text).substitute(given, name=name))


@dataclass(frozen=True, slots=True)
class SecuredKafka:
    """A Kafka that asks everyone who he is.

    Attributes:
        bootstrap: its address.
        secrets: the folder of its authority and its users' passwords.
    """

    bootstrap: str
    secrets: Path

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables of the README's commands."""
        passwords, authority = self.secrets / "passwords", self.secrets / "authority.pem"
        return {"KAFKA_USERS": str(passwords), "KAFKA_CA": str(authority)}


def install_secured_kafka(cluster: Cluster, floor: Path, secrets: Path) -> SecuredKafka:
    """Start a secured Kafka with the users of a floor file; return when it serves."""
    bootstrap = address(cluster, SECURED)
    hosts = (bootstrap.partition(":")[0], "127.0.0.1", "localhost")
    named = [part for each in hosts for part in ("--host", each)]
    where = ("--folder", str(secrets))
    cluster.run(["pitwatch", "floor", "secrets", str(floor), *where, *named])
    files = [f"--from-file={secrets / each}" for each in ("kafka.pem", "authority.pem")]
    files.append(f"--from-file={secrets / 'passwords' / 'admin'}")
    create = ("create", "secret", "generic", SECURED)
    cluster.kubectl(*create, *files, namespace=cluster.site)
    start(cluster, KAFKA, SECURED, address=bootstrap, image=images.KAFKA, **GUARDED)
    until("the secured Kafka to serve", partial(serves, cluster, SECURED))
    found = SecuredKafka(bootstrap, secrets)
    admin = ["--kafka-user=admin", f"--kafka-password-file={secrets / 'passwords' / 'admin'}"]
    admin += [f"--kafka-ca={secrets / 'authority.pem'}", f"--bootstrap={bootstrap}"]
    cluster.run(["pitwatch", "floor", "kafka-users", str(floor), *where, *admin])
    cluster.run(["pitwatch", "floor", "acls", str(floor), "--apply", *admin])
    return found


def address(cluster: Cluster, name: str) -> str:
    """Make a Service and return its address and port, which stay while its pods come and go."""
    port = PORTS[name]
    cluster.apply(f"""
apiVersion: v1
kind: Service
metadata: {{name: {name}}}
spec:
  selector: {{app: {name}}}
  ports: [{{port: {port}}}]
""")
    return f"{cluster.get('service', name, namespace=cluster.site)['spec']['clusterIP']}:{port}"


def serves(cluster: Cluster, name: str) -> bool:
    """Say whether the one pod of a StatefulSet is ready."""
    status = cluster.get("statefulset", name, namespace=cluster.site)["status"]
    return bool(status.get("readyReplicas") == 1)
