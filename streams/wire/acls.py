"""Who may do what on a floor's cluster: one list, made of its topics and its inventory.

| user | may |
|---|---|
| ``gateway-NAME`` | write deals and dead letters |
| ``worker`` | read deals and commands; write what comes of them, and ticks to the deals; |
| | read and write the states; be of the workers' group |
| ``console`` | read findings, rounds, views, alarms; write commands; ask where the deals end |
| ``historian`` | read findings, rounds, alarms and commands |
| ``admin`` | make and describe topics; read deals, dead letters and states; replay deals |

A card that lies face down stands in the deals, the dead letters and the states, so gateways write
there, and of all users the worker and the administrator alone read. Who may only ask where a topic
ends is told a number and no record. Everything that is not listed is denied: no rule denies
anything by name, so that none can be forgotten.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from streams.wire.topics import APPLICATION, PREFIX, SETTINGS, changelog

ADMIN: Final = "admin"
WORKER: Final = "worker"
CONSOLE: Final = "console"
HISTORIAN: Final = "historian"
USERS: Final = (ADMIN, WORKER, CONSOLE, HISTORIAN)
"""All users but the gateways', who have one each."""

GATEWAY: Final = "gateway-"
"""What a gateway's user begins with, before its name, so that none is called as another user."""

TOPIC: Final = "topic"
GROUP: Final = "group"
Resource = Literal["topic", "group"]

READ: Final = "read"
WRITE: Final = "write"
CREATE: Final = "create"
DESCRIBE: Final = "describe"
DESCRIBE_CONFIGS: Final = "describe_configs"
Operation = Literal["read", "write", "create", "describe", "describe_configs"]
"""Whoever may read or write a topic may describe it too, by Kafka's own rules."""

DEALS: Final = "deals.v1"
DEAD: Final = "deals.dead.v1"
FINDINGS: Final = "findings.v1"
ROUNDS: Final = "rounds.v1"
TABLES: Final = "tables.v1"
ALARMS: Final = "alarms.v1"
COMMANDS: Final = "commands.v1"
STATES: Final = "states"
"""Stands for the state topic, whose name is the workers'."""

_MAY: Final[dict[str, dict[Operation, tuple[str, ...]]]] = {
    GATEWAY: {WRITE: (DEALS, DEAD)},
    WORKER: {
        READ: (DEALS, COMMANDS, STATES),
        WRITE: (DEALS, FINDINGS, ROUNDS, TABLES, ALARMS, DEAD, STATES),
    },
    CONSOLE: {
        READ: (FINDINGS, ROUNDS, TABLES, ALARMS),
        WRITE: (COMMANDS,),
        DESCRIBE: (DEALS,),
    },
    HISTORIAN: {READ: (FINDINGS, ROUNDS, ALARMS, COMMANDS)},
    ADMIN: {
        READ: (DEALS, DEAD, STATES),
        WRITE: (DEALS,),
        CREATE: (*SETTINGS, STATES),
        DESCRIBE: (*SETTINGS, STATES),
        DESCRIBE_CONFIGS: (*SETTINGS, STATES),
    },
}


@dataclass(frozen=True, slots=True, order=True)
class Acl:
    """One thing that one user may do; on a cluster, an ACL that allows it from every host.

    Attributes:
        user: its name, without Kafka's ``User:``.
        resource: of what kind ``name`` is.
        name: a topic's or group's full name.
        operation: what it may do there.
    """

    user: str
    resource: Resource
    name: str
    operation: Operation


def gateway_user(gateway: str) -> str:
    """Return who a gateway is to Kafka."""
    return f"{GATEWAY}{gateway}"


def floor_users(gateways: Iterable[str]) -> tuple[str, ...]:
    """Return all users of a floor, its gateways' last."""
    return (*USERS, *(gateway_user(each) for each in gateways))


def floor_acls(
    gateways: Iterable[str], *, prefix: str = PREFIX, application: str = APPLICATION
) -> tuple[Acl, ...]:
    """Return all that the users of a floor may do, in order.

    Args:
        gateways: the gateways' names.
        prefix: what all topics but the states' begin with.
        application: the workers' group, which names the state topic.
    """
    listed = [
        Acl(WORKER, GROUP, application, READ),
        Acl(ADMIN, GROUP, application, DESCRIBE),
    ]
    for user in floor_users(gateways):
        role = user if user in USERS else GATEWAY
        for operation, topics in _MAY[role].items():
            for topic in topics:
                name = changelog(application) if topic == STATES else prefix + topic
                listed.append(Acl(user, TOPIC, name, operation))
    return tuple(sorted(listed))
