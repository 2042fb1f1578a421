"""`/sign-in` and `/sign-out`: how a session begins and how its owner ends it.

A page's script asks `/session` whether it still lasts, and so says that someone is there who reads.
"""

from typing import Final, assert_never
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from schemas.times import MICROS_IN_SECOND
from streams.console.access.access import Busy, SignedIn, TooManyTries, WrongPassword
from streams.console.access.guard import SIGN_IN
from streams.console.console import Console

HOME: Final = "/"
LONGEST_PLACE: Final = 2_000
BUSY_SECONDS: Final = 5


def routes(console: Console) -> list[Route]:
    """Return the routes of signing in and out."""
    access = console.access

    def page(
        request: Request, status: int = 200, *, name: str = "", said: str = "", place: str = HOME
    ) -> Response:
        token = access.cookies.form_token(request)
        response = console.render(
            request, "sign_in.html", status=status, name=name, said=said, next=place, csrf=token
        )
        access.cookies.give_form_token(response, token)
        return response

    async def ask(request: Request) -> Response:
        place = place_in(request.query_params.get("next", HOME))
        if access.user(request) is not None:
            return RedirectResponse(place, status_code=303)
        return page(request, place=place)

    async def sign_in(request: Request) -> Response:
        form = await request.form()
        name, password, token, place = (
            str(form.get(field, "")) for field in ("name", "password", "csrf", "next")
        )
        place = place_in(place)
        if not access.cookies.has_form_token(request, token):
            said = "This page was open too long, or cookies are off. Sign in again."
            return page(request, 403, name=name, said=said, place=place)
        match await access.sign_in(request, name, password):
            case SignedIn(session_id):
                response: Response = RedirectResponse(place, status_code=303)
                access.cookies.give_session(response, session_id)
                return response
            case WrongPassword(left):
                said = f"Name or password is not right. {tries(left)} left."
                return page(request, 401, name=name, said=said, place=place)
            case (TooManyTries() | Busy()) as entry:
                status, seconds, said = later(entry, access.now(), "Sign in again")
                response = page(request, status, name=name, said=said, place=place)
                response.headers["Retry-After"] = str(seconds)
                return response
            case other:
                assert_never(other)

    async def sign_out(request: Request) -> Response:
        await access.sign_out(request)
        response = RedirectResponse(SIGN_IN, status_code=303)
        access.cookies.take_session(response)
        return response

    async def lasts(_request: Request) -> Response:
        return Response(status_code=204)

    return [
        Route("/session", lasts, methods=["GET"], name="session"),
        Route(SIGN_IN, ask, methods=["GET"], name="sign-in"),
        Route(SIGN_IN, sign_in, methods=["POST"]),
        Route("/sign-out", sign_out, methods=["POST"], name="sign-out"),
    ]


def place_in(asked: str) -> str:
    r"""Return where to go after signing in: a page of this console, and of no other host.

    Browsers take a backslash for a slash and leave out tabs and line feeds, so what has any of
    them, as ``/\host`` or ``//host``, leads to the floor.
    """
    plain = asked.isascii() and asked.isprintable() and "\\" not in asked
    if not plain or len(asked) > LONGEST_PLACE or not asked.startswith("/"):
        return HOME
    try:
        parts = urlsplit(asked)
    except ValueError:
        return HOME
    return HOME if asked.startswith("//") or parts.scheme or parts.netloc else asked


def later(entry: TooManyTries | Busy, now: int, again: str) -> tuple[int, int, str]:
    """Return the status, the seconds to wait and the words where no password was looked at.

    Args:
        entry: what became of the try.
        now: the time, microseconds.
        again: what to do then, as a sentence begins.
    """
    match entry:
        case TooManyTries(until):
            seconds = max(1, -((now - until) // MICROS_IN_SECOND))
            return 429, seconds, f"Too many tries. {again} in {-(-seconds // 60)} min."
        case Busy():
            said = f"Many sign in at this moment. {again} in a few seconds."
            return 503, BUSY_SECONDS, said
        case other:
            assert_never(other)


def tries(count: int) -> str:
    """Return a number of tries in words."""
    if count < 1:
        return "No try"
    return "1 try" if count == 1 else f"{count} tries"
