"""Options that several commands share."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated
from uuid import UUID

import typer

from db.errors import OperatorError
from rest_facade.settings import PREFIX, Settings, load

INTERRUPTED, TERMINATED = 130, 143
"""The exit codes after Ctrl-C and after SIGTERM, as shells have them."""

OrganizationOption = Annotated[UUID, typer.Option("--organization", help="Id, as `orgdata organizations list` has it.")]
OrganizationFilter = Annotated[UUID | None, typer.Option("--organization", help="Only of this organization.")]
AllOption = Annotated[bool, typer.Option("--all", help="Of every organization.")]
Port = Annotated[int | None, typer.Option(help="Port of the public listener.", min=0, max=65535)]
InternalPort = Annotated[int | None, typer.Option(help="Port of the internal listener.", min=0, max=65535)]


def load_with_ports(port: int | None, internal_port: int | None) -> Settings:
    """The settings, with the ports of the command line over those of the environment. Raises OperatorError."""
    options = {"port": port, "internal_port": internal_port}
    settings = load({name: value for name, value in options.items() if value is not None})
    for name in ("deadline", "graphql_deadline"):
        if settings.statement_timeout >= getattr(settings, name):
            raise OperatorError(
                f"{PREFIX}STATEMENT_TIMEOUT is {settings.statement_timeout:g}, and {PREFIX}{name.upper()} is"
                f" {getattr(settings, name):g}, which ends the request before: shorten the one, or lengthen the other."
            )
    return settings


def check_one_or_all(organization: UUID | None, *, every: bool) -> None:
    """Raises typer.BadParameter unless the command is given one organization or `--all`."""
    if (organization is not None) is every:
        raise typer.BadParameter("Give --organization or --all.")


@contextmanager
def ended_by_interrupt(outcome: str) -> Iterator[None]:
    """End the command with a sentence after Ctrl-C or SIGTERM: by then, the transaction of the block is rolled back."""
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except KeyboardInterrupt as interrupt:
        typer.echo(f"orgdata: Interrupted. {outcome}", err=True)
        raise typer.Exit(TERMINATED if isinstance(interrupt, _Terminated) else INTERRUPTED) from interrupt
    finally:
        signal.signal(signal.SIGTERM, before)


class _Terminated(KeyboardInterrupt):
    """SIGTERM, which a container's first process would ignore without a handler."""


def _terminate(_signal: int, _frame: object) -> None:
    raise _Terminated
