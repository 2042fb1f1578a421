"""What persons ask of alarms: dialogs made, forms carried out, and what became of them.

An act is written as a signed command, and is done when the alarm's own new record says so: a form
is answered when every command of it has its answer, or after ``ANSWER_SECONDS``.
"""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request

from schemas.records import Alarm, OperatorCommand
from schemas.times import MICROS_IN_DAY, MICROS_IN_MINUTE
from streams.console.access.roles import User
from streams.console.acts import (
    ACT_WORDS,
    DONE_WORDS,
    MOST_ALARMS,
    SHELVE_MINUTES,
    Asked,
    Fault,
    answer_to,
    command_for,
)
from streams.console.alarm_figures import Burden, burden
from streams.console.alarm_list import GROUPS, Chosen, filter_words, is_open, ordered
from streams.console.alarm_page import (
    AlarmDetail,
    AlarmsPage,
    Looking,
    alarms_page,
    detail_of,
    raised_finding,
    refusal_words,
)
from streams.console.console import Console
from streams.console.live.commands import CommandFault
from streams.console.wording import clock, hour_minute, supervisor_steps, title_of, zone_name
from streams.core.codes import CODES
from streams.database.opening import DatabaseFault
from streams.rulebooks.coverage import load_sections

ANSWER_SECONDS: Final = 5.0
"""How long a form waits for what the worker says."""
LOOK_SECONDS: Final = 0.05

MOST_ASKS: Final = 3
"""Sentences of a clause that the detail says."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A dialog: an act, the alarms it is for, and what it says of them."""

    act: str
    words: str
    form: str
    alarms: tuple[Alarm, ...]
    title: str
    standing: bool
    steps: tuple[str, ...]
    many: str
    times: tuple[tuple[int, str], ...]
    now: str
    zone: str
    fault: str | None = None
    plain: bool = False


@dataclass(slots=True)
class Outcome:
    """What became of a form: the tables of each alarm that was done, refused or not answered."""

    done: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)


