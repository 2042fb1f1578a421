"""The values that the chart's README tells its reader to write are taken as they stand there."""

from pathlib import Path

import pytest

from tests.chart.rendering import KUBERNETES, Chart
from tests.cluster.readme import README, read

FLOOR = """
[[pits]]
name = "main"
[[gateways]]
name = "pitwatch-gateway-0"
tables = []
"""


@pytest.mark.parametrize("heading", ["Install", "A floor in use"])
def test_the_readmes_values_are_taken(chart: Chart, heading: str, tmp_path: Path) -> None:
    values, floor = tmp_path / "values.yaml", tmp_path / "floor.toml"
    values.write_text(read(README.read_text(encoding="utf-8")).values[heading], encoding="utf-8")
    floor.write_text(FLOOR, encoding="utf-8")
    named = ("--values", str(values), "--set-file", f"floor={floor}", "--kube-version", KUBERNETES)
    text = chart.helm("template", "pitwatch", str(chart.folder), *named)
    trial = heading == "Install"
    assert ("--insecure-listen" in gateway(text)) == trial
    assert ("--device-tokens" in gateway(text)) == (not trial)
    assert ("--gateway-keys" in text) == (not trial)


def gateway(text: str) -> str:
    """Return the StatefulSet of the gateways, as it is rendered."""
    (found,) = (
        each for each in text.split("\n---\n") if "kind: StatefulSet" in each and "--spool=" in each
    )
    return found
