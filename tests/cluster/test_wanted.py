"""What is missing for a cluster's test is named before anything is made."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.chart.cluster_answers import cluster as answering
from tests.cluster.cluster import Cluster
from tests.cluster.wanted import LOAD, NAMESPACE, SITE, missing
from tests.require import require

STORAGE = "/apis/storage.k8s.io/v1"
NODES = "/api/v1/nodes"


def listed(kind: str, version: str, *items: dict[str, Any]) -> dict[str, Any]:
    return {"kind": f"{kind}List", "apiVersion": version, "metadata": {}, "items": list(items)}


@contextmanager
def reached(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *classes: dict[str, Any], **more: Any
) -> Iterator[Cluster]:
    """Give a cluster with these StorageClasses."""
    for tool in ("kubectl", "helm"):
        require(tool)
    version = {"groupVersion": "storage.k8s.io/v1", "version": "v1"}
    group = {"name": "storage.k8s.io", "versions": [version], "preferredVersion": version}
    kind = {"name": "storageclasses", "kind": "StorageClass", "namespaced": False}
    core = [
        {"name": "nodes", "kind": "Node", "namespaced": False, "verbs": ["get", "list"]},
        {"name": "namespaces", "kind": "Namespace", "namespaced": False, "verbs": ["get", "list"]},
    ]
    objects = {
        "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": core},
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [group]},
        STORAGE: {
            "kind": "APIResourceList",
            "groupVersion": "storage.k8s.io/v1",
            "resources": [{**kind, "verbs": ["get", "list"]}],
        },
        NODES: listed("Node", "v1"),
        f"{STORAGE}/storageclasses": listed("StorageClass", "storage.k8s.io/v1", *classes),
        **more,
    }
    with answering(objects) as address:
        config = folder / "kubeconfig"
        config.write_text(
            "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
            f"clusters: [{{name: here, cluster: {{server: '{address}'}}}}]\n"
            "contexts: [{name: here, context: {cluster: here, user: ''}}]\n",
            encoding="utf-8",
        )
        monkeypatch.setenv("KUBECONFIG", str(config))
        monkeypatch.setenv("HOME", str(folder))
        monkeypatch.setenv(LOAD, "true")
        yield Cluster(folder, NAMESPACE, SITE)


def storage(**annotations: str) -> dict[str, Any]:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "disk", "annotations": annotations},
        "provisioner": "example.com/disk",
    }


DEFAULT = {"storageclass.kubernetes.io/is-default-class": "true"}


def test_nothing_is_missing_where_all_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reached(tmp_path, monkeypatch, storage(**DEFAULT)) as cluster:
        assert list(missing(cluster)) == []


def test_a_default_storage_class_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reached(tmp_path, monkeypatch, storage()) as cluster:
        (said,) = missing(cluster)
    assert "expected a default StorageClass" in said


def test_a_namespace_that_would_be_deleted_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stands = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SITE}}
    more = {f"/api/v1/namespaces/{SITE}": stands}
    with reached(tmp_path, monkeypatch, storage(**DEFAULT), **more) as cluster:
        (said,) = missing(cluster)
    assert f"kubectl delete namespace {SITE}" in said


def test_a_cluster_that_does_not_answer_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("helm")
    require("kubectl")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "absent"))
    monkeypatch.setenv(LOAD, "true")
    (said,) = missing(Cluster(tmp_path, NAMESPACE, SITE))
    assert "expected a cluster that kubectl reaches; set KUBECONFIG" in said


def test_what_the_machine_lacks_is_named_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(LOAD, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    said = list(missing(Cluster(tmp_path, NAMESPACE, SITE)))
    assert [each.split()[:2] for each in said] == [
        [f"{LOAD}:", "expected"],
        ["expected", "kubectl"],
        ["expected", "helm"],
    ]
