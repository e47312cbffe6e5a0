"""`orgdata serve`: the service over a database that is there, in one process or in several."""

import resource
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path

import typer

from rest_facade.composition import build_service
from rest_facade.server.process import Ending, run, settle
from rest_facade.server.sockets import StartError, accept_new, address, bind
from rest_facade.server.workers import Worker, Workers
from rest_facade.settings import MEMORY, Settings, require
from rest_facade.telemetry.worker_metrics import WorkerMetrics

GRACE = 20
"""Seconds that requests in flight have when the service is told to stop."""

LAST = 5.0
"""Seconds more that a worker has to close what it holds, before it is killed."""


def serve(settings: Settings, workers: int) -> None:
    """Serve until told to stop. Raises StartError and SettingsError."""
    url = require(settings, "database_url").get_secret_value()
    require(settings, "signing_keys")
    if workers > 1 and settings.quota_store.get_secret_value() == MEMORY:
        raise StartError(
            f"{workers} workers would each count requests for themselves, and so allow {workers} times the quota: "
            "the store `memory` serves one worker. Set ORGDATA_QUOTA_STORE to a Redis or Valkey for several."
        )
    _allow_files()
    with ExitStack() as stack:
        # A socket for each worker: from a common one, whoever wakes first takes all that waits. The parent holds all
        # of them, so that what waits for a worker that died is there for the one that replaces it.
        public = [stack.enter_context(bind(settings.host, settings.port, shared=True))]
        port = public[0].getsockname()[1]
        public += [stack.enter_context(bind(settings.host, port, shared=True)) for _ in range(1, workers)]
        internal = stack.enter_context(bind(settings.internal_host, settings.internal_port, shared=True))
        base_url = settings.public_url or address(public[0])
        told = f"Serving {base_url}/v1/ (operators: {address(internal)}/ready)."
        if workers == 1:
            service = build_service(settings, url=url, base_url=base_url)
            run(service, public[0], internal, Ending(GRACE, settings.drain), lambda: typer.echo(told))
            return
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="orgdata-")))

        def work(worker: Worker) -> None:
            own = public.pop(worker.number)
            for other in public:
                other.close()
            accept_new(own)
            siblings = WorkerMetrics(folder, worker.number, workers)
            service = build_service(settings, url=url, base_url=base_url, siblings=siblings)
            ending = Ending(GRACE, settings.drain, worker.lifeline)
            run(service, own, internal, ending, worker.started)

        settle()
        processes = Workers(work, workers)
        processes.start()
        typer.echo(told)
        processes.supervise([*public, internal], settings.drain + GRACE + LAST)


def _allow_files() -> None:
    """A connection is a file. Systems allow few by default, for the sake of programs that this is none of."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Where "unlimited" stands for a number that is not told, what was allowed before will do.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
