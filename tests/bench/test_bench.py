"""Every measure runs, on a small size; what it measures is told to those who run `make bench`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench import baseline
from tests.bench.__main__ import MEASURES, main
from tests.bench.quix import NotInstalled, quix_python
from tests.bench.rows import SMALL, Row
from tests.kafka_fixtures import Broker

WITHOUT_KAFKA = ("core", "check", "tracing")
STOCK = Path(__file__).with_name("stock_agent.py")


def test_a_run_of_some_measures_has_a_report_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = tmp_path / "bench.json"
    whole.write_text("as it was")
    assert main([*WITHOUT_KAFKA], SMALL, tmp_path) in (0, 1)
    assert whole.read_text() == "as it was"
    rows = json.loads((tmp_path / "bench-core-check-tracing.json").read_text())["rows"]
    assert [set(row) for row in rows] == [{"name", "value", "unit", "least", "holds"}] * len(rows)
    assert {"advance alone", "pitwatch check on a file", "tracing switched off"} <= {
        row["name"] for row in rows
    }
    assert all(row["value"] > 0 for row in rows)
    assert "limited by" in capsys.readouterr().out


def test_a_measure_that_is_not_known_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["speed"], SMALL, tmp_path) == 2
    assert "expected some of core, check, worker" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.kafka
@pytest.mark.parametrize("name", [name for name in MEASURES if name not in WITHOUT_KAFKA])
def test_a_measure_on_kafka_runs(name: str, kafka: Broker) -> None:
    rows = MEASURES[name](replace(SMALL, bootstrap=kafka.bootstrap))
    assert any(row.least is not None and row.limit for row in rows)
    # What is synced is published and answered at once, so a finding can be read before its 202 is.
    # Where there is no network to install Quix Streams from, its row says so.
    assert all(
        row.value > 0 or "could not be installed" in row.limit
        for row in rows
        if "202 to" not in row.name
    )


def test_what_quix_streams_cannot_be_installed_from_is_told(tmp_path: Path) -> None:
    pins = tmp_path / "pins.txt"
    pins.write_text("--no-index\nquixstreams==0.0.0 --hash=sha256:" + "0" * 64)
    with pytest.raises(NotInstalled, match=r"could not be installed: ERROR: .*quixstreams"):
        quix_python(tmp_path / "environment", pins)


def test_a_ratio_a_tenth_worse_than_the_baseline_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "baseline.json"
    baseline.write(path, [Row("kept", 3, "x stock"), Row("speed", 9, "events/s")])
    baseline.write(path, [Row("advance alone", 1e9, "x fastavro decode"), Row("none", 0, "x Quix")])
    assert baseline.load(path) == {"advance alone": 1e9, "kept": 3}
    assert (
        baseline.worse([Row("kept", 2.71, "x stock"), Row("new", 1, "x stock")], {"kept": 3}) == []
    )
    (told,) = baseline.worse([Row("kept", 2.69, "x stock")], {"kept": 3})
    assert told.startswith("kept: expected at least 2.7 x stock, a tenth less than")
    assert main(["core"], SMALL, tmp_path, path) == 1
    assert "advance alone: expected at least 9e+08" in capsys.readouterr().err
    assert main(["core", "--write-baseline"], SMALL, tmp_path, path) in (0, 1)
    assert baseline.load(path)["advance alone"] < 1e9


def test_the_committed_baseline_is_of_ratios_that_are_measured() -> None:
    sources = "".join(path.read_text() for path in STOCK.parent.glob("*.py"))
    for name, ratio in baseline.load(baseline.BASELINE).items():
        assert name.partition(",")[0] in sources
        assert ratio > 0


def test_a_bound_holds_from_its_own_side() -> None:
    assert Row("at least", 8, "x", 8).holds
    assert not Row("at least", 7.9, "x", 8).holds
    assert Row("at most", 250, "ms", 250, at_most=True).holds
    assert not Row("at most", 251, "ms", 250, at_most=True).holds
    assert Row("told", 0, "x").holds


def test_the_stock_agent_is_as_short_as_it_can_be() -> None:
    assert STOCK.read_text().count("\n") < 60
