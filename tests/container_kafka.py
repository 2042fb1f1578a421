"""Kafka as a container of the image `pitwatch-kafka`, through testcontainers."""

import os
import time
from types import TracebackType
from typing import Any, Final, Self

from deploy.images.engine import Engine
from deploy.local.kafka import STOP_SECONDS, serves
from deploy.local.node import CLIENTS
from deploy.local.ports import LOOPBACK, answers, free_port

# Its helper that removes containers after a crash is an image of its own, which no registry gives
# here. It reads this when it is imported.
os.environ["TESTCONTAINERS_RYUK_DISABLED"] = "true"

from testcontainers.core.container import DockerContainer

POLL_SECONDS: Final = 0.1

PATIENCE: Final = 180.0
"""Seconds for a start: a busy machine takes long, a broken container for ever."""

SCRATCH: Final = {"/tmp": ""}  # noqa: S108  of the container, which nobody else is in


class KafkaContainer(DockerContainer):
    """The image's node at a port of this machine's loopback address."""

    def __init__(self, one: Engine, image: str, port: int) -> None:
        super().__init__(image, docker_client_kw={"environment": one.environment})
        # Docker's client takes an address too, for which testcontainers' own method has no place.
        bind: Any = (LOOPBACK, port)
        self.ports[f"{CLIENTS}/tcp"] = bind
        self.with_env("PITWATCH_KAFKA_ADVERTISED", f"{LOOPBACK}:{port}")
        self.tmpfs.update(SCRATCH)
        self.with_kwargs(read_only=True, cap_drop=["ALL"])


class ContainerKafka:
    """One Kafka in a container; a context manager that starts it and removes it."""

    def __init__(self, one: Engine, image: str) -> None:
        self.port: Final = free_port()
        self._container = KafkaContainer(one, image, self.port)

    @property
    def bootstrap(self) -> str:
        """The address that clients take."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def running(self) -> bool:
        """Whether it lives, even if it is frozen."""
        self._own.reload()
        status: str = self._own.status
        return status in {"running", "paused"}

    def start(self) -> None:
        """Start it and return when it serves; what it had it still has."""
        if self._container._container is None:
            self._container.start()
        else:
            self._own.start()
        deadline = time.monotonic() + PATIENCE
        while not (answers(self.port) and serves(self.bootstrap)):
            assert self.running, self._said()
            assert time.monotonic() < deadline, self._said()
            time.sleep(POLL_SECONDS)

    def kill(self) -> None:
        """End it at once (SIGKILL), as a crash does."""
        self._own.kill()
        self._own.wait(timeout=STOP_SECONDS)

    def pause(self) -> None:
        """Freeze all its processes: connections stay open and nothing answers."""
        self._own.pause()

    def resume(self) -> None:
        """Let them go on."""
        self._own.unpause()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self._container.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._container.stop()

    @property
    def _own(self) -> Any:
        return self._container.get_wrapped_container()

    def _said(self) -> str:
        said: bytes = self._own.logs(tail=30)
        return said.decode(errors="replace")
