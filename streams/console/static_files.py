"""The pages' sheets and scripts: read once, compressed once, and named by what is in them.

`/static/console.1a2b3c4d5e6f.css` never changes, so that a browser asks for it once and keeps it
for a year. Everything is in the package: a page refers to no other host.
"""

import gzip
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
"""What is served, by the end of a file's name; licences and digests beside them are not."""

IMMUTABLE: Final = "public, max-age=31536000, immutable"
DIGEST_LENGTH: Final = 12


@dataclass(frozen=True, slots=True)
class StaticFile:
    """One file as it is sent."""

    path: str
    kind: str
    plain: bytes
    compressed: bytes


class StaticFiles:
    """All files of ``static/``, found by their plain names."""

    def __init__(self) -> None:
        self._by_name: dict[str, StaticFile] = {}
        self._by_path: dict[str, StaticFile] = {}
        for entry in (files(__package__) / "static").iterdir():
            stem, _, end = entry.name.rpartition(".")
            if end not in TYPES:
                continue
            plain = entry.read_bytes()
            digest = sha256(plain).hexdigest()[:DIGEST_LENGTH]
            path = f"{stem}.{digest}.{end}"
            packed = gzip.compress(plain, compresslevel=9, mtime=0)
            self._by_name[entry.name] = StaticFile(path, TYPES[end], plain, packed)
            self._by_path[path] = self._by_name[entry.name]

    def path(self, name: str) -> str:
        """Return a file's address.

        Raises:
            KeyError: there is no such file.
        """
        return f"/static/{self._by_name[name].path}"

    def compressed(self, name: str) -> bytes:
        """Return a file's bytes as most browsers get them."""
        return self._by_name[name].compressed

    @property
    def names(self) -> tuple[str, ...]:
        """Return the plain names of all files."""
        return tuple(sorted(self._by_name))

    def route(self) -> Route:
        """Return the route that serves them."""
        return Route("/static/{path}", self._answer, name="static")

    async def _answer(self, request: Request) -> Response:
        found = self._by_path.get(request.path_params["path"])
        if found is None:
            return Response("expected a file of this version's pages\n", 404)
        headers = {"Cache-Control": IMMUTABLE, "Vary": "Accept-Encoding"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(found.compressed, media_type=found.kind, headers=headers)
        return Response(found.plain, media_type=found.kind, headers=headers)
