"""Takes the README's pictures, of the floor and of a table, from a floor that runs.

    .venv/bin/python -m tests.pictures --minutes 25

Kafka, gateway, worker, historian and console are those of `pitwatch up`; 60 tables in four pits
deal at the pace of a floor, legally but for two. Rounds of the hours before are written to their
topic, so that paces are made of something: a floor is rarely looked at in its first minutes.
"""

import os
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

import click
from msgspec.structs import replace
from playwright.sync_api import Page, sync_playwright

from deploy.local.devices import device_client
from deploy.local.floor import ANSWER_SECONDS, Devices
from producers.simulator.faults import fault_for
from producers.simulator.floor import Floor, Table
from producers.simulator.lines import line
from producers.simulator.night import ENDLESS
from schemas.records import Round
from streams.core.events import GAMES, Event
from streams.wire.topics import PREFIX
from tests.browser_scene import now, picture, wait
from tests.floor_process import UP, FloorProcess
from tests.floor_records import HOUR, SECOND, Topics, round_of
from tests.require import require
from tests.whole_floor import WholeFloor, make_accounts

TABLES: Final = 60
PITS: Final[Sequence[tuple[str, str]]] = (
    ("1", "blackjack"),
    ("2", "caribbean_stud"),
    ("3", "four_card_poker"),
    ("4", "chemin_de_fer"),
)
PACES: Final = {
    "blackjack": 55,
    "caribbean_stud": 38,
    "four_card_poker": 36,
    "chemin_de_fer": 28,
}
FAULTS: Final = {"CS-06": "wrong_face", "BJ-11": "dealer_drew_on_seventeen"}
"""What is planted once, at which table."""
SHOWN: Final = "CS-06"
ROUNDS_BEFORE: Final = 3.5 * HOUR


def a_night(start: int) -> Floor:
    """Return the tables; at two of them one fault is planted."""
    floor = Floor(GAMES, TABLES, ENDLESS, 7, start, boot=start // SECOND)
    for table in floor.tables:
        setup = table.night.setup
        code = FAULTS.get(setup.table)
        fault = None if code is None else fault_for(code, setup.game)
        table.night.faults = [] if fault is None else [fault]
    return floor


def inventory(tables: Sequence[Table]) -> str:
    """Return the floor file: a pit for each game."""
    lines = ["[defaults]", "silence_seconds = 90"]
    for pit, game in PITS:
        lines += ["[[pits]]", f'name = "{pit}"']
        for table in tables:
            setup = table.night.setup
            if setup.game == game:
                lines += ["[[pits.tables]]", f'name = "{setup.table}"']
                lines += [f'game = "{game}"', f"rounds_an_hour = {PACES[game]}"]
    return "\n".join(lines) + "\n"


def before(tables: Sequence[Table], start: int) -> Iterator[Round]:
    """Yield the rounds that were dealt before the start."""
    chance = Random(1)
    for table in tables:
        setup = table.night.setup
        closed, number = start - int(ROUNDS_BEFORE), 1
        while closed < start - 30 * SECOND:
            made = round_of("CS-01", number, closed)
            opened_by = f"{setup.table}/before/1/{number}"
            yield replace(made, table=setup.table, game=setup.game, opened_by=opened_by)
            number += 1
            closed += int(HOUR / PACES[setup.game] * chance.uniform(0.8, 1.2))


def deal(gateway: str, floor: Floor, start: int, over: threading.Event) -> None:
    """Send what the tables' devices see when it happens, until it is over."""
    began = time.monotonic()
    due = began
    with device_client(gateway, timeout=ANSWER_SECONDS, trust_env=False) as client:
        devices = Devices(client)
        for what in floor.stream():
            if over.is_set():
                return
            if isinstance(what, Event):
                due = began + (what.at - start) / SECOND
            devices.send(what if isinstance(what, bytes) else line(what), due)
            for table in floor.tables:
                if table.night.due:
                    # One of each is enough: nearly all of a floor is calm.
                    table.night.due.clear()
                    table.night.faults = ()


def answer(page: Page, table: str) -> None:
    """Acknowledge a table's alarm."""
    row = f"#alarm-rows tr[data-table={table}]"
    page.click(f"{row} .act[data-act=acknowledge]")
    wait(page, "document.querySelector('#ask')?.open")
    page.click("#ask button.main")
    wait(page, f"document.querySelector({row!r})?.dataset.state !== 'unacknowledged'")


@click.command()
@click.option("--minutes", type=click.FloatRange(1, 600), default=25.0, show_default=True)
def main(minutes: float) -> None:
    """Run a floor for some minutes, and write pictures of it to build/pictures."""
    floor = a_night(now())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "floor.toml"
        file.write_text(inventory(floor.tables), encoding="utf-8")
        os.environ |= {
            "PITWATCH_CONSOLE_FLOOR": str(file),
            "PITWATCH_CONSOLE_ZONE": "America/New_York",
        }
        process = FloorProcess((*UP, "--no-simulator", "--partitions", "4"))
        over = threading.Event()
        try:
            url = process.line(r"console +(http://127\.0\.0\.1:\d+)")[1]
            make_accounts(process.data)
            topics = Topics(f"127.0.0.1:{process.kafka}", PREFIX)
            topics.write(*before(floor.tables, now()))
            topics.close()
            start = now()
            floor = a_night(start)
            address = f"http://127.0.0.1:{process.gateway}"
            dealing = threading.Thread(target=deal, args=(address, floor, start, over))
            dealing.start()
            over.wait(60 * minutes)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=require("chromium"), args=["--no-sandbox"]
                )
                portray(WholeFloor(browser, url, process))
                browser.close()
            over.set()
            dealing.join()
        finally:
            over.set()
            process.close()


def portray(site: WholeFloor) -> None:
    """Write the pictures: what is acknowledged is so before the floor is looked at."""
    with site.page("/alarms") as page:
        for table in FAULTS:
            if table != SHOWN:
                answer(page, table)
    with site.page("/") as page:
        page.wait_for_timeout(10_000)
        picture(page, "readme-floor")
    with site.page(f"/tables/{SHOWN}") as page:
        wait(page, "document.querySelectorAll('#table-felt .card:not(.due)').length > 8", 120)
        picture(page, "readme-table")


if __name__ == "__main__":
    main()
