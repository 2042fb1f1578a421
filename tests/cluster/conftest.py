"""A cluster with what a site has before it installs Pitwatch: Kafka, PostgreSQL, and the images.

    PITWATCH_CLUSTER_LOAD='k3s ctr images import' make cluster-test

| setting | says |
|---|---|
| ``KUBECONFIG`` | which cluster; what kubectl and helm use |
| ``PITWATCH_CLUSTER_RUN`` | what make puts before the tests, to run where Services are reached |
| ``PITWATCH_CLUSTER_LOAD`` | the command that loads an image archive, its path put last |
| ``PITWATCH_CLUSTER_KEEP`` | ``1`` leaves all that the tests made |
"""

import os
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cluster.cluster import Cluster, CommandFailed
from tests.cluster.images import ARCHIVE
from tests.cluster.readme import ROOT
from tests.cluster.site import Site, install_site
from tests.cluster.wanted import LOAD, NAMESPACE, SITE, missing

KEEP: Final = "PITWATCH_CLUSTER_KEEP"

SECONDS_TO_LOAD: Final = 300.0


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster with the images loaded and two empty namespaces, which are deleted at the end."""
    found = Cluster(laid_out(tmp_path_factory.mktemp("reader")), NAMESPACE, SITE)
    lacking = [*missing(found)]
    if not ARCHIVE.exists():
        lacking.append(
            f"expected the images in {ARCHIVE}, found no such file; make cluster-test makes it"
        )
    if lacking:
        pytest.exit("\n".join(lacking), returncode=2)
    load = os.environ[LOAD]
    found.run([*shlex.split(load), str(ARCHIVE)], seconds=SECONDS_TO_LOAD)
    try:
        found.run(["kubectl", "create", "namespace", SITE])
        yield found
    finally:
        if os.environ.get(KEEP) != "1":
            with suppress(CommandFailed):
                namespaces = ("namespace", NAMESPACE, SITE)
                found.run(
                    ["kubectl", "delete", *namespaces, "--ignore-not-found", "--timeout=120s"]
                )


@pytest.fixture(scope="session")
def site(cluster: Cluster) -> Site:
    """What the site has: Kafka and PostgreSQL, serving."""
    return install_site(cluster)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Show the cluster's pods, events and logs with a test that failed."""
    report = yield
    found = getattr(item, "funcargs", {}).get("cluster")
    if report.failed and isinstance(found, Cluster):
        report.sections.append(("the cluster", found.state()))
    return report


def laid_out(folder: Path) -> Path:
    """Lay a folder out as the README's reader has it: the chart, and recordings to send."""
    for name in ("helm", "tests"):
        (folder / name).symlink_to(ROOT / name)
    return folder
