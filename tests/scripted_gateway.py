"""An HTTP server that answers devices by a script, and keeps what it was sent: for the answers
that a real gateway gives only when its disk fails or its spool is full."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Reply = tuple[int, dict[str, str], bytes] | None
"""Status, headers and body; nothing for a connection that is cut without an answer."""


def taken(lines: list[bytes]) -> Reply:
    """Accept a request."""
    return judged(lines)


def judged(lines: list[bytes], *rejected: dict[str, object]) -> Reply:
    """Answer as a gateway does that refuses some lines."""
    body = {"accepted": len(lines) - len(rejected), "duplicates": 0, "rejected": list(rejected)}
    return 400 if rejected else 202, {}, json.dumps(body).encode()


def status(number: int, **headers: str) -> Callable[[list[bytes]], Reply]:
    """Answer every request with a status."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _lines: (number, named, b'{"error":"said so"}')


def lost(_lines: list[bytes]) -> Reply:
    """Cut the connection: whether the lines were kept the device cannot know."""
    return None


@dataclass
class ScriptedGateway:
    """What it answers next, and what it was sent: each request's lines, headers and answer."""

    script: Iterator[Callable[[list[bytes]], Reply]]
    url: str = ""
    requests: list[list[bytes]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    kept: list[bytes] = field(default_factory=list)
    """Lines of requests that were judged or whose answer was lost, in the order they came."""

    def seqs(self) -> list[int]:
        """Return the numbers of the lines that were kept."""
        return [json.loads(line)["seq"] for line in self.kept]


@contextmanager
def scripted_gateway(
    script: Iterable[Callable[[list[bytes]], Reply]] = (),
) -> Iterator[ScriptedGateway]:
    """Serve answers in the script's order, and then accept all."""
    gateway = ScriptedGateway(iter(script))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            lines = body.splitlines()
            gateway.requests.append(lines)
            gateway.headers.append({name.lower(): text for name, text in self.headers.items()})
            reply = next(gateway.script, taken)(lines)
            if reply is None or reply[0] in {202, 400}:
                gateway.kept += lines
            if reply is None:
                self.close_connection = True
                return
            number, headers, text = reply
            self.send_response(number)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        gateway.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield gateway
        finally:
            server.shutdown()
            thread.join()
