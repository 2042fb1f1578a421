"""Mutants: every kind of change is made, and a changed module is what its tests import."""

import ast
import json
import subprocess
import sys
from pathlib import Path

from tests.mutants.mutation import Mutant, mutant, sites
from tests.mutants.run import GROUPS, files, sampled

SOURCE = '''"""What it is for."""

def judged(cards: "list[int]", due: bool) -> list[str]:
    """Return what is wrong."""
    if not due or len(cards) < 2:
        return ["few"]
    seen.count = 1
    seen.clear()
    return [name for name in cards if name is not None] if due else []
'''

TABLE_3 = Path("streams/core/games/chemin_de_fer/table3.py")

TRY = """
import sys
from pathlib import Path
from tests.mutants.mutation import Mutant
from tests.mutants.run import survives
path, source = Path(sys.argv[1]), sys.stdin.read()
print(survives(Mutant(path, 0, "changed", source), frozenset(), sys.argv[2:], 120))
"""

REACH = """
import json, sys
from pathlib import Path
from tests.mutants.reach import reached
print(json.dumps(reached([Path(sys.argv[1])], sys.argv[2:])[sys.argv[1]]))
"""


def survived(source: str) -> str:
    tests = ["tests/regulation/test_4_9_chemin_de_fer.py"]
    ran = subprocess.run(
        [sys.executable, "-c", TRY, str(TABLE_3), *tests],
        input=source,
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.strip()


def test_every_kind_of_change_is_made_and_leaves_a_module_that_compiles() -> None:
    made = [mutant(Path("m.py"), SOURCE, site) for site in sites(ast.parse(SOURCE))]
    assert {each.what.partition(":")[0] for each in made} == {
        "boolean",
        "comparison",
        "constant",
        "empty",
        "never",
        "not",
        "part",
        "removed",
    }
    same = ast.unparse(ast.parse(SOURCE))
    for each in made:
        compile(each.source, "m.py", "exec")
        assert each.source != same, each.name
        assert '"""Return what is wrong."""' in each.source
        assert "due: bool) -> list[str]" in each.source


def test_equal_seeds_draw_equal_mutants_and_others_draw_others() -> None:
    for group in GROUPS:
        assert all(files([each]) for each in (*group.modules, *group.tests)), group
        drawn: list[list[Mutant]] = [list(sampled(group, 5, seed)) for seed in (1, 1, 2)]
        assert drawn[0] == drawn[1] != drawn[2]


def test_a_changed_module_is_noticed_and_the_same_one_is_not() -> None:
    source = TABLE_3.read_text(encoding="utf-8")
    assert '"DSSSSODDDSS"' in source
    assert survived(source) == "True"
    assert survived(source.replace('"DSSSSODDDSS"', '"DSSSSODDDDS"')) == "False"


def test_the_tests_that_reach_a_line_are_known_by_their_ids() -> None:
    tests = ["tests/unit/test_sentences.py", "tests/regulation/test_4_9_chemin_de_fer.py"]
    ran = subprocess.run(
        [sys.executable, "-c", REACH, str(TABLE_3), *tests],
        capture_output=True,
        text=True,
        check=True,
    )
    lines: dict[str, list[str]] = json.loads(ran.stdout)
    drawing = next(
        number
        for number, text in enumerate(TABLE_3.read_text(encoding="utf-8").splitlines(), start=1)
        if text.strip().startswith("return ")
    )
    assert lines[str(drawing)]
    assert all(each.startswith(tests[1]) for ids in lines.values() for each in ids)
