"""The run's secured Kafka, for all tests that ask who may do what."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.secured_kafka import Secured


@pytest.fixture(scope="session")
def secured(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Secured]":
    """A secured Kafka that serves all tests; see :mod:`tests.secured_kafka`."""
    from tests.secured_kafka import secured_kafka  # noqa: PLC0415  tests without Kafka do not load it

    with secured_kafka(tmp_path_factory.mktemp("secured")) as running:
        yield running
