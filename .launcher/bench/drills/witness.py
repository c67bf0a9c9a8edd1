"""A visitor that requests the same page once a second and writes how it was served: the drill's own measurement of whether visitors suffer."""

import os
import socket
import ssl
import statistics
import sys
import time

PROGRAM = os.path.abspath(__file__)
PATIENCE = 8  # seconds, as that of the constant visitors
SLOWER, SLOW = 3, 0.25  # visitors suffer when a response takes this many times as long as before and more than this many seconds, or
FAILED = 0.15  # when more than this share gets none


def witness(d, link, path, secure):
    """Starts the visitor of a drill."""
    first, _, count = link.clients.partition("+")
    head, _, last = first.rpartition(".")
    source = "%s.%d" % (head, int(last) + int(count or 1) // 2 - 1)  # one of the ordinary visitors' addresses
    return d.stage.start(d.drill.name + "-witness", [sys.executable, "-B", PROGRAM, "%s:%d" % (link.server, d.watched.port), source, path, "tls" if secure else "clear"], ns="client")


def visits_of(lines):
    """Rows (time, seconds, status) of the lines TIME SECONDS STATUS."""
    parts = (line.split() for line in lines)
    return [(float(part[0]), float(part[1]), part[2]) for part in parts if len(part) == 3]


def seen(rows, times):
    """Median seconds and share of failures before the onset, in the fault, and after the cure."""
    spans = {"before": (times["began"], times["onset"]), "during": (times["onset"] + 3, times["cure"]), "after": (times["served"], times["ended"])}
    told = {}
    for name, (begin, end) in spans.items():
        those = [(seconds, status) for at, seconds, status in rows if begin <= at < end]
        if those:
            told[name] = {"requests": len(those), "medianSeconds": round(statistics.median(s for s, _ in those), 4),
                "failed": round(sum(failed(status) for _, status in those) / len(those), 3)}
    return told


def failed(status):
    return status == "none" or status.startswith("5") or status == "404"


def slow(before):
    """Seconds from which a visit is slow, against the visits before the onset."""
    return max(SLOW, SLOWER * before["medianSeconds"])


def served_again(rows, times, told):
    """The end of the last visit that began after the cure and was slow or failed; the time of the cure without one."""
    late = [at + seconds for at, seconds, status in rows if at >= times["cure"] and "before" in told and (failed(status) or seconds > slow(told["before"]))]
    return max(late, default=times["cure"])


def suffered(told):
    """Whether visitors were served worse in the fault than before, or None when that was not measured."""
    if "before" not in told or "during" not in told:
        return None
    before, during = told["before"], told["during"]
    slower = during["medianSeconds"] > slow(before)
    return slower or during["failed"] > before["failed"] + FAILED


def visit(host, port, source, path, trust):
    with socket.create_connection((host, port), PATIENCE, (source, 0)) as plain:
        door = trust.wrap_socket(plain, server_hostname="drill") if trust else plain
        with door:
            door.sendall(b"GET %s HTTP/1.1\r\nHost: drill\r\nConnection: close\r\n\r\n" % path.encode())
            answer, deadline = door.recv(65_536), time.monotonic() + PATIENCE
            status = answer.split()[1].decode() if answer.startswith(b"HTTP/") else "none"
            while door.recv(65_536):
                if time.monotonic() > deadline:
                    return "none"
            return status


def main(target, source, path, secure):
    host, _, port = target.rpartition(":")
    trust = None
    if secure == "tls":
        trust = ssl.create_default_context()
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    while True:
        at, begun = time.time(), time.monotonic()
        try:
            status = visit(host, int(port), source, path, trust)
        except (OSError, IndexError):
            status = "none"
        took = time.monotonic() - begun
        print("%.3f %.4f %s" % (at, took, status), flush=True)
        time.sleep(max(0.05, 1 - took))


if __name__ == "__main__":
    main(*sys.argv[1:])
