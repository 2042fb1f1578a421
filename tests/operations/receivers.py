"""Who Alertmanager tells in a test: a mail server and a web hook that keep what they are told."""

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

LOOPBACK: Final = "127.0.0.1"


@dataclass
class Received:
    """What came so far.

    Attributes:
        mails: each mail's addressees with its text.
        hooks: each call's path, its Authorization and its body.
    """

    mail_port: int = 0
    hook_port: int = 0
    mails: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    hooks: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)

    def mailed(self, to: str, alert: str) -> bool:
        """Return whether somebody got a mail that names an alert."""
        return any(to in addressees and alert in text for addressees, text in self.mails)

    def called(self, path: str, alert: str) -> bool:
        """Return whether a hook was called for an alert."""
        return any(
            path == called and alert in [each["labels"]["alertname"] for each in body["alerts"]]
            for called, _, body in self.hooks
        )


@contextmanager
def receiving() -> Iterator[Received]:
    """Listen for mail (RFC 5321, without TLS) and for hooks until the end."""
    received = Received()

    class Mail(socketserver.StreamRequestHandler):
        def say(self, line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

        def handle(self) -> None:
            addressees: list[str] = []
            self.say("220 ready")
            while line := self.rfile.readline().decode().strip():
                verb = line[:4].upper()
                if verb == "RCPT":
                    addressees.append(line.partition("<")[2].partition(">")[0])
                if verb == "DATA":
                    self.say("354 go on")
                    text = b""
                    while (part := self.rfile.readline()) != b".\r\n":
                        text += part
                    received.mails.append((tuple(addressees), text.decode()))
                self.say("250 well")
                if verb == "QUIT":
                    return

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            received.hooks.append((self.path, self.headers.get("Authorization", ""), body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with (
        socketserver.ThreadingTCPServer((LOOPBACK, 0), Mail) as mail,
        ThreadingHTTPServer((LOOPBACK, 0), Hook) as hook,
    ):
        received.mail_port, received.hook_port = mail.server_address[1], hook.server_address[1]
        servers: list[socketserver.BaseServer] = [mail, hook]
        threads = [threading.Thread(target=server.serve_forever) for server in servers]
        for thread in threads:
            thread.start()
        try:
            yield received
        finally:
            for server in servers:
                server.shutdown()
            for thread in threads:
                thread.join()
