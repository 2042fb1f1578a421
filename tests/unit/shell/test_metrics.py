from dataclasses import replace

from prometheus_client import generate_latest

from streams.core.projection import view
from streams.core.table import new_table
from streams.core.views import TableView, ViewStanding
from streams.rulebooks import load
from streams.shell.metrics import BatchHistogram, WorkerMetrics

BOOK = load()


def made() -> WorkerMetrics:
    return WorkerMetrics(BOOK, "1.2.3", ("late_event",))


def text(metrics: WorkerMetrics) -> str:
    return generate_latest(metrics.registry).decode()


def shown(
    table: str,
    *,
    game: str | None = "caribbean_stud",
    stub: int | None = 3,
    received: int | None = None,
) -> TableView:
    return replace(
        view(new_table(table)),
        game=game,
        open=True,
        rounds_since_stub_count=stub,
        standing=(ViewStanding("stub_count_wrong", "1", "critical", 3, 5),),
        last_event_at=1_500_000,
        last_received=received,
    )


def test_every_series_that_the_rulebook_knows_begins_with_nought() -> None:
    page = text(made())
    for code, rule in BOOK.rules.items():
        for game in rule.games:
            assert (
                f'pitwatch_findings_total{{class="{rule.class_}",code="{code}",game="{game}",'
                f'severity="{rule.severity}"}} 0.0'
            ) in page
    assert 'pitwatch_dead_letters_total{reason="late_event"} 0.0' in page
    assert 'pitwatch_events_total{game="blackjack",kind="card_dealt"} 0.0' in page
    assert 'pitwatch_findings_standing{code="stub_count_wrong"} 0.0' in page
    assert 'pitwatch_build_info{version="1.2.3"} 1.0' in page


def test_a_tables_series_leave_with_its_partition() -> None:
    metrics = made()
    metrics.tables.show(1, [shown("CS-01"), shown("CS-02", game=None, stub=None)])
    metrics.tables.show(2, [shown("CS-03")])
    page = text(metrics)
    assert 'pitwatch_rounds_since_stub_count{table="CS-01"} 3.0' in page
    assert 'pitwatch_rounds_since_stub_count{table="CS-02"}' not in page
    assert 'pitwatch_table_open{game="none",table="CS-02"} 1.0' in page
    assert 'pitwatch_last_event_timestamp_seconds{table="CS-03"} 1.5' in page
    assert 'pitwatch_findings_standing{code="stub_count_wrong"} 3.0' in page
    metrics.tables.keep({2})
    page = text(metrics)
    assert "CS-01" not in page
    assert "CS-03" in page
    assert 'pitwatch_findings_standing{code="stub_count_wrong"} 1.0' in page


def test_silence_is_not_for_a_devices_clock_to_say() -> None:
    metrics = made()
    metrics.tables.show(1, [shown("CS-01", received=9_500_000), shown("CS-02")])
    page = text(metrics)
    assert 'pitwatch_last_event_timestamp_seconds{table="CS-01"} 9.5' in page
    assert 'pitwatch_last_event_timestamp_seconds{table="CS-02"} 1.5' in page


def test_a_histogram_takes_a_batch_at_once() -> None:
    histogram = BatchHistogram("seconds", "Text.", (0.1, 1.0))
    histogram.observe([0.05, 0.1, 0.5, 30.0])
    histogram.observe([])
    histogram.observe([2.0])
    (family,) = histogram.collect()
    samples = {sample.name + sample.labels.get("le", ""): sample.value for sample in family.samples}
    assert samples == {
        "seconds_bucket0.1": 2,
        "seconds_bucket1.0": 3,
        "seconds_bucket+Inf": 5,
        "seconds_count": 5,
        "seconds_sum": 32.65,
    }


def test_lag_is_asked_for_at_each_scrape() -> None:
    metrics = made()
    lag = {3: 10}
    metrics.watch_lag(lambda: lag)
    assert 'pitwatch_partition_lag_events{partition="3"} 10.0' in text(metrics)
    lag.clear()
    assert "pitwatch_partition_lag_events{" not in text(metrics)


def test_a_worker_does_one_thing_at_a_time() -> None:
    metrics = made()
    metrics.enter("judging")
    page = text(metrics)
    assert 'pitwatch_worker_state{state="judging"} 1.0' in page
    assert 'pitwatch_worker_state{state="starting"} 0.0' in page


def test_coming_forward_leaves_a_time() -> None:
    metrics = made()
    assert "pitwatch_progress_timestamp_seconds 0.0" in text(metrics)
    metrics.came_forward()
    assert "pitwatch_progress_timestamp_seconds 0.0" not in text(metrics)
