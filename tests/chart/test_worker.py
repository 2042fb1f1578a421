"""The workers: a StatefulSet whose pods' names are their seats."""

from itertools import starmap

from tests.chart.expected import (
    CACHE,
    DATA,
    DATA_VOLUME,
    FILES,
    FILES_VOLUME,
    KAFKA,
    KAFKA_ACCESS,
    KAFKA_FILES,
    KAFKA_VOLUME,
    POD_NAME,
    TMP,
    TMP_VOLUME,
    labels,
    port,
    secret_mount,
    secret_volume,
    selector,
)
from tests.chart.probes import probes
from tests.chart.rendering import FULL, Chart

CONSOLE = ("Deployment", "console")


def test_workers_are_a_stateful_set_that_starts_at_once(chart: Chart) -> None:
    spec = chart.render("least").one("StatefulSet", "worker")["spec"]
    assert spec["replicas"] == 2
    assert spec["serviceName"] == f"{FULL}-worker"
    assert spec["podManagementPolicy"] == "Parallel"
    assert chart.render("inventory").one("StatefulSet", "worker")["spec"]["replicas"] == 6


def test_a_worker_is_told_where_kafka_is_and_its_seat(chart: Chart) -> None:
    worker = chart.render("least").container("StatefulSet", "worker")
    assert worker["name"] == "worker"
    assert worker["args"] == [
        "worker",
        f"--bootstrap={KAFKA}",
        "--topic-prefix=pitwatch.",
        "--application=pitwatch-worker",
        "--instance-id=$(POD_NAME)",
        "--host=0.0.0.0",
        "--insecure-listen",
        "--rulebook=nj",
    ]
    assert worker["env"] == [POD_NAME, CACHE]
    assert worker["ports"] == [{"name": "health", "containerPort": 7302}]
    assert worker["volumeMounts"] == [TMP, DATA, FILES]
    volumes = chart.render("least").pod("StatefulSet", "worker")["volumes"]
    assert volumes == [TMP_VOLUME, DATA_VOLUME, FILES_VOLUME]


def test_a_worker_is_told_the_sites_own_names_and_rulebook(chart: Chart) -> None:
    args = chart.render("inventory").container("StatefulSet", "worker")["args"]
    assert "--topic-prefix=casino." in args
    assert "--application=casino-worker" in args
    assert "--rulebook=/etc/pitwatch/files/rulebook.toml" in args
    assert "--host=::" in chart.render("bare").container("StatefulSet", "worker")["args"]


def test_a_worker_has_keys_from_secrets_as_files_and_never_as_arguments(chart: Chart) -> None:
    worker = chart.render("secured").container("StatefulSet", "worker")
    assert worker["env"] == [
        POD_NAME,
        CACHE,
        *KAFKA_ACCESS,
    ]
    assert worker["args"][8:] == [
        "--floor=/etc/pitwatch/files/floor.toml",
        "--gateway-keys=/etc/pitwatch/gateway-keys/keys",
        "--command-keys=/etc/pitwatch/command-key/key",
    ]
    secrets = {"command-key": "pitwatch-command-key", "gateway-keys": "all-gateway-keys"}
    mounts = [TMP, DATA, FILES, KAFKA_FILES, *map(secret_mount, secrets)]
    assert worker["volumeMounts"] == mounts
    assert chart.render("secured").pod("StatefulSet", "worker")["volumes"] == [
        TMP_VOLUME,
        DATA_VOLUME,
        FILES_VOLUME,
        KAFKA_VOLUME,
        *starmap(secret_volume, secrets.items()),
    ]


def test_a_worker_writes_the_versions_that_all_can_read(chart: Chart) -> None:
    for kind, name in (("StatefulSet", "worker"), ("StatefulSet", "gateway"), CONSOLE):
        args = chart.render("upgrading").container(kind, name)["args"]
        found = [each for each in args if each.startswith("--write-version")]
        assert found == ["--write-version=deal_event=1", "--write-version=finding=2"]


def test_a_worker_may_recover_for_ten_minutes_before_it_is_asked_whether_it_lives(
    chart: Chart,
) -> None:
    worker = chart.render("least").container("StatefulSet", "worker")
    assert probes(worker) == {
        "startupProbe": ("/healthz", "health", 5, 120, 3),
        "livenessProbe": ("/healthz", "health", 10, 6, 5),
        "readinessProbe": ("/readyz", "health", 5, 3, 3),
    }


def test_a_worker_asks_for_what_it_needs(chart: Chart) -> None:
    assert chart.render("least").container("StatefulSet", "worker")["resources"] == {
        "requests": {"cpu": "250m", "memory": "256Mi"},
        "limits": {"memory": "1Gi"},
    }
    assert "resources" not in chart.render("bare").container("StatefulSet", "worker")


def test_workers_have_names_for_metrics_before_they_are_ready(chart: Chart) -> None:
    service = chart.render("least").one("Service", "worker")
    assert service["metadata"]["labels"] == {**labels("worker"), "pitwatch/metrics": "health"}
    assert service["spec"] == {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": selector("worker"),
        "ports": [port("health", 7302)],
    }
