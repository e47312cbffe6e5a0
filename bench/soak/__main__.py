"""`python -m bench.soak --minutes 10`: steady mixed load while operators work and servers fail.

Writes bench/SOAK.md. Two instances of two workers serve the demo organizations from two replicas. The load includes all
operations, next pages, refusals and GraphQL. Rows of another organization change all the time; two clients poll them.
"""

import signal
import sys
import tempfile
import threading
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from bench.processes import ROOT
from bench.report import Conditions
from bench.soak.instances import Instances
from bench.soak.load import SteadyLoad
from bench.soak.operations import FIRST_KEY, GRACE_SECONDS, Operation, World, operations, versions
from bench.soak.polling import Polling, polled_world
from bench.soak.report import Done, ProcessSample, Results, text
from bench.soak.requests import requests, seed
from tests.faults.store import Store
from tests.replicas.cluster import ReplicationCluster, find_programs

SAMPLE_SECONDS = 2.0
"""Seconds between two samples of memory and descriptors."""

OPERATIONS_SHARE = 0.45
"""The share of the time in which the operations begin."""

NO_QUOTA = "1000000000"


def main() -> None:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("soak: stopped by SIGTERM."))
    began, seconds = Conditions.now(), options.minutes * 60
    programs = find_programs()
    if programs is None:
        sys.exit("soak: no installed PostgreSQL can make replicas.")
    with tempfile.TemporaryDirectory(prefix="orgdata-soak-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        print("Making the databases ...", flush=True)
        with ReplicationCluster(folder, programs) as cluster, Store(folder) as store:
            keys = seed(cluster.primary.server)
            polled = polled_world(cluster.primary.url(), cluster.primary.url("postgres"))
            cluster.await_replay()
            hosts = [*cluster.replicas, cluster.primary]
            url = cluster.url(*hosts, target="primary")
            servers = versions(cluster, store)
            with Instances(
                folder,
                options.workers,
                database_url=cluster.url(*hosts, target="prefer-standby"),
                keys_database_url=url,
                pool_size="4",
                quota_store=store.url,
                quota_limit=NO_QUOTA,
                graphql_quota=NO_QUOTA,
                quota_store_grace=str(GRACE_SECONDS),
                signing_keys=FIRST_KEY,
            ) as instances:
                asked = requests(keys, instances.public, instances.internal)
                load = SteadyLoad(asked, rate=options.rate, seconds=seconds)
                polling = Polling(
                    polled, url=url, address=instances.address, seconds=seconds, settle=cluster.await_replay
                )
                world = World(folder, url, keys.own, cluster, store, instances, load)
                polling.thread.start()
                samples, done = _watch(instances, load, operations(world), seconds)
                polling.thread.join()
        results = Results(load, samples, polling.result, done, servers)
        options.output.write_text(text(results, options, began))
    print(options.output.read_text())


def _watch(
    instances: Instances, load: SteadyLoad, pending: Sequence[Operation], seconds: float
) -> tuple[list[ProcessSample], list[Done]]:
    """Run the load, sample the processes, and run the operations. Returns the samples and what was done when."""
    samples: list[ProcessSample] = []
    done: list[Done] = []
    thread = threading.Thread(target=load.run, name="load", daemon=True)
    thread.start()
    began = time.monotonic()
    while thread.is_alive():
        thread.join(SAMPLE_SECONDS)
        after = time.monotonic() - began
        samples.append(ProcessSample.of(after, instances.running))
        if len(done) < len(pending) and after >= (len(done) + 1) / len(pending) * OPERATIONS_SHARE * seconds:
            operation = pending[len(done)]
            operation.run()
            done.append(Done(operation, after, time.monotonic() - began))
            print(f"{after:.0f} s: {operation.name}, {done[-1].until - after:.1f} s", flush=True)
    return samples, done


def _options() -> Namespace:
    parser = ArgumentParser(prog="make soak ARGS=...", description="Steady load while operators work and servers fail.")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long")
    parser.add_argument("--rate", type=float, default=15.0, help="requests a second")
    parser.add_argument("--workers", type=int, default=4, help="processes that serve, in two instances")
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "SOAK.md", help="file of the results")
    options = parser.parse_args()
    if options.minutes <= 0 or options.rate <= 0 or options.workers < 2:
        parser.error("--minutes and --rate must be above zero, --workers above one")
    return options


if __name__ == "__main__":
    main()
