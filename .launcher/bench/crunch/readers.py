"""Readers that take a byte a second, and one normal visitor: the memory that their proxy holds for them. One row of the table."""

import re
import socket
import subprocess
import sys
import time

PROXY, SCHEME, KIND, READERS, SECONDS = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])


def resident():
    with open("/proc/%d/status" % PROXY) as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def sockets():
    """The kernel's memory for the proxy's own ends: received and not read, written and not acknowledged. The other ends are on the same machine."""
    told = subprocess.run(["ss", "-Htnm", "( sport = :7680 or dport = :8080 )"], capture_output=True, text=True, check=True).stdout
    return sum(int(r) + int(w) for r, w in re.findall(r"skmem:\(r([0-9]+),.*?,w([0-9]+),", told)) / 1e6


def memory():
    """The TCP memory of this machine, in MB."""
    with open("/proc/net/sockstat") as stat:
        return int(re.search(r"^TCP: .* mem ([0-9]+)", stat.read(), re.M).group(1)) * 4096 / 1e6


def ask(path):
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", 7680), timeout=10) as asked:
        asked.sendall(b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n" % path.encode())
        got = b""
        while True:
            piece = asked.recv(65536)
            if not piece:
                break
            got += piece
    if not got.startswith(b"HTTP/1.1 200"):
        raise SystemExit("readers: %s: %r (expected: HTTP/1.1 200)" % (path, got[:60]))
    return (time.monotonic() - begun) * 1e3


for _ in range(300):
    ask("/object/1/10000/keep")
time.sleep(2)
before, kernel = resident(), sockets()
readers = []
for n in range(READERS):
    reader = socket.socket()
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2304)
    reader.connect(("127.0.0.1", 7680))
    reader.sendall(b"GET /object/%d/1000000/%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % (2 if KIND == "keep" else 1000 + n, KIND.encode()))
    reader.setblocking(False)
    readers.append(reader)
unanswered, fullest = 0, 0
served, times, ends = set(), [], time.monotonic() + SECONDS
while time.monotonic() < ends:
    begun = time.monotonic()
    for n, reader in enumerate(readers):
        try:
            if reader.recv(1):
                served.add(n)
        except (BlockingIOError, ConnectionError):
            pass
    fullest = max(fullest, memory())
    for _ in range(10):
        try:
            times.append(ask("/object/1/10000/keep"))
        except OSError:
            # Ten seconds: when the kernel's memory for TCP is exhausted, no client is served.
            unanswered += 1
            break
    time.sleep(max(0, 1 - (time.monotonic() - begun)))
after, kernel_after = resident(), sockets()
times = sorted(times) or [float("nan")]
print("| %s | %s | %d of %d | %.0f | %.0f | %.0f | %.1f | %.1f | %.1f | %.1f | %d | %.0f of %.0f |" % (SCHEME, "stored" if KIND == "keep" else "passed", len(served), READERS,
    before, after, after - before, kernel, kernel_after, times[len(times) // 2], times[int(len(times) * 0.99)],
    unanswered, fullest, float(sys.argv[6]) * 4096 / 1e6))
