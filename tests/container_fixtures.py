"""An engine for containers and the images made here, for the tests that run them."""

from collections.abc import Iterator

import pytest

from deploy.images.build import Images, build
from deploy.images.engine import Engine, EngineFault, engine
from tests.require import absent


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[Engine]:
    """The run's Docker engine: the one that answers, else one of its own."""
    opened = engine()
    try:
        one = opened.__enter__()
    except EngineFault as fault:
        absent("dockerd", str(fault))
        raise AssertionError from fault  # absent always raises; this tells the type checker
    try:
        yield one
    finally:
        opened.__exit__(None, None, None)


@pytest.fixture(scope="session")
def images(docker_engine: Engine) -> Images:
    """The names of both images, built of this checkout."""
    return build(docker_engine)
