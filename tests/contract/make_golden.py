"""Golden messages: every record and kind, full and least, as each released version wrote it.

`golden/<record>.v<version>.ndjson` has a line for each: its name, its bytes and what they hold.
`python -m tests.contract.make_golden` adds what a new version or kind lacks. A line that is there
never changes: it stands for what lies in logs and archives.
"""

import json
from pathlib import Path
from types import NoneType
from typing import Any, Final, get_args

import msgspec

from schemas import kinds as k
from schemas.catalog import BY_STRUCT
from schemas.codec import CODEC
from schemas.kinds import AnyBody, kind_of
from schemas.records import (
    Alarm,
    AlarmAct,
    AlarmAnswer,
    AnyRecord,
    BookName,
    DealEvent,
    Finding,
    OperatorCommand,
    Round,
    RoundCard,
    RoundEvent,
    RoundFinding,
    TableView,
    ViewCard,
    ViewMark,
    ViewNext,
    ViewSource,
    ViewStanding,
    ViewStock,
    ViewWager,
)

GOLDEN: Final = Path(__file__).parent / "golden"
AT: Final = 1_796_040_005_120_000
BOOK: Final = BookName("nj", "0123456789abcdef" * 4)
DIGEST: Final = "00112233445566778899aabbccddeeff"

BODIES: Final[tuple[AnyBody, ...]] = (
    k.TableOpened(
        game="blackjack",
        dealt_from="double_shoe",
        decks=8,
        positions=7,
        observes=("*",),
        hole_card="down",
        card_reader=True,
        reader_reveals_to_players=False,
        double_face="down",
        soft_seventeen="draw",
        bart_carter=False,
        offers=("progressive", "sevens"),
        red_side="left",
        jurisdiction="nj",
    ),
    k.TableClosed(),
    k.DealerArrived(dealer="D-17"),
    k.DealerLeft(dealer="D-17"),
    k.SupervisorCalled(reason="amount_ascertained"),
    k.Tick(),
    k.DeviceFault(device="progressive_light", position=3, code="E42"),
    k.DeviceRestored(device="progressive_light", position=3, code="E42"),
    k.CardsLoaded(cards=208, side="right", preshuffled=True),
    k.ShuffleCompleted(method="bart_carter", cards=416, side="left", stacks=3, deck="red"),
    k.CardsCut(side="left"),
    k.DeckInHand(hand="left", deck="blue"),
    k.DeckOutOfArea(),
    k.Burned(
        place="segregated_area", card="AD", exposed=True, requested_by_player=True, side="right"
    ),
    k.CutCardReached(side="left"),
    k.ShoeEmptied(cards=61, side="left"),
    k.RackCounted(cards=355, side="right"),
    k.DiscardsShuffledIn(side="left"),
    k.ShoeExhausted(side="right"),
    k.StubPlaced(exposed=False),
    k.StubCounted(cards=31, deck="red"),
    k.DeckRemoved(reason="marked card", deck="red"),
    k.WagerPlaced(position=1, wager="aces_up", amount=2_500),
    k.NoMoreBets(),
    k.LockoutPressed(),
    k.DeterminantDrawn(side="right", card="QH"),
    k.CardDealt(
        to="player",
        face="down",
        position=12,
        hand=4,
        card="TS",
        side="left",
        drawn_with="left",
        placed_with="right",
    ),
    k.CardExposed(to="dealer", position=1, hand=2, card="KC"),
    k.Announced(by="dominant_player", what="natural", position=2, hand=1, total=9),
    k.Decision(position=5, action="refuse_card", hand=2),
    k.HoleCardRead(result="no_blackjack"),
    k.DrawnInError(exposed=True, card="2H", side="left"),
    k.FaceUpCardFound(place="table", card="3D", side="right"),
    k.HandDeclaredDead(position=6, wager_returned=True, hand=1),
    k.UpCardMoved(),
    k.UpCardDiscarded(),
    k.UpCardRestored(),
    k.CardsTouched(by="spectator", permitted=False),
    k.WagerSettled(position=4, wager="main", outcome="win", hand=3, pays="3:2"),
    k.CardsCollected(to="banker", position=1, hand=1),
    k.RoundVoided(reason="wrong side"),
    k.RoundClosed(),
)


def event(body: AnyBody) -> DealEvent:
    """Return an event of this body with every field of its envelope."""
    source = "pitwatch/clock" if isinstance(body, k.Tick) else "gw-2/shoe-1"
    return DealEvent("CS-03", source, 1_796_040_000, 17, AT, body, AT + 1_500, "gw-2")


