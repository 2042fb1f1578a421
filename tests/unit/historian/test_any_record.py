"""Whatever a record may say, both databases take it, and give back what it said."""

from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from schemas.records import Alarm, AnyRecord, Finding, OperatorCommand, Round
from streams.database import history, queries, writing
from streams.database.export import WHAT, export
from streams.database.queries import NEVER
from streams.database.search import LARGEST_PAGE, Search
from tests.history_database import fill, rows_in
from tests.record_strategies import structs

RECORDS: st.SearchStrategy[AnyRecord] = st.one_of(
    structs(Round),
    structs(Finding).map(lambda finding: msgspec.structs.replace(finding, state="raised")),
    structs(Alarm),
    structs(OperatorCommand),
)
TABLES = (history.rounds, history.round_findings, history.findings, history.alarms, history.acts)
ALL = Search(0, NEVER)


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
@given(records=st.lists(RECORDS, min_size=1, max_size=4))
def test_any_record_is_kept_and_found_again(engine: Engine, records: list[AnyRecord]) -> None:
    with writing(engine) as connection:
        for table in TABLES:
            connection.execute(table.delete())
    fill(engine, *records)
    whole: dict[type, set[Any]] = {
        Finding: {
            row.record.id for row in queries.search_findings(engine, ALL, size=LARGEST_PAGE).rows
        },
        Alarm: {row["id"] for row in rows_in(engine, history.alarms)},
        Round: set(),
    }
    for row in queries.search_rounds(engine, ALL).rows:
        full = queries.round_in_full(engine, row.opened_by)
        assert full is not None
        whole[Round].add(full.round)
    for record in records:
        match record:
            case Alarm():
                assert record.id in whole[Alarm]
            case Finding():
                assert record.id in whole[Finding]
            case Round():
                assert any(each.opened_by == record.opened_by for each in whole[Round])
            case _:
                pass
    for what in WHAT:
        for line in export(engine, what, ALL, "ndjson"):
            msgspec.json.decode(line)
        assert list(export(engine, what, ALL, "csv"))
