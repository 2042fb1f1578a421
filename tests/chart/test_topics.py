"""The Job that makes topics and checks schemas before anything starts."""

import pytest

from tests.chart.expected import (
    CACHE,
    DATA,
    DATA_VOLUME,
    KAFKA,
    KAFKA_ACCESS,
    KAFKA_FILES,
    KAFKA_VOLUME,
    POD_NAME,
    TMP,
    TMP_VOLUME,
    from_secret,
    labels,
)
from tests.chart.rendering import FULL, Chart


def test_topics_are_made_before_each_install_and_upgrade(chart: Chart) -> None:
    job = chart.render("least").one("Job", "topics")
    assert job["metadata"]["labels"] == labels("topics")
    assert job["metadata"]["annotations"] == {
        "helm.sh/hook": "pre-install,pre-upgrade",
        "helm.sh/hook-weight": "0",
        "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
    }
    assert job["spec"]["backoffLimit"] == 5
    assert job["spec"]["activeDeadlineSeconds"] == 600
    spec = job["spec"]["template"]["spec"]
    assert spec["restartPolicy"] == "Never"
    assert spec["volumes"] == [TMP_VOLUME, DATA_VOLUME]
    assert chart.render("bare").names("Job") == [f"{FULL}-spools"]


def test_the_job_checks_the_schemas_and_then_the_topics(chart: Chart) -> None:
    pod = chart.render("least").pod("Job", "topics")
    (schemas,) = pod["initContainers"]
    (topics,) = pod["containers"]
    resources = {
        "requests": {"cpu": "50m", "memory": "128Mi"},
        "limits": {"memory": "512Mi"},
    }
    assert (schemas["name"], schemas["args"]) == ("schemas", ["schemas", "check"])
    assert topics["name"] == "topics"
    assert topics["args"] == [
        "topics",
        f"--bootstrap={KAFKA}",
        "--topic-prefix=pitwatch.",
        "--application=pitwatch-worker",
        "--partitions=24",
        "--replication=3",
        "--in-sync=2",
    ]
    for container in (schemas, topics):
        assert container["env"] == [POD_NAME, CACHE]
        assert container["volumeMounts"] == [TMP, DATA]
        assert container["resources"] == resources


def test_the_job_takes_a_sites_own_numbers(chart: Chart) -> None:
    job = chart.render("inventory").one("Job", "topics")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert (job["spec"]["backoffLimit"], job["spec"]["activeDeadlineSeconds"]) == (2, 120)
    assert container["args"][2:5] == [
        "--topic-prefix=casino.",
        "--application=casino-worker",
        "--partitions=6",
    ]
    assert "resources" not in container
    (trial,) = chart.render("trial").pod("Job", "topics")["containers"]
    assert trial["args"][-3:] == ["--replication=1", "--in-sync=1", "--single"]


def test_the_job_has_the_password_of_kafka(chart: Chart) -> None:
    pod = chart.render("secured").pod("Job", "topics")
    (topics,) = pod["containers"]
    assert topics["env"] == [POD_NAME, CACHE, *KAFKA_ACCESS]
    assert topics["volumeMounts"] == [TMP, DATA, KAFKA_FILES]
    assert pod["volumes"] == [TMP_VOLUME, DATA_VOLUME, KAFKA_VOLUME]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("StatefulSet", "gateway"),
        ("StatefulSet", "worker"),
        ("Deployment", "console"),
        ("Deployment", "historian"),
        ("Job", "topics"),
    ],
)
def test_a_component_may_be_a_user_of_kafka_of_its_own(chart: Chart, kind: str, name: str) -> None:
    rendered = chart.render("secured", f"kafka.secrets.{name}=own-{name}")
    for other in ("gateway", "worker", "console", "historian", "topics"):
        of_kind = {"gateway": "StatefulSet", "worker": "StatefulSet", "topics": "Job"}
        pod = rendered.pod(of_kind.get(other, "Deployment"), other)
        secret = f"own-{name}" if other == name else "pitwatch-kafka"
        (volume,) = (each for each in pod["volumes"] if each["name"] == "kafka")
        assert volume["secret"]["secretName"] == secret
        users = [
            each["valueFrom"]["secretKeyRef"]["name"]
            for container in pod["containers"]
            for each in container["env"]
            if each["name"] == "PITWATCH_KAFKA_USER"
        ]
        assert set(users) == {secret}


def test_with_a_registry_the_job_registers_and_all_write_its_ids(chart: Chart) -> None:
    rendered = chart.render("registry")
    registry = from_secret("PITWATCH_REGISTRY", "pitwatch-registry", "url")
    (schemas,) = rendered.pod("Job", "topics")["initContainers"]
    assert schemas["args"] == ["schemas", "register", "--topic-prefix=casino."]
    for kind, name in (
        ("StatefulSet", "worker"),
        ("StatefulSet", "gateway"),
        ("Deployment", "console"),
        ("Deployment", "historian"),
    ):
        assert rendered.container(kind, name)["env"][:3] == [POD_NAME, CACHE, registry]
    assert schemas["env"] == [POD_NAME, CACHE, registry]
    for part in ("worker", "gateway", "console", "historian", "topics"):
        out = rendered.one("NetworkPolicy", part)["spec"]["egress"]
        ports = [{"port": 8081, "protocol": "TCP"}]
        assert out[1] == {"ports": ports, "to": [{"ipBlock": {"cidr": "10.5.0.0/16"}}]}
