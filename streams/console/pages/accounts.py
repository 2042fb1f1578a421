"""`/accounts`: an administrator's page of who may sign in, and what was done by whom.

| form | does | at once |
|---|---|---|
| add | makes an account with a password made here | shows it this once |
| role and pits | gives others | they hold from the next request on |
| password | makes another one here | shows it this once, ends the account's sessions |
| disable, enable | lets nobody in, or its owner again | disabling ends its sessions |

Each asks for a reason, which the audit keeps. Nobody changes his own role or disables himself: one
who did so by mistake, as the last administrator, could not be helped from here.
"""

import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final

from anyio import to_thread
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from streams.console.access.accounts import Account, AccountFault, Accounts
from streams.console.access.passwords import generated
from streams.console.access.roles import ACCOUNTS, User
from streams.console.access.trail import By, Trail
from streams.console.console import Console
from streams.console.inventory import Inventory
from streams.core.alarms.commands import ROLES

PLACE: Final = "/accounts"
ENTRIES: Final = 100
"""Entries of the audit on the page: the last of them."""

LONGEST_REASON: Final = 500
CHANGES: Final = ("grant", "password", "disable", "enable")
Page = Callable[[Request, User], Awaitable[Response]]


def routes(console: Console) -> list[Route]:
    """Return the routes of the accounts page."""
    access, zone = console.access, console.settings.zone
    accounts, trail = Accounts(console.engine), Trail(console.engine)

    def told(micros: object) -> str:
        return datetime.fromtimestamp(int(str(micros)) // 1_000_000, zone).strftime(
            "%Y-%m-%d %H:%M:%S %Z"
        )

    def guarded(page: Page) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            user = access.user(request)
            said = "sign in" if user is None else access.may(user, ACCOUNTS, None, None)
            if user is None or said is not None:
                return console.render(request, "refused.html", status=403, said=said)
            return await page(request, user)

        return answer

    async def overview(
        request: Request,
        status: int = 200,
        *,
        said: str = "",
        made: tuple[str, str] | None = None,
        typed: FormData | None = None,
    ) -> Response:
        listed = await to_thread.run_sync(accounts.listed)
        entries = await to_thread.run_sync(trail.last, ENTRIES)
        return console.render(
            request,
            "accounts.html",
            status=status,
            listed=listed,
            entries=entries,
            roles=ROLES,
            pits=[pit.name for pit in console.inventory.pits],
            said=said,
            made=made,
            typed=typed or {},
            told=told,
        )

    async def one(
        request: Request, account: Account, status: int = 200, *, said: str = ""
    ) -> Response:
        return console.render(
            request,
            "account.html",
            status=status,
            account=account,
            own=access.by(request).who == account.name,
            roles=ROLES,
            said=said,
            told=told,
        )

    async def show(request: Request, _user: User) -> Response:
        return await overview(request)

    async def show_one(request: Request, _user: User) -> Response:
        account = await found(request)
        if account is None:
            return await overview(request, 404, said="There is no account of that name.")
        return await one(request, account)

    async def found(request: Request) -> Account | None:
        name = request.path_params["name"]
        listed = await to_thread.run_sync(accounts.listed)
        return next((each for each in listed if each.name == name), None)

    async def add(request: Request, _user: User) -> Response:
        form = await request.form()
        name, role = text(form, "name"), text(form, "role")
        reason, password = text(form, "why"), generated()
        if not reason:
            return await overview(request, 400, said="Say why, for the audit.", typed=form)
        by, encoded = access.by(request, reason), await access.hashed(password)
        try:
            pits = pits_in(text(form, "pits"), console.inventory)
            await to_thread.run_sync(accounts.add, name, encoded, role, pits, by)
        except AccountFault as fault:
            return await overview(request, 400, said=sentence(fault), typed=form)
        return await overview(request, made=(name, password))

    async def change(request: Request, user: User) -> Response:
        account = await found(request)
        if account is None:
            return await overview(request, 404, said="There is no account of that name.")
        form = await request.form()
        what, reason = request.path_params["change"], text(form, "why")
        if what not in CHANGES:
            return await one(request, account, 404, said="There is no such change.")
        if not reason:
            return await one(request, account, 400, said="Say why, for the audit.")
        if user.name == account.name and what in ("grant", "disable"):
            said = "Your own account is another administrator's to change."
            return await one(request, account, 400, said=said)
        by = access.by(request, reason)
        made = None
        if what == "password":
            made = (account.name, generated())
            encoded = await access.hashed(made[1])
            await to_thread.run_sync(accounts.set_password, account.name, encoded, by)
            return await overview(request, made=made)
        try:
            pits = pits_in(text(form, "pits"), console.inventory)
            grant = (text(form, "role"), pits) if what == "grant" else None
            await to_thread.run_sync(changed, accounts, account, what, grant, by)
        except AccountFault as fault:
            return await one(request, account, 400, said=sentence(fault))
        return RedirectResponse(PLACE, status_code=303)

    return [
        Route(PLACE, guarded(show), methods=["GET"], name="accounts"),
        Route(PLACE, guarded(add), methods=["POST"]),
        Route(f"{PLACE}/{{name}}", guarded(show_one), methods=["GET"]),
        Route(f"{PLACE}/{{name}}/{{change}}", guarded(change), methods=["POST"]),
    ]


def changed(
    accounts: Accounts,
    account: Account,
    what: str,
    grant: tuple[str, tuple[str, ...]] | None,
    by: By,
) -> None:
    """Change an account: give it a role and pits, or disable or enable it.

    Raises:
        AccountFault: a role or a pit is none.
    """
    if grant is None:
        accounts.set_disabled(account.name, disabled=what == "disable", by=by)
        return
    role, pits = grant
    if role != account.role:
        accounts.set_role(account.name, role, by)
    if pits != account.pits:
        accounts.set_pits(account.name, pits, by)


def text(form: FormData, field: str) -> str:
    """Return a field of a form without the spaces around it; what is no text is none."""
    value = form.get(field)
    return value.strip()[:LONGEST_REASON] if isinstance(value, str) else ""


def pits_in(said: str, inventory: Inventory) -> tuple[str, ...]:
    """Return the pits that someone typed, with commas or spaces between, each once.

    Raises:
        AccountFault: the inventory is of a file, and has no such pit.
    """
    pits = tuple(dict.fromkeys(part for part in re.split(r"[,\s]+", said) if part))
    known = {pit.name for pit in inventory.pits}
    for pit in pits:
        if inventory.listed and pit not in known:
            raise AccountFault(f"pit: expected one of {', '.join(sorted(known))}, found {pit}")
    return pits


def sentence(fault: AccountFault) -> str:
    """Return what is wrong as a sentence."""
    said = str(fault)
    return f"{said[:1].upper()}{said[1:]}."
