"""Pages and acts as browsers ask for them, over a real database; no Kafka stands behind them."""

import asyncio
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from argon2 import PasswordHasher
from starlette.applications import Starlette

from streams.console.access.accounts import Accounts
from streams.console.access.passwords import Passwords
from streams.console.access.trail import By, Trail
from streams.console.app import application, build_console
from streams.console.console import Console
from streams.console.settings import ConsoleSettings
from tests.console_scene import BOOK, Scene

BASE = "http://127.0.0.1"
PASSWORD = "every card is seen once"  # noqa: S105  of accounts that only tests have
QUICK = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
SECOND = 1_000_000
FORM = "0123456789abcdef"
JSON = {"accept": "application/json"}

FLOOR = """
[[pits]]
name = "1"
[[pits.tables]]
name = "CS-03"
camera = "https://cameras.test/play?t={table}&from={from}&to={to}"
[[pits]]
name = "2"
[[pits.tables]]
name = "BJ-22"
[[pits.tables]]
name = "QU-01"
"""
PATHS = (
    "/alarms",
    "/alarms/list",
    "/history",
    "/history?show=rounds",
    "/history?show=figures",
    "/history?show=figures&by=dealer",
    "/history?show=figures&by=shift",
    "/diagnostics",
)


@dataclass
class House:
    """A console with its database, and the browsers that are signed in."""

    console: Console
    scene: Scene
    app: Starlette
    loop: asyncio.Runner = field(default_factory=asyncio.Runner)
    clients: dict[str, httpx.AsyncClient] = field(default_factory=dict)

    def client(self, user: str) -> httpx.AsyncClient:
        if user not in self.clients:
            transport = httpx.ASGITransport(self.app, client=("127.0.0.1", 40_000))
            client = httpx.AsyncClient(transport=transport, base_url=BASE)
            self.clients[user] = client
            page = self.loop.run(client.get("/sign-in")).text
            form = {"name": user, "password": PASSWORD, "csrf": token_of(page), "next": "/"}
            answer = self.loop.run(client.post("/sign-in", data=form, headers={"Origin": BASE}))
            assert answer.status_code == 303, answer.text
        return self.clients[user]

    def get(self, path: str, user: str = "op-27") -> httpx.Response:
        return self.loop.run(self.client(user).get(path))

    def post(self, form: dict[str, Any], user: str = "op-27", **headers: str) -> httpx.Response:
        token = re.search(r'data-csrf="([^"]+)"', self.get("/alarms", user).text)
        assert token is not None
        whole = {"csrf": token[1], "form": FORM, **form}
        given = {"Origin": BASE, **headers}
        return self.loop.run(self.client(user).post("/alarms/acts", data=whole, headers=given))

    def alarm(self, table: str) -> str:
        return next(each.id for each in self.scene.alarms.values() if each.table == table)


