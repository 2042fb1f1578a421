"""The client's folder, copied alone, runs on the standard library."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import producers.client
from tests.scripted_gateway import scripted_gateway


def test_a_copied_client_sends(tmp_path: Path) -> None:
    shutil.copytree(Path(producers.client.__file__).parent, tmp_path / "producers" / "client")
    command = [sys.executable, "-E", "-S", "-m", "producers.client", "--table", "T", "--source"]
    command += ["s", "--folder", str(tmp_path / "own"), "--gateway"]
    events = b'{"kind":"no_more_bets"}\n\n{"kind":"round_closed","at":"2026-11-30T12:00:00Z"}\n'
    with scripted_gateway() as gateway:
        result = subprocess.run(
            [*command, gateway.url], cwd=tmp_path, input=events, capture_output=True, check=False
        )
        assert (result.returncode, result.stderr) == (0, b"")
        assert json.loads(result.stdout)["accepted"] == 2
    assert gateway.seqs() == [1, 2]
    assert json.loads(gateway.kept[1])["at"] == "2026-11-30T12:00:00.000000Z"
