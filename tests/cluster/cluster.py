"""The cluster that kubectl reaches: its commands, its objects, and waiting for what they become.

Every command runs in one folder, which is laid out as the chart's README asks for it, in a shell
with ``kubectl``, ``helm`` and ``pitwatch`` on its path. Addresses of services are used as they are,
so the tests run where these are reached: on a node, or in a node's network.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

PATIENCE: Final = 300.0
"""Seconds for which an effect is waited for: pods start in some, a busy machine takes long."""

COMMAND_SECONDS: Final = 420.0
"""Seconds for a command; Helm's own limit in the README's is shorter, and says more."""

PAUSE: Final = 0.5

LAST_LINES: Final = 40
TAIL: Final = ("--all-containers", "--tail=12")


class CommandFailed(AssertionError):
    """A command did not end with 0; the text has what it said."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster, and the folder that commands run in.

    Attributes:
        folder: has the chart at ``helm/pitwatch`` and the values at ``values.yaml``.
        namespace: where Pitwatch is installed.
        site: the namespace of what a site has already: Kafka and PostgreSQL.
    """

    folder: Path
    namespace: str
    site: str

    def shell(self, commands: str, seconds: float = COMMAND_SECONDS) -> str:
        """Run commands as a person types them; return what they print.

        Raises:
            CommandFailed: one of them does not end with 0, or not in time.
        """
        return self.run(["bash", "-euo", "pipefail", "-c", commands], seconds=seconds)

    def run(
        self, command: Sequence[str], *, given: str | None = None, seconds: float = COMMAND_SECONDS
    ) -> str:
        """Run a command; return what it prints on stdout."""
        shown = command[-1] if command[0] == "bash" else " ".join(command)
        # The commands of this very installation stand first.
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        try:
            done = subprocess.run(
                command,
                input=given,
                cwd=self.folder,
                env={**os.environ, "PATH": path},
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise CommandFailed(f"{shown}\nexpected an end within {seconds:.0f} s") from error
        if done.returncode != 0:
            said = f"{done.stdout}{done.stderr}".strip()
            raise CommandFailed(f"{shown}\nexpected status 0, found {done.returncode}:\n{said}")
        return done.stdout

    def kubectl(self, *arguments: str, given: str | None = None, namespace: str = "") -> str:
        """Run kubectl in a namespace, that of Pitwatch where none is named."""
        where = ("--namespace", namespace or self.namespace)
        return self.run(["kubectl", *where, *arguments], given=given)

    def apply(self, manifest: str) -> None:
        """Apply a manifest in the site's namespace."""
        self.kubectl("apply", "-f", "-", given=manifest, namespace=self.site)

    def get(self, *arguments: str, namespace: str = "") -> Any:
        """Return an object, or a list of objects, as kubectl has it in JSON."""
        return json.loads(self.kubectl("get", *arguments, "-o", "json", namespace=namespace))

    def pods(self, component: str) -> list["Pod"]:
        """Return the pods of a component that are not on their way out, by name."""
        found = self.get("pods", "-l", f"app.kubernetes.io/component={component}")["items"]
        pods = [Pod.of(each) for each in found if "deletionTimestamp" not in each["metadata"]]
        return sorted(pods, key=lambda pod: pod.name)

    def all_ready(self, component: str, count: int) -> bool:
        """Say whether so many pods of a component run, all of them ready."""
        pods = self.pods(component)
        return len(pods) == count and all(pod.ready for pod in pods)

    def gateway(self, number: int) -> "Gateway":
        """Return a gateway by its number, at its own Service's address."""
        spec = self.get("service", f"pitwatch-gateway-{number}")["spec"]
        return Gateway(f"http://{spec['clusterIP']}:{spec['ports'][0]['port']}")

    def state(self) -> str:
        """Return what the cluster's pods and events say, for a person who reads of a failure."""
        parts = []
        for namespace in (self.namespace, self.site):
            pods = self._said(namespace, "get", "pods", "-o", "name").split()
            parts += [
                self._said(namespace, "get", "pods", "-o", "wide"),
                self._said(namespace, "get", "events", "--sort-by=.lastTimestamp"),
                *(f"{pod}:\n{self._said(namespace, 'logs', pod, *TAIL)}" for pod in pods),
            ]
        return "\n".join(parts)

    def _said(self, namespace: str, *arguments: str) -> str:
        try:
            said = self.kubectl(*arguments, namespace=namespace)
        except CommandFailed as error:
            said = str(error)
        return "\n".join(said.splitlines()[-LAST_LINES:])


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod as it stands.

    Attributes:
        uid: another pod of the same name has another.
        started: when its containers were started, RFC 3339; empty before.
        ready_since: since when it is ready, RFC 3339; empty while it is not.
        images: its containers' images.
    """

    name: str
    uid: str
    started: str
    ready_since: str
    images: tuple[str, ...]

    @classmethod
    def of(cls, found: Any) -> "Pod":
        """Return a pod of kubectl's JSON."""
        status = found["status"]
        states = [each.get("state", {}) for each in status.get("containerStatuses", ())]
        running = [each.get("running") for each in states]
        conditions = {each["type"]: each for each in status.get("conditions", ())}
        ready = conditions.get("Ready", {})
        return cls(
            found["metadata"]["name"],
            found["metadata"]["uid"],
            min((each["startedAt"] for each in running if each), default=""),
            ready["lastTransitionTime"] if ready.get("status") == "True" else "",
            tuple(each["image"] for each in found["spec"]["containers"]),
        )

    @property
    def ready(self) -> bool:
        """Whether it is ready."""
        return bool(self.ready_since)


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway at its Service's address, as devices reach it."""

    address: str

    def post(self, body: bytes) -> httpx.Response | None:
        """Post lines; nothing where no one answers."""
        try:
            return httpx.post(
                f"{self.address}/v1/events", content=body, timeout=30, trust_env=False
            )
        except httpx.TransportError:
            return None

    def ready(self) -> bool:
        """Say whether it accepts."""
        try:
            answer = httpx.get(f"{self.address}/readyz", timeout=10, trust_env=False)
        except httpx.TransportError:
            return False
        return answer.status_code == 200

    def spooled(self) -> float:
        """Return how many events it has accepted and Kafka has not."""
        text = httpx.get(f"{self.address}/metrics", timeout=10, trust_env=False).text
        name = "pitwatch_gateway_spooled_events "
        (value,) = [line for line in text.splitlines() if line.startswith(name)]
        return float(value.split()[-1])


def until(what: str, holds: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Return the first true value of ``holds``, asked twice a second."""
    deadline = time.monotonic() + seconds
    while not (value := holds()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:.0f} s for {what}")
        time.sleep(PAUSE)
    return value
