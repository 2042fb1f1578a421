"""`floor.toml` is read whole or refused whole, with every problem named."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.console.floor_file import camera_fault, load_inventory, parse_inventory
from streams.console.inventory import (
    GatewayEntry,
    Inventory,
    InventoryFault,
    Pit,
    Place,
    PlannedTable,
)
from streams.core.events import GAMES

WHOLE = """\
[defaults]
silence_seconds = 90
camera = "https://cameras.test/{table}?from={from}&to={to}"

[[pits]]
name = "main"

[[pits.tables]]
name = "CS-01"
game = "caribbean_stud"
row = 1
column = 2
rounds_an_hour = 45

[[pits.tables]]
name = "BJ-01"
silence_seconds = 120

[[pits]]
name = "high"
tables = [{ name = "CF-01", camera = "http://10.0.0.1/cf" }]

[[gateways]]
name = "gateway-1"
tables = ["CS-01", "CF-01"]
key = "gateway-1"
"""
CAMERA = "https://cameras.test/{table}?from={from}&to={to}"


def test_a_whole_file() -> None:
    assert parse_inventory(WHOLE) == Inventory(
        (
            Pit(
                "main",
                (
                    PlannedTable("CS-01", "caribbean_stud", Place(1, 2), 90, 45, CAMERA),
                    PlannedTable("BJ-01", None, None, 120, None, CAMERA),
                ),
            ),
            Pit("high", (PlannedTable("CF-01", None, None, 90, None, "http://10.0.0.1/cf"),)),
        ),
        (GatewayEntry("gateway-1", ("CS-01", "CF-01"), ("gateway-1",)),),
        listed=True,
    )


BROKEN = """\
colour = "red"
[defaults]
silence_seconds = 1
camera = "ftp://cameras.test/"
[[pits]]
name = "main"
[[pits.tables]]
name = "CS-01"
game = "poker"
row = 1
[[pits.tables]]
name = "CS-01"
row = 1
column = 1
rounds_an_hour = 1.5
[[pits]]
name = "unlisted"
[[pits.tables]]
row = 1
column = 1
[[pits.tables]]
name = "-"
row = 1
column = 1
[[gateways]]
name = "gateway-1"
tables = ["CS-01", "CS-01", "XX-99"]
address = "10.0.0.1"
"""
NAME_WORDS = "1 to 64 characters A-Z a-z 0-9 . _ -, the first a letter or digit"
PROBLEMS = [
    "line 1: colour: expected one of pits, defaults, gateways, found an unknown key; "
    "correct it or take it out",
    "line 3: defaults, silence_seconds: expected a whole number 5 to 86400, found 1; "
    "correct it, or leave the key out",
    "line 4: defaults, camera: expected an address that begins with http:// or https://, "
    'found "ftp://cameras.test/"; '
    "write it as https://HOST/PATH?camera={table}&from={from}&to={to}",
    f'line 9: pits 1, tables 1, game: expected one of {", ".join(GAMES)}, found "poker"; '
    "name a game, or leave the key out",
    "line 7: pits 1, tables 1: expected a column beside the row, found nothing; "
    "give both or neither",
    "line 12: pits 1, tables 2, name: expected each table once, found CS-01 again; "
    "give it another name",
    "line 15: pits 1, tables 2, rounds_an_hour: expected a whole number 1 to 1000, "
    "found the number 1.5; correct it, or leave the key out",
    'line 17: pits 2, name: expected another name, found "unlisted"; '
    "tables without a pit are shown there",
    "line 18: pits 2, tables 1, name: expected a value, found nothing; add the key name",
    f'line 22: pits 2, tables 2, name: expected {NAME_WORDS}, found "-"; choose another name',
    "line 21: pits 2, tables 2: expected a free place, found row 1 column 1 again; "
    "give each table of a pit a place of its own",
    "line 28: gateways 1, address: expected one of name, tables, key, found an unknown key; "
    "correct it or take it out",
    "line 27: gateways 1, tables 2: expected each table once, found CS-01 again; take it out here",
    'line 27: gateways 1, tables 3: expected a table of a pit, found "XX-99"; '
    "add it to its pit, or take it out here",
]


def problems(text: str) -> list[str]:
    with pytest.raises(InventoryFault) as caught:
        parse_inventory(text)
    assert str(caught.value) == "\n".join(str(each) for each in caught.value.problems)
    return [str(each) for each in caught.value.problems]


def test_every_problem_is_named_at_once_with_its_line() -> None:
    assert problems(BROKEN) == PROBLEMS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "pits: expected a value, found nothing; add the key pits"),
        ("pits = 1", "line 1: pits: expected a list of tables, found 1; write [[pits]] above each"),
        ("pits = []", "line 1: pits: expected 1 to 100 entries, found 0; write [[pits]] for each"),
        ("pits = [1]", "line 1: pits 1: expected a table, found 1; write [[pits]] above it"),
        (
            'defaults = 1\n[[pits]]\nname = "a"\ntables = [{name = "b"}]',
            "line 1: defaults: expected a table, found 1; write [defaults]",
        ),
        (
            '[[pits]]\nname = "a"\ntables = [{name = {}}]',
            f"line 3: pits 1, tables 1, name: expected {NAME_WORDS}, found a table; "
            "choose another name",
        ),
        (
            '[[pits]]\nname = "a"\ntables = [{name = "b"}]\n[[gateways]]\nname = "g"\ntables = "b"',
            'line 6: gateways 1, tables: expected a list of tables, found "b"; '
            "write it in brackets",
        ),
        (
            f"a = {'9' * 5000}",
            "file: expected TOML, found Exceeds the limit (4300 digits) for integer string "
            "conversion: value has 5000 digits; use sys.set_int_max_str_digits() to increase the "
            "limit; mend the line after the rules of TOML 1.0",
        ),
        (
            "a = 1\nb = = 2",
            "line 2: file: expected TOML, found Invalid value; "
            "mend the line after the rules of TOML 1.0",
        ),
    ],
)
def test_one_problem(text: str, said: str) -> None:
    assert problems(text) == [said]


def test_tables_beyond_the_bound_are_refused() -> None:
    tables = ", ".join(f'{{name = "T{number}"}}' for number in range(2_000))
    rest = '[[pits]]\nname = "b"\ntables = [{name = "X"}]'
    (said,) = problems(f'[[pits]]\nname = "a"\ntables = [{tables}]\n{rest}')
    assert said == "line 1: pits: expected at most 2000 tables, found 2001; divide the floor"


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("https://c.test/{table}/{from}-{to}", None),
        ("http://[::1]:80/x", None),
        ("", "a text of 1 to 1000 characters"),
        (7, "a text of 1 to 1000 characters"),
        ("https://c.test/" + "a" * 1000, "a text of 1 to 1000 characters"),
        ("https://c.test/a b", "printable ASCII without spaces"),
        ("https://c.test/\n", "printable ASCII without spaces"),
        ("https://c.test/{pit}", "only the placeholders {table}, {from}, {to}"),
        ("https://c.test/{table", "only the placeholders {table}, {from}, {to}"),
        ("https://c.test/{{table}}", "only the placeholders {table}, {from}, {to}"),
        ("javascript:alert(1)", "an address that begins with http:// or https://"),
        ("//c.test/x", "an address that begins with http:// or https://"),
        ("https:///x", "a host written out, without a user or a placeholder"),
        ("https://{table}.c.test/", "a host written out, without a user or a placeholder"),
        ("https://c.test@evil.test/", "a host written out, without a user or a placeholder"),
        ("https://[::1/", "an address with a host"),
    ],
)
def test_camera_links(link: object, expected: str | None) -> None:
    assert camera_fault(link) == expected


def inventory_of(text: str) -> Inventory | None:
    try:
        return parse_inventory(text)
    except InventoryFault:
        return None


@given(st.text())
def test_any_text_is_an_inventory_or_a_fault(text: str) -> None:
    inventory = inventory_of(text)
    assert inventory is None or inventory.pits


TOML_VALUES = st.recursive(
    st.sampled_from(["1", "-7", "1.5", "true", '"x"', '"CS-01"', '"main"', "2026-11-30"]),
    lambda inner: st.lists(inner, max_size=3).map(lambda each: f"[{', '.join(each)}]"),
    max_leaves=4,
)
KEYS = st.sampled_from(["name", "game", "row", "column", "silence_seconds", "camera", "tables"])


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                ["[defaults]", "[[pits]]", "[[pits.tables]]", "[[gateways]]", "[pits]"]
            ),
            st.builds("{} = {}".format, KEYS, TOML_VALUES),
        ),
        max_size=12,
    )
)
def test_any_file_of_the_right_words_is_an_inventory_or_a_fault(lines: list[str]) -> None:
    inventory = inventory_of("\n".join(lines))
    assert inventory is None or all(pit.tables for pit in inventory.pits)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InventoryFault, match="file: expected a file, found No such file"):
        load_inventory(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"a = 1\nb = '\xe9'\n")
    with pytest.raises(InventoryFault, match="line 2: file: expected UTF-8, found other bytes"):
        load_inventory(tmp_path / "latin.toml")
    (tmp_path / "large.toml").write_bytes(b"#" * (1024 * 1024 + 1))
    with pytest.raises(InventoryFault, match="file: expected at most 1048576 bytes, found more"):
        load_inventory(tmp_path / "large.toml")
    (tmp_path / "floor.toml").write_text(WHOLE, encoding="utf-8")
    assert load_inventory(tmp_path / "floor.toml") == parse_inventory(WHOLE)
