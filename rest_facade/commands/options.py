"""Options that several commands share."""

from typing import Annotated
from uuid import UUID

import typer

from rest_facade.settings import Settings, load

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""

OrganizationOption = Annotated[UUID, typer.Option("--organization", help="Id of the organization.")]
OrganizationFilter = Annotated[UUID | None, typer.Option("--organization", help="Only of this organization.")]
Port = Annotated[int | None, typer.Option(help="Port of the public listener.", min=0, max=65535)]
InternalPort = Annotated[int | None, typer.Option(help="Port of the internal listener.", min=0, max=65535)]


def load_with_ports(port: int | None, internal_port: int | None) -> Settings:
    """The settings, with the ports of the command line over those of the environment. Raises SettingsError."""
    options = {"port": port, "internal_port": internal_port}
    return load({name: value for name, value in options.items() if value is not None})
