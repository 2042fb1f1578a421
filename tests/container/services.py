"""The images of others that tests need, made from Debian's packages (services.Dockerfile)."""

from pathlib import Path
from typing import Final

from deploy.images.debian import debian_image
from deploy.images.engine import Engine

HERE: Final = Path(__file__).parent
DEBIAN: Final = "pitwatch-test-services:bookworm"
PACKAGES: Final = ("postgresql", "prometheus", "prometheus-alertmanager")


def service_image(one: Engine, name: str) -> str:
    """Build the image of PostgreSQL, Prometheus or Alertmanager, and return what it is called."""
    debian_image(one, DEBIAN, PACKAGES)
    image = f"pitwatch-test-{name}"
    build = ("build", "--network=none", f"--build-arg=BASE={DEBIAN}", f"--target={name}")
    one.run(*build, f"--tag={image}", "--file", HERE / "services.Dockerfile", HERE)
    return image
