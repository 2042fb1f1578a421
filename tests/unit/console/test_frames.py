"""A client gets every frame once, merged ones where it is slow, and a snapshot where it must."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.console.live.frames import EVERYWHERE, Fragment, Frame, Ring, merged


def frame(number: int, **fragments: str) -> Frame:
    return Frame(
        number,
        {element: Fragment("1", html) for element, html in fragments.items()},
        {"1": {"BJ-01": number}, "2": {"CS-01": number}},
        {"now": number},
        (f"shout {number}",),
        (f"say {number}",),
    )


def told(message: bytes) -> tuple[str, str, dict[str, Any]]:
    lines = message.decode().removesuffix("\n\n").split("\n")
    fields = dict(line.split(": ", 1) for line in lines)
    return fields["id"], fields["event"], json.loads(fields["data"])


def test_a_message_has_an_id_a_kind_and_what_changed() -> None:
    id_, kind, data = told(frame(7, **{"t-BJ-01": "<li>"}).message("b00t", None))
    assert (id_, kind) == ("b00t-7", "frame")
    assert data == {
        "now": 7,
        "swap": {"t-BJ-01": "<li>"},
        "seen": {"BJ-01": 7, "CS-01": 7},
        "shout": ["shout 7"],
        "say": ["say 7"],
    }


@pytest.mark.parametrize(
    ("pit", "elements", "tables"),
    [("1", ["a", "b"], ["BJ-01"]), ("2", ["b"], ["CS-01"]), (EVERYWHERE, ["b"], [])],
)
def test_a_page_of_one_pit_gets_that_pit_and_what_is_everywhere(
    pit: str, elements: list[str], tables: list[str]
) -> None:
    made = Frame(
        1,
        {"a": Fragment("1", "A"), "b": Fragment(EVERYWHERE, "B")},
        {"1": {"BJ-01": 1}, "2": {"CS-01": 1}},
        {},
    )
    _, _, data = told(made.message("b", pit))
    assert list(data["swap"]) == elements
    assert list(data.get("seen", {})) == tables


def test_html_with_line_ends_stays_one_message() -> None:
    message = frame(1, a="<p>\n</p>\r\n\u2028").message("b", None)
    assert message.count(b"\n") == 4
    assert told(message)[2]["swap"] == {"a": "<p>\n</p>\r\n\u2028"}


def test_merged_frames_say_the_newest_of_everything_in_the_order_of_change() -> None:
    both = merged([frame(1, a="1", b="1"), frame(2, p="2"), frame(3, a="3")])
    assert [(element, each.html) for element, each in both.fragments.items()] == [
        ("b", "1"),
        ("p", "2"),
        ("a", "3"),
    ]
    assert both.number == 3
    assert both.facts == {"now": 3}
    assert both.seen["1"] == {"BJ-01": 3}
    assert both.shouts == ("shout 1", "shout 2", "shout 3")


def test_nothing_cannot_be_merged() -> None:
    with pytest.raises(ValueError, match="expected a frame"):
        merged([])


@given(st.lists(st.integers(0, 6), max_size=30), st.integers(1, 8))
def test_whatever_its_pauses_a_client_sees_each_change_once(takes: list[int], size: int) -> None:
    """A client that is within the ring ends with what one ends with that took every frame."""
    ring, page, number, at = Ring("b", size), {}, 0, 0
    whole: dict[str, str] = {}
    shouts: list[str] = []
    for pause in [*takes, 1]:
        for _ in range(pause):
            number += 1
            made = frame(number, **{f"e{number % 3}": str(number)})
            ring.append(made)
            whole |= {element: each.html for element, each in made.fragments.items()}
        place = ring.reachable(at)
        assert (place is None) == (number - at > size)
        if place is None:
            page, shouts = dict(whole), [f"shout {each + 1}" for each in range(number)]
        elif message := ring.after(place, None):
            id_, _, data = told(message)
            assert id_ == ring.position
            page |= data["swap"]
            shouts += data["shout"]
        at = number
    assert page == whole
    assert shouts == [f"shout {each + 1}" for each in range(number)]


def test_a_client_goes_on_only_after_an_id_of_this_boot_that_is_still_here() -> None:
    ring = Ring("b", 2)
    assert ring.position == "b-0"
    assert ring.place_of("b-0") == 0
    for number in (1, 2, 3):
        ring.append(frame(number))
    assert [ring.place_of(f"b-{each}") for each in range(5)] == [None, 1, 2, 3, None]
    for other in ("", "b", "b-", "b-x", "other-2", "b--1", "b-²", "b-" + "9" * 40):
        assert ring.place_of(other) is None
    assert ring.after(3, None) == b""


def test_a_frame_is_written_once_for_all_clients_of_a_page() -> None:
    ring = Ring("b", 2)
    ring.append(frame(1, a="1"))
    first = ring.after(0, "1")
    assert ring.after(0, "1") is first
    assert ring.after(0, None) != b""
    for number in (2, 3):
        ring.append(frame(number))
    assert told(ring.after(1, "1"))[0] == "b-3"


def test_frames_are_kept_for_two_minutes_and_at_most_so_many() -> None:
    ring = Ring("b", 3)
    for number, at in ((1, 0), (2, 60_000), (3, 120_000), (4, 180_001)):
        ring.append(replace(frame(number), at=at))
    assert [ring.reachable(each) for each in range(5)] == [None, None, 2, 3, 4]
    ring.append(replace(frame(5), at=180_002))
    ring.append(replace(frame(6), at=180_003))
    assert [ring.reachable(each) for each in range(2, 5)] == [None, 3, 4]


def test_frames_come_in_order() -> None:
    with pytest.raises(ValueError, match="expected frame 1, found 2"):
        Ring("b").append(frame(2))
