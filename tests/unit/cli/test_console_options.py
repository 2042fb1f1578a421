"""What `pitwatch console` refuses before it serves anything."""

import pytest
from click.testing import CliRunner

from deploy.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--host", "192.0.2.1"), "expected a loopback address, found 192.0.2.1: passwords"),
        (
            ("--host", "console.test"),
            "say --behind-https if a proxy ends TLS, or --insecure-listen",
        ),
        (("--proxy", "everyone"), "expected an address or a network such as 10.0.0.0/8"),
        (("--zone", "Nowhere"), "expected a time zone's name such as America/New_York"),
        (("--command-key", "console:12"), "expected NAME:HEX"),
    ],
)
def test_it_is_refused_in_words(arguments: tuple[str, ...], said: str) -> None:
    result = CliRunner().invoke(main, ["console", *arguments])
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
