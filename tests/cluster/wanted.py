"""What a cluster's test wants of its machine, looked at before images are made.

python -m tests.cluster.wanted      # exit status 2 names what is missing, and what to do
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.cluster.cluster import Cluster, CommandFailed

NAMESPACE: Final = "pitwatch"
SITE: Final = "pitwatch-site"
RUN: Final = "PITWATCH_CLUSTER_RUN"
LOAD: Final = "PITWATCH_CLUSTER_LOAD"

SECONDS_TO_ANSWER: Final = 30.0


def missing(cluster: Cluster) -> Iterator[str]:
    """Yield what is missing: first of this machine, then, where nothing is, of the cluster."""
    lacking = [*machine()]
    yield from lacking
    if not lacking:
        yield from of_cluster(cluster)


def machine() -> Iterator[str]:
    """Yield what this machine lacks."""
    if not os.environ.get(LOAD):
        yield (
            f"{LOAD}: expected the command that loads an image archive into the cluster's nodes, "
            "such as 'k3s ctr images import' or 'kind load image-archive', found nothing; say "
            "'true' if the images are there"
        )
    for tool in ("kubectl", "helm"):
        if shutil.which(tool) is None:
            yield (
                f"expected {tool} on the path, found none; install it, or give {RUN} a prefix that "
                "finds it"
            )


def of_cluster(cluster: Cluster) -> Iterator[str]:
    """Yield what the cluster lacks."""
    try:
        cluster.run(["kubectl", "get", "nodes", "-o", "name"], seconds=SECONDS_TO_ANSWER)
        classes = cluster.get("storageclasses")["items"]
        for namespace in (NAMESPACE, SITE):
            if cluster.run(["kubectl", "get", "namespace", namespace, "--ignore-not-found"]):
                yield (
                    f"expected no namespace {namespace}, found one: the tests would delete what is "
                    f"in it; kubectl delete namespace {namespace}, or choose another cluster"
                )
    except CommandFailed as error:
        yield f"expected a cluster that kubectl reaches; set KUBECONFIG, or {RUN}: {error}"
        return
    if not any(default(each.get("metadata", {})) for each in classes):
        yield (
            "expected a default StorageClass, whose volumes take a pod's group, found none; mark "
            "one with the annotation storageclass.kubernetes.io/is-default-class"
        )


def default(metadata: dict[str, dict[str, str]]) -> bool:
    """Say whether a StorageClass is the cluster's own."""
    found = metadata.get("annotations", {}).get("storageclass.kubernetes.io/is-default-class")
    return found == "true"


def main() -> int:
    """Print what is missing; return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        lacking = [*missing(Cluster(Path(folder), NAMESPACE, SITE))]
    for each in lacking:
        sys.stderr.write(f"{each}\n")
    return 2 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
