"""What a cluster answers Helm where it looks for an object that stands: discovery and that object.

Helm's ``lookup`` finds nothing while it renders without a cluster. This is as much of Kubernetes'
API, read only, as it asks for to render with one; a real cluster is another test's.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

RESOURCES: Final[Mapping[str, Mapping[str, str]]] = {
    "v1": {
        "services": "Service",
        "secrets": "Secret",
        "configmaps": "ConfigMap",
        "serviceaccounts": "ServiceAccount",
        "pods": "Pod",
    },
    "apps/v1": {"statefulsets": "StatefulSet", "deployments": "Deployment"},
    "batch/v1": {"jobs": "Job"},
    "networking.k8s.io/v1": {"networkpolicies": "NetworkPolicy", "ingresses": "Ingress"},
    "policy/v1": {"poddisruptionbudgets": "PodDisruptionBudget"},
}
"""The kinds of what the chart makes, by the version of the API that has them."""


def answers(objects: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is answered by path.

    Args:
        objects: those that stand, by their paths.
    """
    found: dict[str, Any] = {
        "/version": {"major": "1", "minor": "33", "gitVersion": "v1.33.0"},
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    }
    for version, kinds in RESOURCES.items():
        group, _, number = version.rpartition("/")
        if group:
            entry = {"groupVersion": version, "version": number}
            found["/apis"]["groups"].append(
                {"name": group, "versions": [entry], "preferredVersion": entry}
            )
        found[f"/apis/{version}" if group else "/api/v1"] = {
            "kind": "APIResourceList",
            "apiVersion": "v1",
            "groupVersion": version,
            "resources": [
                {"name": name, "kind": kind, "namespaced": True, "verbs": ["get", "list"]}
                for name, kind in kinds.items()
            ],
        }
    return found | dict(objects)


@contextmanager
def cluster(objects: Mapping[str, Any]) -> Iterator[str]:
    """Answer as a cluster with these objects; yield its address."""
    known = answers(objects)

    class Handler(BaseHTTPRequestHandler):
        """Answers what is known, and that there is nothing else."""

        def do_GET(self) -> None:
            answer = known.get(self.path.partition("?")[0])
            missing = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404}
            body = json.dumps(answer or {**missing, "reason": "NotFound"}).encode()
            self.send_response(200 if answer else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, name="cluster")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
