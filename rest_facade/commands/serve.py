"""`orgdata serve`: serve an existing database, in one process or in several workers."""

import gc
import resource
import tempfile
from contextlib import ExitStack, suppress
from math import ceil
from pathlib import Path
from typing import Annotated

import typer

from db.errors import OperatorError
from rest_facade.commands.options import InternalPort, Port, load_with_ports
from rest_facade.server.sockets import accept_new_connections, address, bind_socket, claim_port
from rest_facade.settings import MEMORY, require_settings

GRACE = 20
"""Seconds that requests in flight have to finish at shutdown; more where a deadline is longer."""

CLOSE_SECONDS = 5.0
"""Seconds beyond drain and grace in which a worker must close its connections, before the parent kills it."""


def serve(
    port: Port = None,
    internal_port: InternalPort = None,
    workers: Annotated[int, typer.Option(help="Number of worker processes.", min=1)] = 1,
) -> None:
    """Serve the database of ORGDATA_DATABASE_URL."""
    settings = load_with_ports(port, internal_port)
    from rest_facade.server.process import ShutdownPolicy, freeze_objects, prepare_interpreter, run_server

    prepare_interpreter()
    from rest_facade.composition import build_service
    from rest_facade.server.workers import Worker, Workers
    from rest_facade.telemetry.worker_sockets import WorkerSockets

    url = require_settings(settings, "database_url").get_secret_value()
    require_settings(settings, "signing_keys")
    if workers > 1 and settings.quota_store.get_secret_value() == MEMORY:
        raise OperatorError(
            f"{workers} workers would each count requests for themselves, and so allow {workers} times the quota: "
            "the store `memory` serves one worker. Set ORGDATA_QUOTA_STORE to a Redis or Valkey for several."
        )
    if workers > 1:
        import rest_facade.access.redis_store  # noqa: F401 - loaded once, and not in each fork

    grace = ceil(max(GRACE, settings.deadline, settings.graphql_deadline))
    _raise_file_limit()
    public_place, internal_place = (settings.host, settings.port), (settings.internal_host, settings.internal_port)
    if public_place == internal_place and settings.port:
        # Sharing it, each of the two would get some of the requests.
        raise OperatorError(f"Both listeners have the port {settings.port}: choose another: --port, --internal-port.")
    for place in (public_place, internal_place):
        claim_port(*place, url)
    with ExitStack() as stack:
        # One SO_REUSEPORT socket per worker: with a common one, the first worker to wake would accept the whole queue.
        # The parent keeps all of them open, so that the queue of a worker that died waits for its replacement.
        public = [stack.enter_context(bind_socket(settings.host, settings.port, shared=True))]
        bound = public[0].getsockname()[1]
        public += [stack.enter_context(bind_socket(settings.host, bound, shared=True)) for _ in range(1, workers)]
        internal = stack.enter_context(bind_socket(settings.internal_host, settings.internal_port, shared=True))
        base_url = settings.public_url or address(public[0])
        started_line = f"Serving {base_url}/v1/ (operators: {address(internal)}/ready)."
        if workers == 1:
            service = build_service(settings, url=url, base_url=base_url)
            policy = ShutdownPolicy(grace, settings.drain)
            run_server(service, public[0], internal, policy, lambda: typer.echo(started_line))
            return
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="orgdata-")))

        def work(worker: Worker) -> None:
            own = public.pop(worker.number)
            for other in public:
                other.close()
            accept_new_connections(own)
            sockets = WorkerSockets(folder, worker.number, workers)
            service = build_service(settings, url=url, base_url=base_url, worker_sockets=sockets)
            policy = ShutdownPolicy(grace, settings.drain, worker.lifeline)
            run_server(service, own, internal, policy, worker.started)

        gc.collect()  # once, for all workers: it takes a fifth of a second
        freeze_objects()
        processes = Workers(work, workers)
        processes.start()
        typer.echo(started_line)
        processes.supervise([*public, internal], settings.drain + grace + CLOSE_SECONDS)


def _raise_file_limit() -> None:
    """Raise the soft limit of open files to the hard one: each connection takes a file descriptor."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Some systems refuse "unlimited" as a number; the soft limit then stays as it was.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