class AlarmsDesk:
    """What the routes of the page share.

    Args:
        console: The console's parts.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self._asks: dict[tuple[str, str], list[str]] = {}
        for section in load_sections(console.book):
            for sentence in section.sentences:
                for code in sentence.codes:
                    self._asks.setdefault((code, section.game), []).append(sentence.says)

    def looking(self, request: Request) -> Looking:
        """Return who looks, and by what the page is made."""
        console = self.console
        return Looking(
            user=user_of(request),
            book=console.book,
            inventory=console.hub.inventory,
            zone=console.settings.zone,
            now=console.now(),
        )

    def listed(self, request: Request) -> tuple[AlarmsPage, Chosen]:
        """Return the list that a request's query chooses."""
        chosen = chosen_of(request)
        return alarms_page(self.console.floor, chosen, self.looking(request)), chosen

    def detail(self, request: Request, id_: str) -> tuple[AlarmDetail, str | None] | None:
        """Return one alarm in detail with its camera link; nothing where it is not known."""
        floor, looking = self.console.floor, self.looking(request)
        alarm = floor.alarms.get(id_)
        if alarm is None:
            return None
        asks = self._asks.get((alarm.code, alarm.game or ""), ())
        shown = detail_of(
            alarm,
            raised_finding(floor.findings, alarm),
            looking,
            dealer=self._dealer(alarm),
            asks=asks[:MOST_ASKS],
        )
        table = looking.inventory.table(alarm.table)
        around = table.camera_link(
            alarm.last_at - MICROS_IN_MINUTE, alarm.last_at + MICROS_IN_MINUTE
        )
        return shown, around

    def _dealer(self, alarm: Alarm) -> str | None:
        table = self.console.floor.tables.get(alarm.table)
        if table is None:
            return None
        for round_ in reversed(table.rounds):
            if round_.number == alarm.round and round_.opened_at <= alarm.last_at:
                return round_.dealer
        return table.view.dealer if table.view.round == alarm.round else None

    def ask(self, act: str, alarms: Sequence[Alarm], *, fault: str | None = None) -> Ask:
        """Return the dialog of an act."""
        now, zone, book = self.console.now(), self.console.settings.zone, self.console.book
        one = alarms[0] if len(alarms) == 1 else None
        code = CODES.get(one.code) if one is not None else None
        tables = len({alarm.table for alarm in alarms})
        return Ask(
            act=act,
            words=ACT_WORDS[act],
            form=secrets.token_hex(8),
            alarms=tuple(alarms),
            title=title_of(book, one.code) if one is not None else "",
            standing=code is not None and code.state == "standing",
            steps=supervisor_steps(book, one.code) if one is not None else (),
            many=f"{len(alarms)} alarms at {tables} tables." if one is None else "",
            times=tuple(
                (minutes, hour_minute(now + minutes * MICROS_IN_MINUTE, zone))
                for minutes in SHELVE_MINUTES
            ),
            now=clock(now, zone),
            zone=zone_name(now, zone),
            fault=fault,
        )

    def meant(self, request: Request) -> list[Alarm]:
        """Return the alarms that a dialog is asked for: those named, or those of the flood."""
        if request.query_params.get("flood"):
            page, _ = self.listed(request)
            return list(page.flood.folded[:MOST_ALARMS]) if page.flood is not None else []
        wanted = request.query_params.getlist("alarm")[:MOST_ALARMS]
        known = [self.console.floor.alarms.get(id_) for id_ in wanted]
        return ordered(alarm for alarm in known if alarm is not None)

    async def burden(self) -> Burden | None:
        """Return the figures of the last day, nothing where the history does not answer.

        What stands now is told by the live floor: a history that lags would tell less of it.
        """
        now, pit_of = self.console.now(), self.console.hub.inventory.pit_of
        try:
            found = await to_thread.run_sync(partial(burden, self.console.engine, now, pit_of))
        except DatabaseFault:
            return None
        standing = [
            alarm.raised_at for alarm in self.console.floor.alarms.values() if is_open(alarm)
        ]
        stale = sum(raised < now - MICROS_IN_DAY for raised in standing)
        return replace(found, standing=str(len(standing)), stale=str(stale))

    async def carry_out(self, request: Request, asked: Asked) -> Outcome:
        """Write the commands of a form, and wait for what became of each."""
        console, user = self.console, user_of(request)
        outcome, now = Outcome(), self.console.now()
        waiting: dict[str, str] = {}
        for id_ in asked.alarms:
            alarm = console.floor.alarms.get(id_)
            why = self._why_not(user, asked.act, alarm)
            if alarm is None or why is not None:
                outcome.refused[id_] = why or "the alarm is not known any more"
                continue
            command = command_for(
                asked, alarm, by=user.name, role=user.role, pits=user.pits, now=now
            )
            known = answer_to(alarm, command.id)
            if known is None:
                try:
                    await self._written(command)
                except CommandFault as fault:
                    outcome.refused[id_] = str(fault)
                    continue
            waiting[id_] = command.id
        await self._answered(waiting, outcome)
        await self._recorded(request, asked, outcome)
        return outcome

    async def _written(self, command: OperatorCommand) -> None:
        if self.console.commands is None:
            raise CommandFault(
                "the console has no key to sign commands with; start it with --command-key"
            )
        await self.console.commands.write(command)

    def _why_not(self, user: User, act: str, alarm: Alarm | None) -> str | None:
        if alarm is None:
            return "the alarm is not known any more"
        pit = self.console.hub.inventory.pit_of(alarm.table)
        return self.console.access.may(user, act, alarm, pit)

    async def _answered(self, waiting: dict[str, str], outcome: Outcome) -> None:
        """Wait until each command has its answer, or the time is over."""
        loop = asyncio.get_running_loop()
        until = loop.time() + ANSWER_SECONDS
        while waiting:
            for id_, command in list(waiting.items()):
                alarm = self.console.floor.alarms.get(id_)
                answer = None if alarm is None else answer_to(alarm, command)
                if answer is None:
                    continue
                del waiting[id_]
                accepted, reason = answer
                if accepted:
                    outcome.done.append(id_)
                else:
                    outcome.refused[id_] = refusal_words(reason)
            if not waiting or loop.time() >= until:
                break
            await asyncio.sleep(LOOK_SECONDS)
        outcome.pending += waiting

    async def _recorded(self, request: Request, asked: Asked, outcome: Outcome) -> None:
        for id_ in asked.alarms:
            what = f"{asked.act}_refused" if id_ in outcome.refused else asked.act
            alarm = self.console.floor.alarms.get(id_)
            target = id_ if alarm is None else f"{alarm.table} {alarm.code} {id_}"
            why = outcome.refused.get(id_) or asked.note
            await self.console.access.record(request, what, target, why)

    def said(self, asked: Asked, outcome: Outcome) -> str:
        """Return what became of a form, in a sentence or two."""
        parts = []
        if outcome.done:
            parts.append(f"{DONE_WORDS[asked.act]}: {self._named(outcome.done)}.")
        reasons = sorted(set(outcome.refused.values()))
        if outcome.refused:
            named = self._named(list(outcome.refused))
            parts.append(f"Refused for {named}: {'; '.join(reasons)}.")
        if outcome.pending:
            parts.append(
                f"Asked, and no answer yet: {self._named(outcome.pending)}. "
                "The row changes when the worker answers."
            )
        return " ".join(parts)

    def _named(self, alarms: Sequence[str]) -> str:
        if len(alarms) > 1:
            return f"{len(alarms)} alarms"
        alarm = self.console.floor.alarms.get(alarms[0])
        if alarm is None:
            return "1 alarm"
        title = title_of(self.console.book, alarm.code)
        return f"{alarm.table}, {title[:1].lower()}{title[1:]}"


def user_of(request: Request) -> User:
    """Return who asks; the guard lets nobody else in."""
    user: User | None = getattr(request.state, "user", None)
    if user is None:
        raise HTTPException(401, "expected someone who is signed in; sign in")
    return user


def chosen_of(request: Request) -> Chosen:
    """Return which alarms a query chooses; ``toggle`` turns one group over."""
    query = request.query_params
    groups = {group for group in query.getlist("g") if group in GROUPS}
    if not query.getlist("g") and "none" not in query:
        groups = set(Chosen().groups)
    toggle = query.get("toggle")
    if toggle is not None and toggle in GROUPS:
        groups ^= {toggle}
    pit = query.get("pit") or None
    return Chosen(frozenset(groups), filter_words(query.get("f", "")), pit)


def opened(ask: Ask) -> Ask:
    """Return a dialog that is open without script."""
    return replace(ask, plain=True)


def asked_again(desk: AlarmsDesk, fields: dict[str, list[str]], fault: Fault) -> Ask | None:
    """Return the dialog of a form that has a fault, nothing where it is none of ours."""
    act = (fields.get("act") or [""])[0]
    known = [desk.console.floor.alarms.get(id_) for id_ in fields.get("alarm", [])[:MOST_ALARMS]]
    alarms = [alarm for alarm in known if alarm is not None]
    if act not in ACT_WORDS or not alarms:
        return None
    return opened(desk.ask(act, alarms, fault=fault.words))