def token_of(page: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found is not None
    return found[1]


def house_in(folder: Path, *, floor: bool) -> House:
    if floor:
        (folder / "floor.toml").write_text(FLOOR)
    settings = ConsoleSettings(
        book=BOOK,
        database=f"sqlite:///{folder / 'console.db'}",
        floor=folder / "floor.toml" if floor else None,
    )
    console = build_console(settings)
    accounts = Accounts(console.engine)
    by = By("test", 0)
    for name, role, pits in (
        ("op-27", "operator", ()),
        ("op-14", "operator", ("2",)),
        ("eye", "surveillance", ()),
        ("viewer", "viewer", ()),
    ):
        accounts.add(name, QUICK.hash(PASSWORD), role, pits, by)
    return House(console, Scene(console.floor), application(console))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    made = house_in(tmp_path_factory.mktemp("full"), floor=True)
    now = time.time_ns() // 1000
    made.scene.play("cs-overdue-then-counted-between-rounds", "CS-03", now - SECOND, events=243)
    made.scene.play("bj-burn-missing-new-dealer", "BJ-22", now - SECOND, events=80)
    made.scene.store(made.console.engine)
    yield made
    made.loop.close()
    made.console.engine.dispose()


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    made = house_in(tmp_path_factory.mktemp("empty"), floor=False)
    yield made
    made.loop.close()
    made.console.engine.dispose()


@pytest.mark.parametrize("path", [*PATHS, "/tables/CS-03", "/tables/BJ-22", "/tables/QU-01"])
def test_every_page_is_answered_when_full(house: House, path: str) -> None:
    answer = house.get(path)
    assert answer.status_code == 200, answer.text
    assert "script>" not in answer.text.replace("defer></script>", "")
    assert " style=" not in answer.text


@pytest.mark.parametrize("path", PATHS)
def test_every_page_is_answered_when_empty(empty: House, path: str) -> None:
    assert empty.get(path).status_code == 200


def test_a_table_that_nobody_knows_is_not_found(house: House) -> None:
    assert house.get("/tables/ZZ-99").status_code == 404
    assert "Nothing is known of this table" in house.get("/tables/QU-01").text


def test_a_table_known_by_its_alarm_alone_waits_for_its_view(house: House) -> None:
    alarm = msgspec.structs.replace(
        next(iter(house.scene.alarms.values())), id="f" * 32, table="CS-99"
    )
    house.console.floor.alarm(alarm)
    try:
        page = house.get("/tables/CS-99").text
        assert "its first view is awaited" in page
        assert f'id="a-{alarm.id}"' in page
        assert 'data-live="/tables/CS-99/live" data-awaited' in page
    finally:
        house.console.floor.forget_alarm(alarm.id)
    assert house.get("/tables/CS-99").status_code == 404


def test_a_tables_page_links_its_neighbours_its_rounds_and_its_pictures(house: House) -> None:
    page = house.get("/tables/CS-03").text
    assert "/tables/BJ-22" in page
    assert "https://cameras.test/play?t=CS-03&amp;from=" in page
    assert "opened_by=" in page
    assert 'aria-disabled="true">Previous table' in page


def test_an_alarm_opens_in_detail_and_its_dialog_without_script(house: House) -> None:
    id_ = house.alarm("CS-03")
    page = house.get(f"/alarms?alarm={id_}&act=shelve").text
    assert '<dialog id="ask" aria-labelledby="ask-heading" open>' in page
    assert "Have the stub counted before the next round" in page
    assert "The dealer counts the stub at least once every five rounds" in page
    assert house.get(f"/alarms/detail?alarm={id_}").status_code == 200
    assert house.get("/alarms/detail?alarm=none").status_code == 404
    assert house.get(f"/alarms/ask/acknowledge?alarm={id_}").status_code == 200
    assert house.get(f"/alarms/ask/dance?alarm={id_}").status_code == 404
    assert house.get("/alarms/ask/acknowledge?flood=1").status_code == 404


def test_groups_are_turned_over_and_words_narrow(house: House) -> None:
    assert house.get("/alarms?f=CS-03").text.count("data-alarm=") == 2
    assert "No alarm of those chosen stands." in house.get("/alarms?toggle=answer").text
    assert "No alarm of those chosen stands." in house.get("/alarms?f=nothing").text
    assert 'data-table="BJ-22"' not in house.get("/alarms/list?pit=1").json()["alarm-rows"]


def test_a_form_with_a_fault_is_asked_again_in_words(house: House) -> None:
    id_ = house.alarm("CS-03")
    form = {"act": "shelve", "alarm": id_, "minutes": "30", "reason": "other"}
    answer = house.post(form)
    assert answer.status_code == 422
    assert "Say why: other needs a few words." in answer.text
    assert 'aria-invalid="true"' in answer.text
    scripted = house.post(form, **JSON)
    assert scripted.status_code == 422
    assert scripted.json()["field"] == "note"
    assert house.post({"act": "dance"}).status_code == 422


def test_an_act_is_refused_in_words_and_recorded(house: House) -> None:
    ack = {"act": "acknowledge", "alarm": house.alarm("CS-03"), "disposition": "confirmed"}
    for user, why in (
        ("viewer", "may not do this"),
        ("op-14", "pit 1 is not among your pits"),
        ("op-27", "has no key to sign commands with"),
    ):
        answer = house.post(ack, user, **JSON)
        assert answer.status_code == 409, answer.text
        assert why in answer.json()["refused"][house.alarm("CS-03")]
        assert why in answer.json()["say"]
    told = Trail(house.console.engine).last()
    refused = [(row["who"], row["what"]) for row in told if row["what"] == "acknowledge_refused"]
    assert sorted(refused) == [
        ("op-14", "acknowledge_refused"),
        ("op-27", "acknowledge_refused"),
        ("viewer", "acknowledge_refused"),
    ]
    plain = house.post(ack, "viewer")
    assert plain.status_code == 409
    assert "may not do this" in plain.text
    unknown = house.post({**ack, "alarm": "f" * 32}, **JSON)
    assert "not known any more" in unknown.json()["say"]


def test_no_act_is_taken_without_a_session_or_its_token(house: House) -> None:
    form = {"act": "acknowledge", "alarm": house.alarm("CS-03"), "disposition": "confirmed"}
    stranger = httpx.AsyncClient(transport=httpx.ASGITransport(house.app), base_url=BASE)
    headers = {"Origin": BASE}
    assert house.loop.run(stranger.get("/alarms")).status_code == 303
    answer = house.loop.run(stranger.post("/alarms/acts", data=form, headers=headers))
    assert answer.status_code == 401
    client = house.client("op-27")
    answer = house.loop.run(client.post("/alarms/acts", data=form, headers=headers))
    assert answer.status_code == 403
    foreign = house.post(form, Origin="http://evil.test")
    assert foreign.status_code == 403


def test_the_history_finds_shows_and_downloads(house: House) -> None:
    page = house.get("/history?table=CS-03&q=stub_count_overdue").text
    assert "Findings 1" in page
    assert "No finding fits the search." in house.get("/history?table=CS-03&q=burn_missing").text
    whole = house.get("/history?table=CS-03&number=5").text
    assert "CS-03, round 5" in whole
    assert "of spades, card" in whole
    assert "https://cameras.test/play" in whole
    assert "Previous round" in whole
    assert "No such round" in house.get("/history?table=CS-03&number=77").text
    assert house.get("/history?from=soon").text.count("expected a time such as") == 1
    lines = house.get("/history/download?what=rounds&format=ndjson&table=CS-03").text.splitlines()
    assert len(lines) == 6
    table = house.get("/history/download?what=findings&format=csv")
    assert table.headers["content-disposition"].endswith('"pitwatch-findings.csv"')
    assert table.text.splitlines()[0].startswith("id,")


@pytest.mark.parametrize("what", ["findings", "rounds"])
@pytest.mark.parametrize(
    "filters", ["game=blackjack", "dealer={dealer}", "game=caribbean_stud&dealer={dealer}"]
)
def test_a_download_keeps_to_every_filter_of_the_search(
    house: House, what: str, filters: str
) -> None:
    dealers = {each.table: each.dealer for each in house.scene.rounds if each.dealer}
    asked = filters.format(dealer=dealers["CS-03"])
    page = house.get(f"/history?show={what}&{asked}").text
    query = re.search(rf'href="(/history/download[^"]*what={what}[^"]*ndjson)"', page)
    assert query is not None
    lines = house.get(query[1].replace("&amp;", "&")).text.splitlines()
    of_round = {each.opened_by: each.dealer for each in house.scene.rounds}
    found = [json.loads(line) for line in lines]
    results = page[page.index('id="results-heading"') : page.index('id="round"')]
    assert results.count("<tr><td>") == len(found)
    assert found
    games = dict(re.findall(r"(game)=(\w+)", asked))
    assert all(each["game"] == games.get("game", each["game"]) for each in found)
    if what == "rounds" and "dealer" in asked:
        assert {of_round[each["opened_by"]] for each in found} == {dealers["CS-03"]}


def test_who_may_not_download_is_told_so(house: House) -> None:
    assert house.get("/history/download?format=csv", "viewer").status_code == 403
    assert "/history/download" not in house.get("/history", "viewer").text
    assert house.get("/history/download?format=doc").status_code == 400


def test_a_database_that_does_not_answer_is_said_to(house: House) -> None:
    path = str(house.console.settings.database).removeprefix("sqlite:///")
    house.get("/alarms")
    with house.console.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE findings RENAME TO away")
        connection.exec_driver_sql("ALTER TABLE alarms RENAME TO gone")
    try:
        answer = house.get("/history")
        assert answer.status_code == 503, path
        assert "The history does not answer." in answer.text
        assert "the figures are not known" in house.get("/alarms").text
    finally:
        with house.console.engine.begin() as connection:
            connection.exec_driver_sql("ALTER TABLE away RENAME TO findings")
            connection.exec_driver_sql("ALTER TABLE gone RENAME TO alarms")
