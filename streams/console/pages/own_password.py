"""`/password`: whoever is signed in gives himself another password.

The present one is asked for, and a wrong one counts as a failed sign-in: a page that was left open
is no way around the limits. All sessions of the account end with the change, this one too.
"""

from typing import Final, assert_never

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from streams.console.access.access import Busy, SignedIn, TooManyTries, WrongPassword
from streams.console.access.accounts import Accounts
from streams.console.access.guard import SIGN_IN
from streams.console.access.passwords import password_fault
from streams.console.console import Console
from streams.console.pages.sign_in import later

PLACE: Final = "/password"
OWN: Final = "own"
"""Why it was changed, in the audit."""


def routes(console: Console) -> list[Route]:
    """Return the routes of the page."""
    access, accounts = console.access, Accounts(console.engine)

    def page(request: Request, status: int = 200, said: str = "") -> Response:
        return console.render(request, "own_password.html", status=status, said=said)

    async def show(request: Request) -> Response:
        return page(request)

    async def change(request: Request) -> Response:
        user = access.user(request)
        if user is None:
            return RedirectResponse(SIGN_IN, status_code=303)
        form = await request.form()
        present, new, again = (str(form.get(each, "")) for each in ("present", "new", "again"))
        fault = password_fault(user.name, new)
        if new != again:
            return page(request, 400, "The new password was typed in two ways. Type it again.")
        if fault is not None:
            return page(request, 400, f"{fault[:1].upper()}{fault[1:]}.")
        match await access.sign_in(request, user.name, present):
            case SignedIn():
                encoded = await access.hashed(new)
                by = access.by(request, OWN)
                await to_thread.run_sync(accounts.set_password, user.name, encoded, by)
                away = RedirectResponse(SIGN_IN, status_code=303)
                access.cookies.take_session(away)
                return away
            case WrongPassword():
                return page(request, 401, "The present password is not right.")
            case (TooManyTries() | Busy()) as entry:
                status, seconds, said = later(entry, access.now(), "Try again")
                response = page(request, status, said)
                response.headers["Retry-After"] = str(seconds)
                return response
            case other:
                assert_never(other)

    return [
        Route(PLACE, show, methods=["GET"], name="own-password"),
        Route(PLACE, change, methods=["POST"]),
    ]
