"""Waits at a worker's start for a Kafka that answers: Faust does not, it ends with the first error.

| what the bootstrap servers do | then |
|---|---|
| refuse, are silent, do not know the login | tried again each second; told every ten seconds |
| answer, and name no broker, or lack one of the floor's topics | the same: they are being set up |
| answer, and have all topics | Faust is started; from here on the watchdog looks after it |
| none of it for the start-up deadline | the worker ends, to be started again |

Meanwhile the process is alive and not ready, and its ``/readyz`` says what is missing.
"""

import asyncio
import contextlib
import logging
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple
from typing import Any, Final

from aiokafka.client import AIOKafkaClient
from aiokafka.errors import KafkaError, UnknownTopicOrPartitionError
from aiokafka.protocol.metadata import MetadataRequest

from streams.brokers.access import MECHANISM, PROTOCOL, AccessFault, KafkaAccess, RereadContext
from streams.brokers.reason import reason
from streams.shell.config import WorkerSettings

log = logging.getLogger(__name__)

RETRY_SECONDS: Final = 1.0
ANSWER_SECONDS: Final = 3.0
"""How long one broker may take to answer."""

TELL_SECONDS: Final = 10.0
"""How often it is told that Kafka is still waited for."""


class Start:
    """The wait of one worker.

    Args:
        settings: where Kafka is, which topics the worker has, and how long it may wait.
        beat: called each second, so that the process is known to be alive.

    Attributes:
        missing: what is waited for, in words; nothing once it is there.
    """

    def __init__(self, settings: WorkerSettings, beat: Callable[[], object]) -> None:
        self._settings = settings
        self._beat = beat
        self.missing: str | None = "Kafka was not asked yet"

    def wait(self) -> bool:
        """Wait until Kafka answers and has the topics.

        Returns:
            Whether it does; else the process was told to stop meanwhile.

        Raises:
            TimeoutError: it did not within the start-up deadline; the text says what to do.
        """
        with _without_client_log():
            return asyncio.run(self._wait())

    async def _wait(self) -> bool:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        stopping = asyncio.create_task(stop.wait())
        asking = asyncio.create_task(self._ask_on())
        try:
            while not asking.done() and not stop.is_set():
                self._beat()
                await asyncio.wait(
                    (asking, stopping),
                    timeout=RETRY_SECONDS,
                    return_when=asyncio.FIRST_COMPLETED,
                )
            if asking.done():
                await asking
            return not stop.is_set()
        finally:
            for task in (asking, stopping):
                task.cancel()
            await asyncio.gather(asking, stopping, return_exceptions=True)
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)

    async def _ask_on(self) -> None:
        """Ask until nothing is missing.

        Raises:
            TimeoutError: something still is at the deadline.
        """
        began, told_at, tries = time.monotonic(), -TELL_SECONDS, 0
        while True:
            self.missing = await missing(self._settings)
            tries += 1
            seconds = time.monotonic() - began
            if self.missing is None:
                if tries > 1:
                    log.info("Kafka answers", extra={"seconds": round(seconds), "tries": tries})
                return
            if seconds >= self._settings.away_seconds:
                raise TimeoutError(self.missing)
            if seconds - told_at >= TELL_SECONDS:
                told_at = seconds
                log.warning(
                    "waiting for Kafka",
                    extra={
                        "found": self.missing,
                        "seconds": round(seconds),
                        "tries": tries,
                        "ends_after": self._settings.away_seconds,
                    },
                )
            await asyncio.sleep(RETRY_SECONDS)


async def missing(settings: WorkerSettings) -> str | None:
    """Return what a worker lacks of Kafka, in words with what to do, or nothing.

    Args:
        settings: where Kafka is, and which topics the worker has.
    """
    place = settings.bootstrap
    client = AIOKafkaClient(
        bootstrap_servers=place.split(","),
        request_timeout_ms=int(ANSWER_SECONDS * 1000),
        **_login(settings.access),
    )
    try:
        await client.bootstrap()
        brokers = [broker.nodeId for broker in client.cluster.brokers()]
        if not brokers:
            return f"{place}: expected a Kafka with brokers, found one that names none yet"
        absent = await _absent(client, brokers, settings)
    except (KafkaError, AccessFault, OSError, TimeoutError) as error:
        why = await asyncio.to_thread(reason, place, settings.access, error)
        return (
            f"{place}: expected a Kafka that answers, found: {why}; "
            "see whether it runs, and --bootstrap"
        )
    finally:
        await client.close()
    if absent:
        return (
            f"{place}: expected the floor's topics, found none of these names: "
            f"{', '.join(absent)}; run pitwatch topics, or see --topic-prefix and --application"
        )
    return None


async def _absent(
    client: AIOKafkaClient, brokers: Sequence[int], settings: WorkerSettings
) -> list[str]:
    """Return which of the worker's topics a cluster does not have."""
    wanted = list(astuple(settings.topics))
    # Any broker may be the one that is away. False: nothing is created by asking.
    for node in brokers:
        with contextlib.suppress(KafkaError, TimeoutError):
            answer = await client.send(node, MetadataRequest(wanted, False))
            return sorted(
                name
                for code, name, *_ in answer.topics
                if code == UnknownTopicOrPartitionError.errno
            )
    raise TimeoutError("no broker that it names answers")


def _login(access: KafkaAccess) -> dict[str, Any]:
    """Return who the worker is, as aiokafka's own client takes it."""
    login = access.login
    if login is None:
        return {}
    return {
        "security_protocol": PROTOCOL,
        "sasl_mechanism": MECHANISM,
        "sasl_plain_username": login.user,
        "sasl_plain_password": login.password,
        "ssl_context": RereadContext.of(login.authorities),
    }


@contextlib.contextmanager
def _without_client_log() -> Iterator[None]:
    """Keep the client's word on each attempt out of the log: it is told here, less often."""
    client = logging.getLogger("aiokafka")
    level = client.level
    client.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        client.setLevel(level)
