"""Worker processes that share the listeners: the parent forks them, replaces those that die, and stops them.

Workers are forks of a parent that has loaded everything, so that a replacement serves within a fraction of a second.
The parent serves no requests and opens no connections that a fork could share.
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

from db.errors import OperatorError

log = structlog.get_logger()

# A process under nohup goes on when its terminal closes.
_HANGUP = set() if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else {signal.SIGHUP}

SHUTDOWN_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT} | _HANGUP)
"""Signals that stop a process in order. SIGHUP is one: settings are read once, so it has none to read again."""

SIGNALS = SHUTDOWN_SIGNALS | {signal.SIGCHLD}
"""Signals that the parent blocks and reads with `sigwait`."""

RESTART_DELAY = 1.0
"""Seconds before a worker is replaced that lived for less: the same cause may kill its replacement."""


class Worker(NamedTuple):
    """What a worker gets from its parent: its number, and two file descriptors of pipes.

    `lifeline` reaches end of file when the parent dies or stops the workers. The worker writes a byte to `ready` once
    it serves.
    """

    number: int
    lifeline: int
    ready: int

    def started(self) -> None:
        """Report to the parent that this worker serves. The parent of a replacement has closed the pipe."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.ready, b"1")
        os.close(self.ready)


Work = Callable[[Worker], None]


class Workers:
    """The `count` processes that run `work`, from `start` to the end of `supervise`."""

    def __init__(self, work: Work, count: int) -> None:
        self._work = work
        self._count = count
        self._lifeline, self._lifeline_end = os.pipe()
        self._running: dict[int, tuple[int, float]] = {}
        """Number and start time of each worker, by process id."""

    def start(self) -> None:
        """Fork all workers, and return when all serve. Raises OperatorError when one ends before."""
        # Signals stay pending until `sigwait` reads them: none is lost, and none interrupts a fork.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        ready = [self._fork(number) for number in range(self._count)]
        serving = [os.read(each, 1) for each in ready]
        for each in ready:
            os.close(each)
        if not all(serving):
            self._stop(0.0)
            raise OperatorError("A worker ended while it started; the log says why.")

    def supervise(self, listeners: Sequence[socket.socket], timeout: float) -> None:
        """Replace workers that die, until one of SHUTDOWN_SIGNALS; then stop them within `timeout` seconds.

        A second signal kills them. Workers are stopped by the lifeline, not by a signal: what signals the parent often
        signals the whole process group, and a worker would take the second one for a forced stop.
        """
        while signal.sigwait(SIGNALS) is signal.SIGCHLD:
            for number, lifetime in self._reap():
                log.error("worker died", worker=number)
                if lifetime < RESTART_DELAY:
                    time.sleep(RESTART_DELAY)
                os.close(self._fork(number))
        for listener in listeners:
            # The kernel queues connections on a socket as long as one process has it open.
            listener.close()
        self._stop(timeout)

    def _fork(self, number: int) -> int:
        """Start a worker. Returns the read end of its `ready` pipe, which also ends when the worker does."""
        ready, ready_end = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            os.close(ready)
            os.close(self._lifeline_end)
            _run_worker(self._work, Worker(number, self._lifeline, ready_end))
        os.close(ready_end)
        self._running[pid] = number, time.monotonic()
        return ready

    def _reap(self) -> list[tuple[int, float]]:
        """Wait for workers that have ended; their numbers, and the seconds that they ran."""
        ended = []
        with contextlib.suppress(ChildProcessError):
            while self._running and (pid := os.waitpid(-1, os.WNOHANG)[0]):
                number, began = self._running.pop(pid)
                ended.append((number, time.monotonic() - began))
        return ended

    def _stop(self, timeout: float) -> None:
        """Close the lifeline and wait for the workers. Kill them after `timeout` seconds, or at a second signal."""
        os.close(self._lifeline_end)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        signal.setitimer(signal.ITIMER_REAL, max(timeout, 0.001))
        self._reap()
        while self._running:
            if signal.sigwait([*SIGNALS, signal.SIGALRM]) is not signal.SIGCHLD:
                for pid in self._running:
                    os.kill(pid, signal.SIGKILL)
            self._reap()
        signal.setitimer(signal.ITIMER_REAL, 0)


def _run_worker(work: Work, worker: Worker) -> None:
    """Run `work` in the forked process and exit: the fork must not return into the parent's code."""
    code = 1
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        work(worker)
        code = 0
    except BaseException:
        log.exception("worker failed", worker=worker.number)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
