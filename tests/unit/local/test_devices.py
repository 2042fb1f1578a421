"""How a device proves itself to a gateway: its token from a file, the gateway's authority."""

from pathlib import Path

import httpx
import pytest

from deploy.local.devices import FileToken, TokenFault, device_client

TOKEN = "pwt_" + "a" * 43


def test_the_token_is_read_with_each_request(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    said = []

    def answer(request: httpx.Request) -> httpx.Response:
        said.append(request.headers["authorization"])
        return httpx.Response(202)

    client = httpx.Client(transport=httpx.MockTransport(answer), auth=FileToken(file))
    client.post("http://gateway/v1/events")
    file.write_text("pwt_next")
    client.post("http://gateway/v1/events")
    assert said == [f"Bearer {TOKEN}", "Bearer pwt_next"]


@pytest.mark.parametrize("content", [b"", b"\n", b"two words", b"\xff", b"a" * 300, b"a\nb"])
def test_what_is_no_token_is_said_and_not_shown(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    with pytest.raises(TokenFault, match="expected a") as caught:
        device_client("http://127.0.0.1:1", file)
    assert "two words" not in str(caught.value)


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    with pytest.raises(TokenFault, match="absent: expected a file with a token, found: No such"):
        device_client("http://127.0.0.1:1", absent)
    with pytest.raises(TokenFault, match="gateway's authorities, found: No such"):
        device_client("http://127.0.0.1:1", None, absent)


def test_no_token_is_in_a_repr(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    client = device_client("http://127.0.0.1:1", file)
    assert TOKEN not in repr(client) + repr(client.auth) + repr(vars(client.auth))
