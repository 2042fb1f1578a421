"""Files are short and typed, and none names a place that only one machine or one registry has."""

import ast
import re
import subprocess

import pytest

from tests.architecture.source import PACKAGES, ROOT, Module, modules

LONGEST_FILE = 400
LONGER = {
    "streams.core.events": 520,  # the closed union of all kinds, a class each
    "streams.shell.seams": 515,  # every private name of other libraries, in this one file
}

REGISTRIES = (
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("maven", "org"),
    ("maven.apache", "org"),
    ("npmjs", "org"),
    ("npmjs", "com"),
    ("yarnpkg", "com"),
    ("crates", "io"),
    ("rubygems", "org"),
    ("golang", "org"),
    # Debian's package of the engine has the name too, but no path behind it.
    ("docker", "io(?=[/:])"),
    ("docker", "com"),
    ("ghcr", "io"),
    ("quay", "io"),
    ("gcr", "io"),
    ("jsdelivr", "net"),
    ("unpkg", "com"),
    ("debian", "org"),
    ("ubuntu", "com"),
    ("conda", "org"),
    ("anaconda", "org"),
)
"""Hosts in two parts, so that this file names none either."""

HOST = re.compile("|".join(rf"\b{re.escape(name)}\.{end}\b" for name, end in REGISTRIES))
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|Users)/|\.\./shared\b")
BINARY = (".png", ".ico", ".gz", ".avro", ".bin", ".woff2")


def tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [name for name in listed.stdout.split("\0") if name]


def texts() -> list[tuple[str, str]]:
    return [
        (name, (ROOT / name).read_text(encoding="utf-8"))
        for name in tracked()
        if not name.endswith(BINARY) and (ROOT / name).is_file()
    ]


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_module_is_short_and_says_what_it_is_for(module: Module) -> None:
    assert module.text.count("\n") <= LONGER.get(module.name, LONGEST_FILE)
    assert ast.get_docstring(ast.parse(module.text)), "a module begins with what it is for"


@pytest.mark.parametrize("package", PACKAGES)
def test_package_is_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()


def test_no_file_names_a_registry_host() -> None:
    for name, text in texts():
        match = HOST.search(text)
        assert match is None, f"{name} names {match.group() if match else ''}"


def test_no_file_names_a_path_of_one_machine() -> None:
    for name, text in texts():
        match = MACHINE_PATH.search(text)
        this = name == "tests/architecture/test_files.py"
        assert match is None or this, f"{name} names {match.group() if match else ''}"


def test_patterns_find_what_they_are_for() -> None:
    assert HOST.search("https://" + ".".join(("files", *REGISTRIES[1])) + "/packages")
    assert not HOST.search("https://www.apache.org/licenses")
    assert MACHINE_PATH.search("see " + "/".join(("", "root", "x")))
    assert not MACHINE_PATH.search("GET /v1/events, artwork/root/x, ./work/x")
