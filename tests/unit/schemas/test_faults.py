import pytest

from schemas.faults import CodecFault, LineFault, found_text, shown, shown_name


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (5, "5"),
        (-(10**70), "a longer integer"),
        (1.9, "the number 1.9"),
        ("abc", '"abc"'),
        ("a\nb", '"a\\nb"'),
        ([1], "a list of 1"),
        ((), "a list of 0"),
        ({"a": 1}, "an object"),
        (b"abc", "a value of type bytes"),
    ],
)
def test_a_value_is_told_in_few_words(value: object, text: str) -> None:
    assert found_text("field", value) == text


@pytest.mark.parametrize("card", ["AS", "as", "10H", "T♠", " KD ", "(QC)", "2-H"])
def test_what_may_be_a_card_is_not_told(card: str) -> None:
    assert found_text("face", card) == f"a text of {len(card)} characters"


@pytest.mark.parametrize(
    ("name", "told"),
    [("", '""'), ("TS", "a name of 2 characters"), ("seq", "seq"), ("x" * 65, "x" * 64 + "…")],
)
def test_a_name_is_told_and_never_empty_and_never_a_card(name: str, told: str) -> None:
    assert shown_name(name) == told


@pytest.mark.parametrize("text", ["ace of spades", "AS, KD", "AS"])
def test_nothing_of_a_card_field_is_told(text: str) -> None:
    assert found_text("card", text) == f"a text of {len(text)} characters"


def test_a_long_text_is_cut() -> None:
    assert shown("x" * 65) == "x" * 64 + "…"
    assert shown("x" * 64) == "x" * 64


def test_a_fault_reads_as_a_sentence() -> None:
    assert str(LineFault("seq", "an integer", "null")) == "seq: expected an integer, found null"
    fault = CodecFault("truncated", "value", "a record", "no bytes")
    assert str(fault) == "value: expected a record, found no bytes"
