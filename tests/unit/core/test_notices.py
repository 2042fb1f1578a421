"""What a worker says of a table by itself: the same each time it says it, and of its table."""

from dataclasses import replace

from streams.core.advance import advance, advance_all
from streams.core.notices import deals_lost, judge_error
from streams.core.table import new_table
from tests.shell_models import book, recorded

EVENTS = recorded("cs-legal-12-rounds")[:40]
STATE = advance_all(new_table(EVENTS[0].table), EVENTS, book()).state


def test_lost_deals_are_told_in_the_tables_own_words() -> None:
    finding = deals_lost(STATE, (17, 90), book())
    assert (finding.code, finding.state, finding.severity) == ("deals_lost", "raised", "critical")
    assert (finding.class_, finding.clause) == ("telemetry", "telemetry")
    assert (finding.table, finding.game) == (STATE.table, "caribbean_stud")
    assert (finding.round, finding.at) == (STATE.round_number, STATE.last_event_at)
    assert (finding.events, dict(finding.detail)) == ((), {"first": 17, "last": 90})


def test_the_same_loss_has_the_same_id_and_another_another() -> None:
    one = deals_lost(STATE, (17, 90), book())
    assert one == deals_lost(STATE, (17, 90), book())
    assert one.id != deals_lost(STATE, (17, 91), book()).id
    assert one.id != deals_lost(new_table("T-2"), (17, 90), book()).id


def test_a_table_that_never_opened_can_lose_deals() -> None:
    state = advance(new_table(STATE.table), EVENTS[5], book()).state
    finding = deals_lost(state, (0, 9), book())
    assert (finding.game, finding.round, finding.at) == (None, 0, EVENTS[5].at)


def test_an_event_that_cannot_be_judged_is_named_with_its_place() -> None:
    finding = judge_error(STATE, EVENTS[-1], (3, 700), book())
    assert dict(finding.detail) == {"partition": 3, "offset": 700}
    assert finding.events == (EVENTS[-1].identity,)
    assert finding.severity == "critical"
    other = replace(EVENTS[-1], seq=EVENTS[-1].seq + 1)
    assert finding.id != judge_error(STATE, other, (3, 701), book()).id
