"""Helm's own check, and Kubernetes' schemas of three versions, for every values file."""

import json
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Final

import pytest

from tests.chart.rendering import Chart, Object

with warnings.catch_warnings():
    # It looks its schemas up by functions that newer Pythons are to be without.
    warnings.simplefilter("ignore", DeprecationWarning)
    import kubernetes_validate
    from kubernetes_validate import utils

VERSIONS: Final = ("1.29", "1.33", "1.37")
"""The oldest that the chart takes, one between, and the newest that there is."""

OPERATORS: Final = {"ServiceMonitor", "PrometheusRule"}
"""Kinds of Prometheus' operator, which are no part of Kubernetes."""


@pytest.fixture(scope="module", autouse=True)
def schemas_read_once() -> Iterator[None]:
    """Keep what was read: for each object it reads megabytes of schemas anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utils, "schema_contents", cache(utils.schema_contents))
        yield


@pytest.fixture(scope="module")
def objects(chart: Chart) -> list[Object]:
    """Every object of every case, one that is the same in several of them once."""
    found = [each for case in chart.cases for each in chart.render(case).all()]
    unlike = {json.dumps(each): each for each in found if each["kind"] not in OPERATORS}
    return list(unlike.values())


@pytest.mark.parametrize("version", VERSIONS)
def test_every_object_is_one_of_kubernetes(objects: list[Object], version: str) -> None:
    assert len(objects) > 100
    for each in objects:
        kubernetes_validate.validate(each, version, strict=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_none_of_kubernetes_is_told(version: str) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "sepc": {}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(pod, version, strict=True)


def test_helm_finds_no_fault(chart: Chart) -> None:
    for case in chart.cases:
        chart.helm("lint", "--strict", "--quiet", str(chart.folder), *chart.values(case))
