"""Several processes on the same listeners: their parent starts them, replaces those that die, and ends with them.

Workers are forks: what was loaded is there at once, so that one that died is replaced in a fraction of a second. The
parent serves nothing and holds no connection, so that nothing is shared by accident.
"""

import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import structlog

from rest_facade.server.sockets import StartError

log = structlog.get_logger()

HEARD = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)

EARLY = 1.0
"""A worker that dies within so many seconds is not replaced at once: whatever killed it may kill the next one."""


class Worker(NamedTuple):
    """What one worker is told: its number, and two file descriptors.

    `lifeline` ends when the parent does, or wants the worker to; into `ready` goes a byte once the worker serves.
    """

    number: int
    lifeline: int
    ready: int

    def started(self) -> None:
        """Tell the parent that this worker serves. For one that replaces another, nobody waits."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.ready, b"1")
        os.close(self.ready)


Work = Callable[[Worker], None]


class Workers:
    """`count` workers that each do `work`, from `start` to the end of `supervise`."""

    def __init__(self, work: Work, count: int) -> None:
        self._work = work
        self._count = count
        self._lifeline, self._held = os.pipe()
        self._running: dict[int, tuple[int, float]] = {}

    def start(self) -> None:
        """Start all, and return when they serve. Raises StartError where one of them ends before."""
        # From here on signals wait until they are asked for: none is lost, and none comes in the middle of a fork.
        signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)
        ready = [self._fork(number) for number in range(self._count)]
        serving = [os.read(each, 1) for each in ready]
        for each in ready:
            os.close(each)
        if not all(serving):
            self._end(0.0)
            raise StartError("A worker ended while it started; the log says why.")

    def supervise(self, listeners: Sequence[socket.socket], patience: float) -> None:
        """Replace workers that die, until told to stop. Then they have `patience` seconds; a second signal ends it.

        Workers are not told by signals: what sends one to the parent often sends it to all of a group, and the second
        would be taken for impatience.
        """
        while signal.sigwait(HEARD) is signal.SIGCHLD:
            for dead, age in self._reap():
                log.error("worker died", worker=dead)
                if age < EARLY:
                    time.sleep(EARLY)
                os.close(self._fork(dead))
        for listener in listeners:
            # As long as anybody holds a socket, clients come to its queue.
            listener.close()
        self._end(patience)

    def _fork(self, number: int) -> int:
        """Start a worker; the file descriptor that it writes to once it serves, and that ends with it."""
        ready, telling = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            os.close(ready)
            os.close(self._held)
            _become(self._work, Worker(number, self._lifeline, telling))
        os.close(telling)
        self._running[pid] = number, time.monotonic()
        return ready

    def _reap(self) -> list[tuple[int, float]]:
        """The numbers of workers that have ended, and how many seconds they lived."""
        ended = []
        with contextlib.suppress(ChildProcessError):
            while self._running and (pid := os.waitpid(-1, os.WNOHANG)[0]):
                number, began = self._running.pop(pid)
                ended.append((number, time.monotonic() - began))
        return ended

    def _end(self, patience: float) -> None:
        """Let go of the workers, and wait for them; those that take too long are killed."""
        os.close(self._held)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        signal.setitimer(signal.ITIMER_REAL, max(patience, 0.001))
        self._reap()
        while self._running:
            if signal.sigwait([*HEARD, signal.SIGALRM]) is not signal.SIGCHLD:
                for pid in self._running:
                    os.kill(pid, signal.SIGKILL)
            self._reap()
        signal.setitimer(signal.ITIMER_REAL, 0)


def _become(work: Work, worker: Worker) -> None:
    """Do the work of a worker, and end with it: what the parent would do afterwards is not for its copy."""
    code = 1
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)
        work(worker)
        code = 0
    except BaseException:
        log.exception("worker failed", worker=worker.number)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
