"""`orgdata demo`: starts an embedded database, inserts two sample organizations, creates keys, and runs the service."""

import json
import os
import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from pydantic import SecretStr

from db.errors import OperatorError
from db.sample.embedded.server import Server
from rest_facade.commands.options import Port, load_with_ports
from rest_facade.server.sockets import address, bind_socket

DEMO_GRACE = 1
"""Seconds that requests in flight have to finish when the demo stops."""

MCP_SCOPES = ("organization:read", "members:read", "teams:read", "projects:read", "tasks:read", "time:read")


def demo(
    members: Annotated[
        int | None,
        typer.Option(help="Members of the demo organization, in an empty folder.", min=1, max=500, show_default="24"),
    ] = None,
    port: Port = None,
    internal_port: Annotated[
        int | None, typer.Option(help="Port of the internal listener.", min=0, max=65535, show_default="the port + 1")
    ] = None,
    data: Annotated[Path, typer.Option(help="Folder of the embedded database and the signing key.")] = Path(".orgdata"),
) -> None:
    """Serve two sample organizations from an embedded database."""
    if port and internal_port is None:
        internal_port = port + 1
    settings = load_with_ports(port, internal_port)
    for name in ("database_url", "keys_database_url"):
        if getattr(settings, name) is None:
            continue
        # It migrates and inserts organizations: never in a database that is in use.
        raise OperatorError(
            f"ORGDATA_{name.upper()} is set, but the demo always uses an embedded database of its own: it inserts "
            "sample organizations and keys. Unset the variable, or serve that database with `orgdata serve`."
        )
    with ExitStack() as stack:
        public = stack.enter_context(bind_socket(settings.host, settings.port))
        internal = stack.enter_context(bind_socket(settings.internal_host, settings.internal_port))
        try:
            data.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OperatorError(f"The folder {data} cannot be made: {error.strerror}.") from error
        # The database ends with the thread that started it, so this thread lives until the demo stops.
        database_thread = stack.enter_context(ThreadPoolExecutor(max_workers=1))
        server = database_thread.submit(stack.enter_context, Server(data))
        # Imported meanwhile: this takes as long as the database needs to start and to load its rows.
        from rest_facade.server.process import ShutdownPolicy, prepare_interpreter, run_server

        prepare_interpreter()
        from db.sample.demo.build import DEMO_MEMBERS, fill_database

        wanted = members or DEMO_MEMBERS
        filled = database_thread.submit(lambda: fill_database(server.result(), members=wanted, mcp_scopes=MCP_SCOPES))
        from rest_facade.composition import build_service

        contents = filled.result()
        if members is not None and not contents.is_new:
            typer.echo(f"orgdata: {data} has the organizations of an earlier start: --members has no effect.", err=True)
        settings = settings.model_copy(update={"signing_keys": (SecretStr(_signing_key(data)),)})
        base_url = settings.public_url or address(public)
        service = build_service(settings, url=contents.owner_url, base_url=base_url, examples=contents.examples)
        details = {
            "public": base_url,
            "internal": address(internal),
            **contents.keys_and_ids,
            "database_url": contents.owner_url,
        }
        run_server(service, public, internal, ShutdownPolicy(DEMO_GRACE), lambda: _print_details(details))


def _signing_key(folder: Path) -> str:
    """The key that signs page tokens. It is stored in the folder, so that page tokens are valid after a restart."""
    file = folder / "signing-key"
    if not file.exists():
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600), "w") as opened:
            opened.write(secrets.token_urlsafe(32))
    return file.read_text()


def _print_details(details: dict[str, str]) -> None:
    print(  # noqa: T201
        f"""
Serving two sample organizations at {details["public"]} (operators: {details["internal"]}/ready).

  curl -H 'X-SERVICE-API-KEY: {details["partner_key"]}' '{details["public"]}/v1/organization/'
  curl -H 'X-SERVICE-API-KEY: {details["partner_key"]}' '{details["public"]}/v1/members/?limit=2'

In a browser, the hours of the first one, and the overview with explorers:
  {details["internal"]}/hours#token={details["internal_token"]}&organization={details["organization_id"]}
  {details["internal"]}/#token={details["internal_token"]}&organization={details["organization_id"]}

The MCP key has these scopes only: {", ".join(MCP_SCOPES)}.
Ctrl-C stops the service and its database.
Addresses, keys and ids in one line of JSON, for scripts:
"""
    )
    print(json.dumps(details), flush=True)  # noqa: T201
