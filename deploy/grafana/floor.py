"""The floor: which tables play, which are silent, whose stub is due, and what is found."""

from typing import Final

from deploy.grafana.panels import Dashboard, Row, bars, graph, increase, rate, series, stat

OPEN: Final = f"max by (table) ({series('pitwatch_table_open')})"
LAST: Final = f"max by (table) ({series('pitwatch_last_event_timestamp_seconds')})"
ALLOWED: Final = f"max by (table) ({series('pitwatch_table_silence_allowed_seconds')})"
STUB: Final = f"min by (table) ({series('pitwatch_rounds_since_stub_count')})"
ASKING: Final = 'state=~"unacknowledged|returned_unacknowledged"'
GRAVEST: Final = series("pitwatch_oldest_unanswered_alarm_timestamp_seconds", 'severity="critical"')

FLOOR: Final = Dashboard(
    name="floor",
    title="Floor",
    description="What is played, which tables are silent, whose stub is due, and what is found.",
    known_by="pitwatch_build_info",
    rows=(
        Row(
            "Now",
            (
                stat("Tables open", "Tables that are open now.", "none", f"sum({OPEN})"),
                stat(
                    "Tables silent",
                    "Open tables of which nothing was heard for longer than the inventory allows: "
                    "what is dealt there is not watched.",
                    "none",
                    f"count((time() - {LAST} > on (table) {ALLOWED}) and on (table) {OPEN} == 1) "
                    "or vector(0)",
                    limit=1,
                ),
                stat(
                    "Rounds in the last hour",
                    "Rounds closed at all tables within the last hour.",
                    "none",
                    f"sum({increase('pitwatch_rounds_closed_total', over='1h')})",
                ),
                stat(
                    "Alarms asking",
                    "Alarms that ask for an answer now, whatever their severity.",
                    "none",
                    f"sum({series('pitwatch_alarms', ASKING)})",
                    limit=10,
                ),
                stat(
                    "Longest wait, critical",
                    "How long the critical alarm that waits longest has asked for an answer; "
                    "nought where none does. More than five minutes is told to surveillance.",
                    "s",
                    f"(time() - min({GRAVEST})) >= 0 or vector(0)",
                    limit=300,
                ),
                stat(
                    "Longest without a stub count",
                    "Rounds since the stub was counted, of the table that has had most; five is "
                    "the limit of N.J.A.C. 13:69F-16.8(e) and 13:69F-27.8(e).",
                    "none",
                    f"max({STUB})",
                    limit=5,
                ),
            ),
        ),
        Row(
            "Play",
            (
                graph(
                    "Tables open by game",
                    "Open tables of each game.",
                    "none",
                    (
                        f"sum by (game) (max by (table, game) ({series('pitwatch_table_open')}))",
                        "{{game}}",
                    ),
                    stacked=True,
                ),
                graph(
                    "Rounds an hour by game",
                    "Rounds closed, as many as there would be in an hour at this pace.",
                    "none",
                    (f"3600 * sum by (game) ({rate('pitwatch_rounds_closed_total')})", "{{game}}"),
                ),
                graph(
                    "Events by kind",
                    "Events judged a second, of each kind.",
                    "cps",
                    (f"sum by (kind) ({rate('pitwatch_events_total')})", "{{kind}}"),
                    stacked=True,
                ),
                graph(
                    "Longest silent tables",
                    "The ten open tables of which nothing was heard for longest.",
                    "s",
                    (f"topk(10, (time() - {LAST}) and on (table) {OPEN} == 1)", "{{table}}"),
                    width=12,
                ),
                graph(
                    "Rounds since the stub was counted",
                    "The ten tables dealt from the hand that wait longest for a count; it is due "
                    "within five rounds.",
                    "none",
                    (f"topk(10, {STUB})", "{{table}}"),
                    limit=5,
                    width=12,
                ),
            ),
        ),
        Row(
            "Findings",
            (
                graph(
                    "Findings by class",
                    "Findings raised within each point of the graph, by class.",
                    "none",
                    (f"sum by (class) ({increase('pitwatch_findings_total')})", "{{class}}"),
                    stacked=True,
                ),
                graph(
                    "Findings by severity",
                    "Findings raised within each point of the graph, by severity.",
                    "none",
                    (f"sum by (severity) ({increase('pitwatch_findings_total')})", "{{severity}}"),
                    stacked=True,
                ),
                bars(
                    "Findings that stand",
                    "The ten codes that stand at most tables now.",
                    "none",
                    f"topk(10, sum by (code) ({series('pitwatch_findings_standing')}))",
                    "{{code}}",
                ),
            ),
        ),
    ),
)
