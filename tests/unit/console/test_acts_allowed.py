"""Acts on alarms through the console's own pages: who may not is refused, and that is recorded."""

from collections.abc import Iterator

import pytest

from streams.console.access.trail import By, Trail
from tests.access_scene import NOW, PASSWORD, QUICK
from tests.console_pages import Pages, opened_pages
from tests.unit.console.alarm_records import alarm

FLOOR = """\
[[pits]]
name = "main"
tables = [{ name = "CS-01" }]
[[pits]]
name = "high"
tables = [{ name = "CF-01" }]
"""
PLAIN, FAR, CRITICAL, INTEGRITY = 1, 2, 3, 4
PEOPLE = {
    "viewer": ("viewer", ()),
    "op-14": ("operator", ("main",)),
    "eye": ("surveillance", ("high",)),
    "chief": ("admin", ("main",)),
}
HIDE = "surveillance alone may put a critical or integrity alarm out of sight"
NOT_OWN = "pit high is not among your pits: main"
NO_KEY = "the console has no key to sign commands with; start it with --command-key"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    with opened_pages(tmp_path_factory.mktemp("console"), FLOOR) as opened:
        for name, (role, pits) in PEOPLE.items():
            opened.accounts.add(name, QUICK.hash(PASSWORD), role, pits, By("test", NOW))
        for made in (
            alarm(PLAIN, table="CS-01"),
            alarm(FAR, table="CF-01"),
            alarm(CRITICAL, table="CS-01", code="stub_count_wrong", severity="critical"),
            alarm(INTEGRITY, table="CS-01", code="ordered_cards", class_="integrity"),
        ):
            opened.console.floor.alarms[made.id] = made
        yield opened


FIELDS = {
    "acknowledge": {"disposition": "confirmed"},
    "shelve": {"minutes": "30", "reason": "known"},
    "out_of_service": {"note": "broken"},
    "comment": {"note": "seen"},
    "unshelve": {},
    "in_service": {},
}


@pytest.mark.parametrize(
    ("name", "act", "number", "said"),
    [
        *(("viewer", act, PLAIN, "a viewer may not do this") for act in FIELDS),
        *(("op-14", act, FAR, NOT_OWN) for act in FIELDS),
        *(("chief", act, FAR, NOT_OWN) for act in FIELDS),
        *(("op-14", "shelve", number, HIDE) for number in (CRITICAL, INTEGRITY)),
        *(("op-14", "out_of_service", number, HIDE) for number in (CRITICAL, INTEGRITY)),
        ("chief", "shelve", CRITICAL, HIDE),
        ("op-14", "acknowledge", CRITICAL, NO_KEY),
        ("op-14", "shelve", PLAIN, NO_KEY),
        *(("eye", act, CRITICAL, NO_KEY) for act in FIELDS),
        ("eye", "shelve", INTEGRITY, NO_KEY),
    ],
)
def test_who_may_and_who_may_not(pages: Pages, name: str, act: str, number: int, said: str) -> None:
    pages.clock.pass_(60)
    pages.client.cookies.clear()
    pages.sign_in(name, PASSWORD)
    id_ = f"{number:032x}"
    form = {"act": act, "form": "ab" * 8, "alarm": id_, **FIELDS[act]}
    answer = pages.act("/alarms", "/alarms/acts", form)
    assert answer.status_code == 409
    assert said in answer.text.replace("&#39;", "'")
    entry = Trail(pages.console.engine).last(1)[0]
    assert entry["what"] == f"{act}_refused"
    assert (entry["who"], entry["why"], entry["address"]) == (name, said, "127.0.0.1")
    assert id_ in str(entry["target"])


def test_an_act_without_the_token_is_not_taken(pages: Pages) -> None:
    pages.client.cookies.clear()
    pages.sign_in("eye", PASSWORD)
    done = len(Trail(pages.console.engine).last())
    form = {"act": "comment", "form": "ab" * 8, "alarm": f"{PLAIN:032x}", "note": "x"}
    assert pages.post("/alarms/acts", form).status_code == 403
    pages.client.cookies.clear()
    assert pages.post("/alarms/acts", form).status_code == 401
    assert len(Trail(pages.console.engine).last()) == done
