"""What the chart makes of what stands: gateways that are to leave, and the database."""

import base64
from typing import Any

import pytest
import yaml

from tests.chart.cluster_answers import cluster
from tests.chart.expected import (
    DATA,
    DATA_VOLUME,
    GATEWAY_CA_VOLUME,
    TMP,
    TMP_VOLUME,
    labels,
    secret_mount,
)
from tests.chart.rendering import FULL, KUBERNETES, NAMESPACE, RELEASE, Chart, Refused, Rendered

DATABASE = f"/api/v1/namespaces/{NAMESPACE}/secrets/pitwatch-database"


def secret(url: str, key: str = "url") -> dict[str, Any]:
    metadata = {"name": "pitwatch-database", "namespace": NAMESPACE}
    stands = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata}
    return {DATABASE: {**stands, "data": {key: base64.b64encode(url.encode()).decode()}}}


def render(chart: Chart, case: str, objects: dict[str, Any], *more: str) -> Rendered:
    """Return an upgrade's objects in a cluster where these stand."""
    with cluster(objects) as address:
        text = chart.helm(
            "template",
            RELEASE,
            str(chart.folder),
            *chart.values(case, *more),
            "--is-upgrade",
            "--dry-run=server",
            "--kube-version",
            KUBERNETES,
            f"--kube-apiserver={address}",
            env={"KUBECONFIG": "/dev/null"},
        )
    return Rendered(tuple(each for each in yaml.safe_load_all(text) if each))


def test_gateways_that_are_to_leave_are_asked_before_by_upgrade_and_rollback(chart: Chart) -> None:
    rendered = chart.render("trial")
    job = rendered.one("Job", "spools")
    assert job["apiVersion"] == "batch/v1"
    assert job["metadata"]["labels"] == labels("topics")
    assert job["metadata"]["annotations"] == {
        "helm.sh/hook": "pre-upgrade,pre-rollback",
        "helm.sh/hook-weight": "-5",
        "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
    }
    assert job["spec"]["backoffLimit"] == 0
    assert job["spec"]["activeDeadlineSeconds"] == 600
    spec = job["spec"]["template"]["spec"]
    assert spec["restartPolicy"] == "Never"
    assert spec["volumes"] == [TMP_VOLUME, DATA_VOLUME]
    assert spec["serviceAccountName"] == f"{FULL}-topics"
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert labels("topics").items() <= job["spec"]["template"]["metadata"]["labels"].items()
    (container,) = spec["containers"]
    assert container["name"] == "spools"
    assert container["image"] == "pitwatch:0.1.0"
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["volumeMounts"] == [TMP, DATA]
    assert container["args"] == [
        "doctor",
        "--format=json",
        f"--drained-from=http://{FULL}-gateway-2:7301",
    ]
    assert f"{FULL}-spools" not in chart.render("trial", "gateway.checkSpools=false").names("Job")


def test_how_many_gateways_stand_is_read_when_the_job_runs(chart: Chart) -> None:
    fewer, more = (chart.render("trial", f"gateway.instances={number}") for number in (1, 3))
    (container,) = fewer.pod("Job", "spools")["containers"]
    assert container["args"][-1] == f"--drained-from=http://{FULL}-gateway-1:7301"
    (variable,) = container["env"]
    assert variable["name"] == "PITWATCH_DOCTOR_GATEWAYS"
    standing = variable["valueFrom"]["configMapKeyRef"]
    assert standing == {"name": f"{FULL}-files", "key": "gateways", "optional": True}
    assert more.one("ConfigMap", "files")["data"][standing["key"]] == "3"
    # The number alone is no reason to start anything anew.
    files = {
        rendered.one("StatefulSet", "worker")["spec"]["template"]["metadata"]["annotations"][
            "checksum/files"
        ]
        for rendered in (fewer, more)
    }
    assert len(files) == 1


def test_gateways_that_speak_https_are_asked_over_it(chart: Chart) -> None:
    spec = chart.render("secured").pod("Job", "spools")
    (container,) = spec["containers"]
    assert container["args"][2:] == [
        f"--drained-from=https://{FULL}-gateway-1:7301",
        "--gateway-ca=/etc/pitwatch/gateway-ca/ca.crt",
    ]
    assert container["volumeMounts"][-1] == secret_mount("gateway-ca")
    assert spec["volumes"][-1] == GATEWAY_CA_VOLUME


def test_a_database_that_is_no_postgresql_is_refused_and_not_shown(chart: Chart) -> None:
    render(chart, "trial", secret("postgresql://pitwatch:of-the-tests@db/pitwatch"))
    for stands in (secret("sqlite:///of-the-tests"), secret("postgresql://a", key="uri")):
        with pytest.raises(Refused) as refused:
            render(chart, "trial", stands)
        said = str(refused.value)
        assert (
            "database.existingSecret: expected the Secret pitwatch-database to have a key" in said
        )
        assert "of-the-tests" not in said
