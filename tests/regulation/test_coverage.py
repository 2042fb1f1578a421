"""Every sentence of the five texts is accounted for, and what is said to watch it does."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from streams.core.book import NO_CLAUSE
from streams.rulebooks import load
from streams.rulebooks.coverage import SECTIONS, Section, Sentence, load_sections

ROOT = Path(__file__).parents[2]
TEXTS = Path(__file__).parent / "texts"
ITEM = re.compile(r"(?:(\([a-z]\))|(\d)\.|(i{1,3})\.)\s*(?=[A-Z])")
"""What a paragraph of a clause begins with: ``(b)``, ``3.`` below it, ``ii.`` below that."""
BETWEEN = re.compile(r"(?:(?<=[.:;])|(?<=[.:;]\"))\s+(?=[A-Z])")
"""What lies between two sentences of a paragraph."""

BOOK = load()
LISTED = {section.section: section for section in load_sections(BOOK)}
WATCHED = [
    sentence for section in LISTED.values() for sentence in section.sentences if sentence.codes
]


def name(sentence: Sentence) -> str:
    return f"{sentence.clause} {sentence.number}"


def sentences(section: str) -> Iterator[tuple[str, str]]:
    """Yield the clause and the text of each sentence of a section, in order."""
    letter = number = roman = ""
    for paragraph in (TEXTS / f"{section}.txt").read_text(encoding="utf-8").splitlines():
        item = ITEM.match(paragraph)
        text = paragraph
        if item is not None:
            letter, number, roman = (
                item[1] or letter,
                item[2] or ("" if item[1] else number),
                item[3] or "",
            )
            text = paragraph[item.end() :]
        whole = text.startswith("TABLE")
        for sentence in [text] if whole else BETWEEN.split(text):
            yield f"{section}{letter}{number}{roman}", sentence


def cited(clause: str) -> Iterator[str]:
    """Yield each clause that a clause of the rulebook cites: 2.6(k)1 and 2.6(k)2 of 2.6(k)1,2."""
    for part in clause.split(";"):
        section, letter = part[: part.index("(")], ""
        for item in part.removeprefix(section).split(","):
            letter = item[:3] if item.startswith("(") else letter
            yield f"{section}{letter}{item.removeprefix(letter)}"


@cache
def functions(path: str) -> dict[str, set[str]]:
    """Return a file's tests with the words in each of them."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {
        test.name: {
            word.value
            for word in ast.walk(test)
            if isinstance(word, ast.Constant) and isinstance(word.value, str)
        }
        for test in tree.body
        if isinstance(test, ast.FunctionDef)
    }


@pytest.mark.parametrize("section", SECTIONS)
def test_every_sentence_of_the_text_is_listed_in_its_order(section: str) -> None:
    text = list(sentences(section))
    listed = LISTED[section].sentences
    assert [clause for clause, _ in text] == [sentence.clause for sentence in listed]
    for (clause, words), sentence in zip(text, listed, strict=True):
        assert words.startswith(sentence.begins), clause


def test_a_section_is_of_the_game_of_the_rulebook() -> None:
    for code, rule in BOOK.rules.items():
        for game, clause in rule.clauses.items():
            if clause not in NO_CLAUSE:
                assert LISTED[clause[: clause.index("(")]].game == game, code


@pytest.mark.parametrize("code", [code for code, rule in BOOK.rules.items()])
def test_a_code_watches_a_sentence_of_each_clause_it_cites(code: str) -> None:
    clause = BOOK.rules[code].clause
    for each in cited(clause) if clause not in NO_CLAUSE else ():
        watched = [sentence for sentence in WATCHED if sentence.clause.startswith(each)]
        assert any(code in sentence.codes for sentence in watched), each


@pytest.mark.parametrize("sentence", WATCHED, ids=name)
def test_each_code_is_shown_by_a_test_that_is_named(sentence: Sentence) -> None:
    shown: set[str] = set()
    for test in sentence.tests:
        path, _, function = test.partition("::")
        assert function in functions(path), f"{test} is no test"
        shown |= functions(path)[function]
    assert set(sentence.codes) <= shown


@pytest.mark.parametrize("section", LISTED.values(), ids=lambda section: section.section)
def test_no_sentence_that_binds_is_left_open(section: Section) -> None:
    for sentence in section.sentences:
        if sentence.watched != "whole":
            assert sentence.unwatched, sentence.clause
        assert len(set(sentence.codes)) == len(sentence.codes), sentence.clause


def test_clauses_are_read_as_the_rulebook_writes_them() -> None:
    assert list(cited("2.6(j)3,(k)6")) == ["2.6(j)3", "2.6(k)6"]
    assert list(cited("2.6(k)1,2")) == ["2.6(k)1", "2.6(k)2"]
    assert list(cited("16.8(b)2ii;27.8(b)2ii")) == ["16.8(b)2ii", "27.8(b)2ii"]
