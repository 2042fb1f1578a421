"""What several tests expect of objects."""

from typing import Any, Final

from tests.chart.rendering import FULL, RELEASE

KAFKA: Final = "kafka-0.kafka:9092,kafka-1.kafka:9092"
"""The brokers of the case ``least``."""

VERSION: Final = "0.1.0"


def selector(component: str) -> dict[str, str]:
    """Return what never changes of a component's pods."""
    return {
        "app.kubernetes.io/name": "pitwatch",
        "app.kubernetes.io/instance": RELEASE,
        "app.kubernetes.io/component": component,
    }


def labels(component: str) -> dict[str, str]:
    """Return the labels of a component's objects."""
    return {
        **selector(component),
        "app.kubernetes.io/part-of": "pitwatch",
        "app.kubernetes.io/version": VERSION,
        "app.kubernetes.io/managed-by": "Helm",
        "helm.sh/chart": f"pitwatch-{VERSION}",
    }


POD_NAME: Final = {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
CACHE: Final = {"name": "PITWATCH_CACHE", "value": "/var/lib/pitwatch/cache"}


def from_secret(variable: str, secret: str, key: str) -> dict[str, Any]:
    """Return an environment variable that is a Secret's key."""
    return {"name": variable, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}


KAFKA_ACCESS: Final = (
    from_secret("PITWATCH_KAFKA_USER", "pitwatch-kafka", "user"),
    {"name": "PITWATCH_KAFKA_PASSWORD_FILE", "value": "/etc/pitwatch/kafka/password"},
    {"name": "PITWATCH_KAFKA_CA", "value": "/etc/pitwatch/kafka/ca.crt"},
)
DATABASE: Final = from_secret("PITWATCH_DATABASE", "pitwatch-database", "url")

TMP: Final = {"name": "tmp", "mountPath": "/tmp"}  # noqa: S108  a pod's own
DATA: Final = {"name": "data", "mountPath": "/var/lib/pitwatch"}
FILES: Final = {"name": "files", "mountPath": "/etc/pitwatch/files", "readOnly": True}
KAFKA_FILES: Final = {"name": "kafka", "mountPath": "/etc/pitwatch/kafka", "readOnly": True}

TMP_VOLUME: Final = {"name": "tmp", "emptyDir": {"sizeLimit": "256Mi"}}
DATA_VOLUME: Final = {"name": "data", "emptyDir": {"sizeLimit": "1Gi"}}
FILES_VOLUME: Final = {"name": "files", "configMap": {"name": f"{FULL}-files"}}
KAFKA_VOLUME: Final = {
    "name": "kafka",
    "secret": {
        "secretName": "pitwatch-kafka",
        "defaultMode": 0o440,
        "items": [{"key": "password", "path": "password"}, {"key": "ca.crt", "path": "ca.crt"}],
    },
}


def secret_mount(folder: str) -> dict[str, Any]:
    """Return where a container has a Secret's files."""
    return {"name": folder, "mountPath": f"/etc/pitwatch/{folder}", "readOnly": True}


def secret_volume(folder: str, secret: str) -> dict[str, Any]:
    """Return the volume of a Secret's files, which its group alone may read."""
    return {"name": folder, "secret": {"secretName": secret, "defaultMode": 0o440}}


def port(name: str, number: int) -> dict[str, Any]:
    """Return a port of a Service."""
    return {"name": name, "port": number, "targetPort": name}


GATEWAY_CA_VOLUME: Final = {
    "name": "gateway-ca",
    "secret": {
        "secretName": "gateway-tls",
        "defaultMode": 0o440,
        "items": [{"key": "ca.crt", "path": "ca.crt"}],
    },
}
"""Who signed the gateways' certificate, without its key."""
