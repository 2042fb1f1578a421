"""The gateways: what devices send, what is refused of it, and what waits on the disk for Kafka."""

from typing import Final

from deploy.grafana.panels import Dashboard, Row, graph, increase, quantile, rate, series, stat

SPOOLED: Final = series("pitwatch_gateway_spooled_events")
OLDEST: Final = series("pitwatch_gateway_oldest_spooled_timestamp_seconds")
COMMIT: Final = "pitwatch_gateway_commit_seconds"
COME_BACK: Final = 'status=~"429|503"'

GATEWAY: Final = Dashboard(
    name="gateway",
    title="Gateway",
    description="What devices send, what is refused of it, and what waits on the disk for Kafka.",
    known_by="pitwatch_gateway_spooled_events",
    rows=(
        Row(
            "Now",
            (
                stat(
                    "Accepted",
                    "Events a second that are on the disk, and the device told so.",
                    "cps",
                    f"sum({rate('pitwatch_gateway_accepted_total')})",
                ),
                stat(
                    "Published",
                    "Events a second that Kafka has acknowledged.",
                    "cps",
                    f"sum({rate('pitwatch_gateway_published_total')})",
                ),
                stat(
                    "Waiting",
                    "Events and dead letters on the disk that Kafka has not acknowledged.",
                    "none",
                    f"sum({SPOOLED})",
                    limit=1000,
                ),
                stat(
                    "Oldest waiting",
                    "How long the oldest of them has waited; more than a minute is told.",
                    "s",
                    f"(time() - min({OLDEST})) >= 0 or vector(0)",
                    limit=60,
                ),
                stat(
                    "Lines refused in the last hour",
                    "Lines that are no events of the contract, and entries the disk did not keep.",
                    "none",
                    f"sum({increase('pitwatch_gateway_rejected_total', over='1h')})",
                    limit=1,
                ),
                stat(
                    "Told to come back in the last hour",
                    "Requests answered 429 or 503: the spool was full, the disk failed, or a "
                    "device said too much.",
                    "none",
                    f"sum({increase('pitwatch_gateway_requests_total', COME_BACK, over='1h')})",
                    limit=1,
                ),
            ),
        ),
        Row(
            "Intake",
            (
                graph(
                    "Accepted and published",
                    "Events a second in and out, of all gateways; on a well day one line.",
                    "cps",
                    (f"sum({rate('pitwatch_gateway_accepted_total')})", "accepted"),
                    (f"sum({rate('pitwatch_gateway_published_total')})", "published"),
                ),
                graph(
                    "Accepted by gateway",
                    "Events a second that each gateway accepts.",
                    "cps",
                    (
                        f"sum by (instance) ({rate('pitwatch_gateway_accepted_total')})",
                        "{{instance}}",
                    ),
                    stacked=True,
                ),
                graph(
                    "Requests by status",
                    "Requests answered a second, by status.",
                    "reqps",
                    (f"sum by (status) ({rate('pitwatch_gateway_requests_total')})", "{{status}}"),
                    stacked=True,
                ),
                graph(
                    "Lines refused by reason",
                    "Lines refused within each point of the graph; each is a dead letter.",
                    "none",
                    (
                        f"sum by (reason) ({increase('pitwatch_gateway_rejected_total')})",
                        "{{reason}}",
                    ),
                    stacked=True,
                ),
                graph(
                    "Sent again",
                    "Events a second that devices sent again, that the gateway sent again, and "
                    "that came after their place in a table's order.",
                    "cps",
                    (f"sum({rate('pitwatch_gateway_duplicates_total')})", "by devices"),
                    (f"sum({rate('pitwatch_gateway_resent_total')})", "by gateways"),
                    (f"sum({rate('pitwatch_gateway_late_events_total')})", "late in the order"),
                ),
                graph(
                    "Time of a write to the disk",
                    "A write to the spool with its sync, which a device waits for.",
                    "s",
                    (quantile(0.5, COMMIT), "50 of 100"),
                    (quantile(0.99, COMMIT), "99 of 100"),
                    limit=0.25,
                ),
            ),
        ),
        Row(
            "Devices",
            (
                graph(
                    "Turned away by reason",
                    "Requests of devices that were not let in, or said too much.",
                    "none",
                    (
                        f"sum by (reason) ({increase('pitwatch_gateway_turned_away_total')})",
                        "{{reason}}",
                    ),
                    stacked=True,
                    width=8,
                ),
                graph(
                    "Connections cut by reason",
                    "Too many open, idle for longest where another needed room, or too slow.",
                    "none",
                    (
                        f"sum by (reason) ({increase('pitwatch_gateway_connections_cut_total')})",
                        "{{reason}}",
                    ),
                    stacked=True,
                    width=8,
                ),
                graph(
                    "Changed files that could not be used",
                    "Files of keys, certificates and devices; what they said before holds.",
                    "none",
                    (
                        f"sum by (file) ({increase('pitwatch_reload_failures_total')})",
                        "{{file}}",
                    ),
                    limit=1,
                    width=8,
                ),
            ),
        ),
        Row(
            "Spool",
            (
                graph(
                    "Waiting by gateway",
                    "Events and dead letters that Kafka has not acknowledged.",
                    "none",
                    (f"sum by (instance) ({SPOOLED})", "{{instance}}"),
                ),
                graph(
                    "Oldest waiting by gateway",
                    "How long the oldest of each gateway has waited; no line while nothing waits.",
                    "s",
                    (f"time() - min by (instance) ({OLDEST})", "{{instance}}"),
                    limit=60,
                ),
                graph(
                    "Bytes on the disk",
                    "What each spool takes; it may hold --spool-mebibytes.",
                    "bytes",
                    (
                        f"sum by (instance) ({series('pitwatch_gateway_spool_bytes')})",
                        "{{instance}}",
                    ),
                ),
            ),
        ),
    ),
)
