"""The pipeline: whether events are judged, in time and all of them, kept and shown."""

from typing import Final

from deploy.grafana.panels import (
    Dashboard,
    Row,
    bars,
    graph,
    increase,
    quantile,
    rate,
    series,
    stat,
)

DELAY: Final = "pitwatch_judged_delay_seconds"
AGE: Final = "pitwatch_event_age_seconds"
BATCH: Final = "pitwatch_judge_seconds"
LOGGED: Final = "pitwatch_log_messages_total"
LAG: Final = series("pitwatch_partition_lag_events")
AS_OF: Final = series("pitwatch_console_as_of_timestamp_seconds")
WITHIN_A_SECOND: Final = 'le="1.0"'
DOES_JUDGE: Final = 'state="judging"'
IN_TIME: Final = f"sum({rate(f'{DELAY}_bucket', WITHIN_A_SECOND)})"
JUDGED: Final = f"sum({rate(f'{DELAY}_count')})"

_JUDGING: Final = Row(
    "Judging",
    (
        stat(
            "Workers judging",
            "Workers that have read their tables' states back and judge.",
            "none",
            f"sum({series('pitwatch_worker_state', DOES_JUDGE)})",
        ),
        stat(
            "Events not judged",
            "Records of the deal topic that no worker has judged yet.",
            "none",
            f"sum({LAG})",
            limit=1000,
        ),
        stat(
            "Delay, 99 of 100",
            "From the gateway's receipt to judged; of a hundred events one takes longer.",
            "s",
            quantile(0.99, DELAY),
            limit=1,
        ),
        stat(
            "Judged late",
            "The part of the events that was judged more than a second after its receipt; at most "
            "one in a hundred should be.",
            "percentunit",
            f"1 - {IN_TIME} / ({JUDGED} > 0)",
            limit=0.01,
        ),
        stat(
            "Set aside in the last hour",
            "Records that became dead letters within the last hour.",
            "none",
            f"sum({increase('pitwatch_dead_letters_total', over='1h')})",
            limit=1,
        ),
        stat(
            "Versions running",
            "How many versions of Pitwatch run side by side.",
            "none",
            f"count(count by (version) ({series('pitwatch_build_info')}))",
            limit=2,
        ),
        graph(
            "Events judged",
            "Events that each worker judges a second.",
            "cps",
            (f"sum by (instance) ({rate('pitwatch_events_total')})", "{{instance}}"),
            stacked=True,
        ),
        graph(
            "Delay from receipt to judged",
            "Of a hundred events fifty, five and one take longer than the lines; a second is the "
            "promise.",
            "s",
            (quantile(0.5, DELAY), "50 of 100"),
            (quantile(0.95, DELAY), "95 of 100"),
            (quantile(0.99, DELAY), "99 of 100"),
            limit=1,
        ),
        graph(
            "Age from device to judged",
            "By the device's clock: what a device or a gateway kept is old when it is judged.",
            "s",
            (quantile(0.5, AGE), "50 of 100"),
            (quantile(0.99, AGE), "99 of 100"),
        ),
        graph(
            "Time of a batch",
            "How long a batch took to be read, judged and acknowledged.",
            "s",
            (quantile(0.5, BATCH), "50 of 100"),
            (quantile(0.99, BATCH), "99 of 100"),
        ),
        graph(
            "Lag by partition",
            "Records that are not judged yet, of each partition.",
            "none",
            (f"sum by (partition) ({LAG})", "{{partition}}"),
            stacked=True,
        ),
        graph(
            "Time since a worker came forward",
            "Having nothing to judge is coming forward; more than 30 s for two minutes is told.",
            "s",
            (
                f"time() - max by (instance) ({series('pitwatch_progress_timestamp_seconds')})",
                "{{instance}}",
            ),
            limit=30,
        ),
        graph(
            "What workers do",
            "How many workers start, recover, judge and stop.",
            "none",
            (f"sum by (state) ({series('pitwatch_worker_state')})", "{{state}}"),
            stacked=True,
        ),
        graph(
            "Time of the last recovery",
            "How long each worker last took to read its tables' states back.",
            "s",
            (f"max by (instance) ({series('pitwatch_recovery_seconds')})", "{{instance}}"),
            limit=120,
        ),
        graph(
            "Sequences",
            "What the devices' sequences did, a second: sent twice, missing, too late.",
            "cps",
            (f"sum({rate('pitwatch_duplicates_total')})", "duplicates"),
            (f"sum({rate('pitwatch_sequence_gaps_total')})", "gaps"),
            (f"sum({rate('pitwatch_late_events_total')})", "late"),
        ),
    ),
)