RECORDS: Final[tuple[AnyRecord, ...]] = (
    Finding(
        id=DIGEST,
        code="stub_count_overdue",
        clause="16.8(e)",
        class_="breach",
        state="raised",
        severity="high",
        table="CS-03",
        game="caribbean_stud",
        round=5,
        position=3,
        hand=1,
        at=AT,
        events=("CS-03/gw-2/shoe-1/1/88", "CS-03/gw-2/shoe-1/1/89"),
        detail={"rounds": 5, "reason": "new_set"},
        book=BOOK,
        version="0.1.0",
    ),
    Round(
        table="CS-03",
        game="caribbean_stud",
        number=5,
        opened_by="CS-03/gw-2/shoe-1/1/71",
        opened_at=AT - 30_000_000,
        closed_at=AT,
        ended="closed",
        dealer="D-17",
        deck="red",
        positions=(1, 3),
        cards=(
            RoundCard(
                card="TS",
                place="dealt",
                to="player",
                position=1,
                hand=1,
                face="down",
                side="left",
                at=AT - 20_000_000,
                event="CS-03/gw-2/shoe-1/1/77",
                exposed_at=AT - 1_000_000,
            ),
        ),
        events=(
            RoundEvent(
                '{"table":"CS-03","source":"gw-2/shoe-1","boot":1,"seq":71,'
                '"at":"2026-11-30T11:59:35.120Z","kind":"no_more_bets"}',
                AT - 29_998_000,
            ),
        ),
        dropped_events=2,
        gap=True,
        expected_stub=31,
        counted_stub=30,
        findings=(RoundFinding("stub_count_wrong", DIGEST),),
        book=BOOK,
        version="0.1.0",
    ),
    TableView(
        table="CS-03",
        game="caribbean_stud",
        open=True,
        dealer="D-17",
        round=5,
        round_open=True,
        round_opened_at=AT - 30_000_000,
        positions=(1, 3),
        cards=(
            ViewCard(
                to="player",
                position=1,
                hand=1,
                face="down",
                card=None,
                number=1,
                at=AT - 20_000_000,
                source=0,
                seq=77,
            ),
        ),
        rounds_since_stub_count=4,
        standing=(ViewStanding("stub_count_wrong", DIGEST, "critical", 4, AT - 60_000_000),),
        last_event_at=AT,
        last_received=AT + 1_500,
        book=BOOK,
        version="0.1.0",
        state="dealing",
        dealt_from="hand",
        decks=1,
        seats=7,
        hole_card="down",
        holding="left",
        gap=True,
        sources=(ViewSource("gw-2/shoe-1", 1_796_040_000, 88),),
        wagers=(ViewWager(position=1, wager="ante", amount=2_500),),
        marks=(
            ViewMark(
                at=AT - 10_000_000,
                source=0,
                seq=78,
                kind="announced",
                to="player",
                position=1,
                hand=1,
                of="dealer",
                word="total",
                figure=17,
                card="QH",
            ),
        ),
        marks_dropped=2,
        next=ViewNext(
            what="card",
            to="player",
            position=3,
            hand=1,
            number=2,
            face="down",
            reason="pass",
            pass_=1,
            passes=5,
        ),
        stocks=(ViewStock(name="red", cards=52, out=1, shuffle="automatic", cut_card=False),),
        cards_out=1,
        stub_now=51,
        stub_due=37,
        counted_stub=36,
    ),
    Alarm(
        id=DIGEST,
        table="CS-03",
        code="stub_count_wrong",
        clause="16.8(e)",
        class_="integrity",
        severity="critical",
        game="caribbean_stud",
        state="acknowledged",
        round=5,
        position=1,
        hand=1,
        raised_at=AT - 60_000_000,
        last_at=AT,
        count=2,
        findings=(DIGEST,),
        cleared_at=AT,
        acknowledged_at=AT,
        acknowledged_by="s.vance",
        disposition="confirmed",
        shelved_until=AT + 60_000_000,
        closed_at=AT + 1,
        acts=(
            AlarmAct(
                command="c-1",
                act="acknowledge",
                by="s.vance",
                role="surveillance",
                at=AT,
                until=AT + 60_000_000,
                disposition="confirmed",
                note="counted twice",
            ),
        ),
        answer=AlarmAnswer(command="c-2", accepted=False, reason="role"),
        book=BOOK,
        version="0.1.0",
    ),
    OperatorCommand(
        id="c-1",
        act="acknowledge",
        table="CS-03",
        alarm=DIGEST,
        code="stub_count_wrong",
        by="s.vance",
        role="surveillance",
        pits=("main", "high limit"),
        at=AT,
        until=AT + 60_000_000,
        disposition="confirmed",
        note="counted twice",
        key="console-1",
        signature=bytes(range(32)),
    ),
)


def least(record: AnyRecord) -> AnyRecord:
    """Return a record without its optional fields, and an event without those of its body."""
    absent = {
        field.name: None
        for field in msgspec.structs.fields(type(record))
        if NoneType in get_args(field.type)
    }
    if isinstance(record, DealEvent):
        body = record.body
        optional = {each.name: None for each in msgspec.structs.fields(body) if not each.required}
        absent["body"] = msgspec.structs.replace(body, **optional)  # type: ignore[assignment]  # the one field that is a body
    return msgspec.structs.replace(record, **absent)


def golden() -> dict[str, dict[str, AnyRecord]]:
    """Return the records that each file has to hold, by the file's name and each line's name."""
    files: dict[str, dict[str, AnyRecord]] = {}
    for record in (*map(event, BODIES), *RECORDS):
        release = BY_STRUCT[type(record)].newest
        name = kind_of(record.body) if isinstance(record, DealEvent) else release.record
        lines = files.setdefault(f"{release.record}.v{release.version}.ndjson", {})
        lines |= {name: record, f"{name} least": least(record)}
    return files


def read(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a golden file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Write the golden messages that are missing."""
    GOLDEN.mkdir(exist_ok=True)
    for file, records in golden().items():
        path = GOLDEN / file
        known = {line["name"] for line in read(path)} if path.exists() else set()
        with path.open("a", encoding="utf-8") as stream:
            for name, record in records.items():
                if name not in known:
                    data = CODEC.encode(record).hex()
                    held = msgspec.to_builtins(record)
                    line = {"name": name, "bytes": data, "record": held}
                    stream.write(f"{json.dumps(line, ensure_ascii=False)}\n")


if __name__ == "__main__":
    main()
