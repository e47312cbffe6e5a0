"""A process that has imported the service and runs each command in a fork of itself: `server.py SOCKET`.

It ends when its standard input closes, which is when the tests end that started it.
"""

import atexit
import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import threading
import time
import traceback
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import db
import rest_facade
from rest_facade.__main__ import main

LEFT_OUT = ("db.migrations.", "rest_facade.__main__")
"""Alembic imports the migrations itself."""


def serve(path: str) -> None:
    """Answer clients until standard input closes."""
    for package in (db, rest_facade):
        for found in walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.startswith(LEFT_OUT):
                import_module(found.name)
    for module in ("uvicorn.protocols.http.httptools_impl", "uvloop"):
        import_module(module)
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{path}.new")
        listener.listen(64)
        Path(f"{path}.new").rename(path)
        # Forks that have ended need no one who waits for them.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        # A terminal sends it to all; the tests decide what it ends.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while listener in select.select([listener, sys.stdin], [], [])[0]:
            client, _ = listener.accept()
            with client:
                if not os.fork():
                    listener.close()
                    supervise(client)


def supervise(client: socket.socket) -> None:
    """Run one command in a fork; end it when the client is gone, and tell the client how it ended."""
    length, streams, *_ = socket.recv_fds(client, 4, 3)
    arguments, folder, variables = json.loads(client.recv(int.from_bytes(length, "big"), socket.MSG_WAITALL))
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if not pid:
        client.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        run(arguments, folder, variables)
    for stream in streams:
        os.close(stream)
    client.sendall(pid.to_bytes(4, "big"))
    ended = os.pidfd_open(pid)
    if ended not in select.select([client.fileno(), ended], [], [])[0]:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    # A client that was killed hears nothing.
    with contextlib.suppress(BrokenPipeError):
        client.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
    os._exit(0)


def run(arguments: list[str], folder: str, variables: dict[str, str]) -> None:
    """The command, in a process that looks like a new one."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    time.tzset()
    sys.argv = ["orgdata", *arguments]
    code = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
    except BaseException:  # noqa: BLE001  as at the end of an interpreter
        traceback.print_exc()
        code = 1
    # The rest of an interpreter's end takes apart what was imported, which takes longer than most commands.
    # As an interpreter's end does: it ends the idle threads of executors, and waits for all others.
    threading._shutdown()  # type: ignore[attr-defined]  # typeshed leaves it out
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