_SET_ASIDE: Final = Row(
    "Set aside",
    (
        graph(
            "Dead letters by reason",
            "Records set aside within each point of the graph.",
            "none",
            (f"sum by (reason) ({increase('pitwatch_dead_letters_total')})", "{{reason}}"),
            stacked=True,
        ),
        graph(
            "Withheld by reason",
            "Unreadable records of quarantined tables that became no dead letter.",
            "none",
            (f"sum by (reason) ({increase('pitwatch_dead_letters_withheld_total')})", "{{reason}}"),
            stacked=True,
        ),
        graph(
            "Tables quarantined",
            "Tables whose records are mostly unreadable.",
            "none",
            (f"sum by (instance) ({series('pitwatch_tables_quarantined')})", "{{instance}}"),
            limit=1,
        ),
    ),
)

_HISTORY: Final = Row(
    "History",
    (
        graph(
            "Not in the database yet",
            "Records of each topic that the historian has not written.",
            "none",
            (f"sum by (topic) ({series('pitwatch_historian_lag_events')})", "{{topic}}"),
            limit=1000,
        ),
        graph(
            "Rows written",
            "Rows that the historian writes a second, of each kind.",
            "cps",
            (f"sum by (kind) ({rate('pitwatch_historian_rows_total')})", "{{kind}}"),
        ),
        graph(
            "Time since the last commit",
            "It grows where nothing is to be written, too; with records waiting it is an outage.",
            "s",
            (
                "time() - max by (instance) "
                f"({series('pitwatch_historian_commit_timestamp_seconds')})",
                "{{instance}}",
            ),
        ),
        graph(
            "Records without a row",
            "Records that made no row, and those that Kafka deleted before they were read.",
            "none",
            (
                f"sum by (reason) ({increase('pitwatch_historian_skipped_events_total')})",
                "{{reason}}",
            ),
            (f"sum({increase('pitwatch_historian_missed_events_total')})", "missed"),
            width=12,
        ),
        graph(
            "Rows deleted",
            "Rows whose time was over, within each point of the graph.",
            "none",
            (f"sum by (kind) ({increase('pitwatch_historian_deleted_rows_total')})", "{{kind}}"),
            width=12,
        ),
    ),
)

_CONSOLE: Final = Row(
    "Console",
    (
        graph(
            "Live pages",
            "Pages that are connected to each console, and those that were turned away.",
            "none",
            (f"sum by (instance) ({series('pitwatch_console_clients')})", "{{instance}}"),
            (f"sum({increase('pitwatch_console_clients_refused_total')})", "turned away"),
        ),
        graph(
            "Age of what pages show",
            "Since when Kafka has not answered each console.",
            "s",
            (
                f"time() - max by (instance) ({AS_OF})",
                "{{instance}}",
            ),
            limit=5,
        ),
        graph(
            "Feed",
            "Consoles that Kafka does not answer, and how often topics were read anew.",
            "none",
            (f"sum({series('pitwatch_console_feed_lost')})", "lost"),
            (f"sum({increase('pitwatch_console_feed_restarts_total')})", "read anew"),
            limit=1,
        ),
        graph(
            "Records read",
            "Records that consoles read a second, of each topic.",
            "cps",
            (f"sum by (topic) ({rate('pitwatch_console_records_total')})", "{{topic}}"),
        ),
        graph(
            "Records that could not be read",
            "A console that is older than the workers reads some of what they write not at all.",
            "none",
            (
                f"sum by (topic) ({increase('pitwatch_console_unreadable_records_total')})",
                "{{topic}}",
            ),
            limit=1,
        ),
        graph(
            "Frames made",
            "Frames that each console makes a second, once for all its pages.",
            "cps",
            (f"sum by (instance) ({rate('pitwatch_console_frames_total')})", "{{instance}}"),
        ),
    ),
)

_LOGS: Final = Row(
    "Logs",
    (
        graph(
            "Warnings and errors",
            "Warnings and errors that each job logged within each point of the graph.",
            "none",
            (f"sum by (job, level) ({increase(LOGGED)}) or vector(0)", "{{job}} {{level}}"),
            stacked=True,
            width=12,
        ),
        bars(
            "Messages that came most in an hour",
            "The ten messages of warnings and errors that came most; none on a well day.",
            "none",
            f"topk(10, sum by (message) ({increase(LOGGED, over='1h')})) or vector(0)",
            "{{message}}",
            width=12,
        ),
    ),
)

PIPELINE: Final = Dashboard(
    name="pipeline",
    title="Pipeline",
    description="Whether events are judged, in time and all of them, written and shown.",
    known_by="pitwatch_build_info",
    rows=(_JUDGING, _SET_ASIDE, _HISTORY, _CONSOLE, _LOGS),
)
