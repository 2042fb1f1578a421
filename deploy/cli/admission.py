"""Who may speak to a gateway: the options of `pitwatch gateway` that say it."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click

from producers.gateway.devices import load_devices
from producers.gateway.settings import Admission
from producers.gateway.tls import load_context

FILE: Final = click.Path(dir_okay=False, path_type=Path)

OPTIONS: Final = (
    click.option(
        "--tls-certificate",
        type=FILE,
        metavar="FILE",
        help="The gateway's certificate, PEM, with those between it and its root. Read again when "
        "it changes, as all these files are.",
    ),
    click.option("--tls-key", type=FILE, metavar="FILE", help="The certificate's key, PEM."),
    click.option(
        "--device-ca",
        type=FILE,
        metavar="FILE",
        help="Who signs devices' certificates, PEM: a device may then be known by the common name "
        "of its certificate instead of by a token.",
    ),
    click.option(
        "--device-tokens",
        type=FILE,
        metavar="FILE",
        help="The devices that may speak, for which tables, and their tokens' digests, as "
        "`pitwatch devices` writes them.  [default: everyone, for any table]",
    ),
    click.option(
        "--device-rate",
        type=click.FloatRange(1, 1_000_000),
        default=Admission().lines_a_second,
        show_default=True,
        help="Lines, or KiB where that is more, that one device may send a second in the long run; "
        "then it is told to wait.",
    ),
)


def admission_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command these options, as its argument ``admission``."""

    @wraps(command)
    def gathered(
        *,
        tls_certificate: Path | None,
        tls_key: Path | None,
        device_ca: Path | None,
        device_tokens: Path | None,
        device_rate: float,
        **others: Any,  # noqa: ANN401  the command's own
    ) -> Any:  # noqa: ANN401  what it returns
        admission = Admission(
            devices=device_tokens,
            certificate=tls_certificate,
            key=tls_key,
            authorities=device_ca,
            lines_a_second=device_rate,
        )
        return command(admission=admission, **others)

    whole: Callable[..., Any] = gathered
    for option in reversed(OPTIONS):
        whole = option(whole)
    return whole


def check_admission(admission: Admission) -> None:
    """Refuse options that do not go together, and files that cannot be used.

    Raises:
        click.UsageError: some options do not.
        click.ClickException: a file cannot.
    """
    if (admission.certificate is None) != (admission.key is None):
        have, lack = ("--tls-certificate", "--tls-key")
        if admission.certificate is None:
            have, lack = lack, have
        raise click.UsageError(f"{lack}: expected it beside {have}, found none")
    if admission.authorities is not None:
        for flag, value in (
            ("--tls-certificate", admission.certificate),
            ("--device-tokens", admission.devices),
        ):
            if value is None:
                raise click.UsageError(f"{flag}: expected it beside --device-ca, found none")
    try:
        if admission.devices is not None:
            load_devices(admission.devices)
        if admission.certificate is not None and admission.key is not None:
            load_context(admission.certificate, admission.key, admission.authorities)
    except OSError as error:
        raise click.ClickException(
            f"{error.filename}: expected a file of devices, found: {error.strerror}; write one "
            "with `pitwatch devices add`"
        ) from error
    except ValueError as error:
        raise click.ClickException(str(error)) from error
