"""Slow and numerous clients, and measurements of a process: descriptors, connections, memory, CPU time."""

import asyncio
import os
import re
import socket
import time
from collections import Counter
from pathlib import Path

import httpx2 as httpx

from tests.faults.service import Serving

TIMEOUT = 30.0


def open_descriptors(pid: int) -> int:
    """The number of open file descriptors of a process."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def open_connections(address: tuple[str, int]) -> int:
    """The number of connections that the listening process has not closed (proc(5), net/tcp)."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ends = f":{address[1]:04X}"
    # 0A listens. A socket without an inode is closed by its process, and only the kernel still has it.
    return sum(line[1].endswith(ends) and line[3] != "0A" and line[9] != "0" for line in lines)


def memory_mb(pid: int, what: str = "VmRSS") -> float:
    """Memory of a process in MB: resident (`VmRSS`) or its peak (`VmHWM`)."""
    found = re.search(rf"{what}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def cpu_seconds(pid: int) -> float:
    """CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def metric_value(service: Serving, name: str, *labels: str) -> float:
    """The sum of a metric's samples that have all these labels, written as `name="value"`."""
    lines = httpx.get(f"{service.internal}/metrics", timeout=TIMEOUT).text.splitlines()
    samples = [line for line in lines if re.match(rf"{name}[{{ ]", line) and all(label in line for label in labels)]
    assert samples, (name, labels)
    return sum(float(line.rpartition(" ")[2]) for line in samples)


def get(path: str, key: str | None = None, *fields: str) -> bytes:
    """A request as bytes."""
    keys = [] if key is None else [f"X-SERVICE-API-KEY: {key}"]
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: x", *keys, *fields, "", ""]).encode()


async def read_response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Status and body of the next answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)\r\n", head)
    assert length is not None, head
    return int(head[9:12]), await reader.readexactly(int(length[1]))


async def connect_with_small_buffer(address: tuple[str, int]) -> socket.socket:
    """A connection with small socket buffers, so that an unread response stays in the service."""
    connection = socket.socket()
    connection.setblocking(False)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    await asyncio.get_running_loop().sock_connect(connection, address)
    return connection


async def send_byte_by_byte(address: tuple[str, int], data: bytes, pause: float) -> float:
    """Send a request byte by byte; returns the seconds until the server closes the connection."""
    reader, writer = await asyncio.open_connection(*address)
    began = time.monotonic()
    for byte in data:
        writer.write(bytes([byte]))
        try:
            assert await asyncio.wait_for(reader.read(1), pause) == b""
        except TimeoutError:
            continue
        except ConnectionError:
            pass
        break
    writer.close()
    return time.monotonic() - began


async def response_times(address: tuple[str, int], data: bytes, seconds: float, clients: int = 4) -> list[float]:
    """Send requests at a moderate rate; returns the seconds of each response, all of which are 200."""
    took: list[float] = []

    async def client() -> None:
        reader, writer = await asyncio.open_connection(*address)
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            began = time.perf_counter()
            writer.write(data)
            status, _ = await read_response(reader)
            took.append(time.perf_counter() - began)
            assert status == 200
            await asyncio.sleep(0.02)
        writer.close()

    async with asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(client())
    return took


async def statuses(address: tuple[str, int], requests: list[bytes], clients: int = 8) -> Counter[int]:
    """The number of responses by status; the requests are spread over `clients` connections."""
    left = iter(requests)
    found: Counter[int] = Counter()

    async def client() -> None:
        reader, writer = await asyncio.open_connection(*address)
        for data in left:
            writer.write(data)
            status, _ = await read_response(reader)
            found[status] += 1
        writer.close()

    async with asyncio.TaskGroup() as group, asyncio.timeout(TIMEOUT):
        for _ in range(clients):
            group.create_task(client())
    return found
