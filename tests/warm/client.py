"""A command that a warm process runs: hands over its arguments, folder, environment and standard streams, and waits.

It imports as little as it can, because it starts hundreds of times: `python -I -S client.py SOCKET ARGUMENTS...`.
"""

import os
import signal
import socket
import sys
from json import dumps


def main() -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(sys.argv[1])
        given = dumps([sys.argv[2:], os.getcwd(), dict(os.environ)]).encode()  # noqa: PTH109  pathlib would take longer to import
        socket.send_fds(server, [len(given).to_bytes(4, "big")], [0, 1, 2])
        server.sendall(given)
        pid = int.from_bytes(server.recv(4, socket.MSG_WAITALL), "big")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: os.kill(pid, number))
        # Only the command has the streams now: who reads them sees when it closes them.
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        code = int.from_bytes(server.recv(4, socket.MSG_WAITALL), "big", signed=True)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
        os.kill(os.getpid(), -code)
    os._exit(code)


main()
