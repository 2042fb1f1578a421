"""The chart as Helm renders it, with the values of one of its ``ci`` files and more."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from tests.chart.documents import CHART
from tests.require import require

RELEASE: Final = "floor"
NAMESPACE: Final = "casino"
FULL: Final = "floor-pitwatch"
KUBERNETES: Final = "1.33.0"
"""What Helm renders for; one that was built from its module alone would take an old version."""

Object = dict[str, Any]


class Refused(Exception):
    """Helm refuses the values; the text is what it says."""


@dataclass(frozen=True)
class Rendered:
    """The objects of a release."""

    objects: tuple[Object, ...]

    def all(self, *kinds: str) -> list[Object]:
        """Return the objects of these kinds, all of them where none is named."""
        return [each for each in self.objects if not kinds or each["kind"] in kinds]

    def names(self, kind: str) -> list[str]:
        """Return the names of the objects of a kind, sorted."""
        return sorted(each["metadata"]["name"] for each in self.all(kind))

    def one(self, kind: str, name: str = "") -> Object:
        """Return an object by its kind and its name after that of the release."""
        wanted = f"{FULL}-{name}" if name else FULL
        found = [each for each in self.all(kind) if each["metadata"]["name"] == wanted]
        assert len(found) == 1, f"expected one {kind} {wanted}, found {self.names(kind)}"
        return found[0]

    def workloads(self) -> Iterator[tuple[Object, Object]]:
        """Yield each object that makes pods, or is one, with its pod's metadata and spec."""
        for each in self.all("StatefulSet", "Deployment", "Job"):
            yield each, each["spec"]["template"]
        for each in self.all("Pod"):
            yield each, each

    def pod(self, kind: str, name: str) -> Object:
        """Return the spec of an object's pods."""
        spec: Object = self.one(kind, name)["spec"]["template"]["spec"]
        return spec

    def container(self, kind: str, name: str) -> Object:
        """Return the one container of an object's pods."""
        (container,) = self.pod(kind, name)["containers"]
        found: Object = container
        return found


@dataclass
class Chart:
    """A chart's folder.

    Each rendering is kept, for Helm takes a tenth of a second.
    """

    folder: Path = CHART
    kept: dict[tuple[str, ...], Rendered] = field(default_factory=dict)

    @property
    def cases(self) -> list[str]:
        """Return the names of the values files in ``ci``."""
        return sorted(path.name.removesuffix("-values.yaml") for path in self.folder.glob("ci/*"))

    def render(self, case: str = "least", /, *more: str, release: str = RELEASE) -> Rendered:
        """Return a release's objects.

        Args:
            case: the values file.
            more: values on top of it, ``key=value``.
            release: its name.

        Raises:
            Refused: by Helm.
        """
        key = (case, release, *more)
        if key not in self.kept:
            self.kept[key] = Rendered(tuple(self._objects(case, release, more)))
        return self.kept[key]

    def _objects(self, case: str, release: str, more: tuple[str, ...]) -> Iterator[Object]:
        command = ["template", release, str(self.folder), "--kube-version", KUBERNETES]
        text = self.helm(*command, *self.values(case, *more))
        yield from (each for each in yaml.load_all(text, Loader) if each)

    def values(self, case: str, *more: str) -> list[str]:
        """Return Helm's options for the values of a case, and more."""
        sets = [part for each in more for part in ("--set", each)]
        file = self.folder / "ci" / f"{case}-values.yaml"
        return ["--values", str(file), *sets, "--namespace", NAMESPACE]

    def helm(self, *arguments: str, env: Mapping[str, str] | None = None) -> str:
        """Run Helm; return what it prints.

        Raises:
            Refused: its status is not 0.
        """
        done = subprocess.run(
            [require("helm"), *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **(env or {})},
        )
        if done.returncode:
            raise Refused(done.stderr + done.stdout)
        return done.stdout

    def refusal(self, *more: str, case: str = "least") -> str:
        """Return why Helm refuses values.

        Raises:
            AssertionError: it takes them.
        """
        try:
            self._refused(case, more)
        except Refused as refused:
            return str(refused)
        raise AssertionError(f"expected {more} to be refused")

    def _refused(self, case: str, more: tuple[str, ...]) -> None:
        self.render(case, *more)


class Loader(yaml.CSafeLoader):
    """Reads YAML fast, and refuses a key that stands twice, which Kubernetes would not."""


def _mapping(loader: Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    loader.flatten_mapping(node)
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        assert key not in found, f"{key} stands twice, line {key_node.start_mark.line + 1}"
        found[key] = loader.construct_object(value_node, deep=True)
    return found


Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
