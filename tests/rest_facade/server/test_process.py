"""What a serving process sets for itself.

Covers `rest_facade/server/process.py`.
"""

import platform
import subprocess
import sys

import pytest

FAULTS_OF_REPORTS = """
import resource
from rest_facade.server.process import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    texts = [bytearray(b"x" * 1_600_000) for _ in range(3)]
    del texts
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

keep_freed_memory()
faults()
print(sum(faults() for _ in range(10)))
"""
"""Prints the page faults of ten reports after the first, which has at least 1,200."""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's malloc returns memory that soon")
def test_memory_of_reports_is_faulted_in_once() -> None:
    run = subprocess.run([sys.executable, "-c", FAULTS_OF_REPORTS], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 1_000
