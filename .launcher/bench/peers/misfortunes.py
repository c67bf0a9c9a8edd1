"""What happens to the proxy during the soak, at fixed seconds of each minute: reloads, purges, faults of its origins."""

import http.client
import os
import signal
import sys
import time
import urllib.error
import urllib.request

import peers
from mix import Part

CYCLE_SECONDS = 60
DOWN_SECONDS = 2
# A failure during a fault reaches its client this much later at most.
SETTLING_SECONDS = 2

# Requests to paths on which an origin does one thing wrong, five a second each: the status that the client must see.
# 0: the connection, or the stream, ended within the response; None: no error, the response is only late.
FAULT_RATE = 5
FAULTS = {
    "500": (500, "status 500"),
    "garbage": (502, "no HTTP"),
    "reset-before": (502, "reset before the response"),
    "reset-within": (0, "reset within the body"),
    "cut": (0, "closed within the body"),
    "late": (None, "a response after 0.5 s"),
}


def fault_parts():
    """One part for each fault over HTTP/1.1; the body's faults over HTTP/2, too."""
    parts = [Part("fault-" + name, "an origin's fault: " + text, ["/fault/" + name], 10240, 4) for name, (_, text) in FAULTS.items()]
    return parts + [Part("h2-fault-" + name, "over HTTP/2: " + FAULTS[name][1], ["/fault/" + name, "--http2"], 10240, 4)
        for name in ("reset-within", "cut")]


def expected(part):
    """The status of this fault, as the caller notes it. A stream that is reset has the status that its head had."""
    status = FAULTS[part.name.split("fault-")[1]][0]
    return {0, 200} if part.name.startswith("h2-") else {status}


class FaultyOrigin(peers.Peer):
    name = "faulty"

    def command(self):
        return [sys.executable, "-B", os.path.join(os.path.dirname(os.path.abspath(__file__)), "faulty_origin.py"), str(self.port)]

    def answers(self):
        try:
            urllib.request.urlopen("http://127.0.0.1:%d/fault/500" % self.port, timeout=5)
        except urllib.error.HTTPError as error:
            return error.code == 500
        except OSError:
            return False
        return False


class Misfortunes:
    """The events of one phase, each at its time; remembers in which windows the origin was at fault."""

    def __init__(self, peer, origin, begun, seconds):
        self.peer, self.origin = peer, origin
        self.windows = []
        self.counts = {}
        # Orders to the control endpoint without a response: when, and why.
        self.unanswered = []
        self.due = sorted(((begun + minute * CYCLE_SECONDS + at, do) for minute in range(int(seconds // CYCLE_SECONDS)) for at, do in self.cycle()),
            key=lambda one: one[0])

    def cycle(self):
        yield 4, lambda: self.reload(11)
        for at in range(8, 18):
            yield at, lambda: self.purge_urls(20)
        yield 20, self.reset_origin
        yield 25, lambda: self.purge({"prefix": "127.0.0.1:%d/many/z1" % self.peer.port})
        yield 28, self.refused_reload
        yield 32, self.stop_origin
        yield 32 + DOWN_SECONDS, self.start_origin
        yield 40, lambda: self.purge({"prefix": "127.0.0.1:%d/many/z2" % self.peer.tls_port, "soft": True})
        yield 44, lambda: self.reload(10)
        yield 48, lambda: self.purge({"tags": ["none"]})

    def happen(self):
        """Does what is due now."""
        while self.due and self.due[0][0] <= time.monotonic():
            do = self.due.pop(0)[1]
            try:
                do()
            except (OSError, http.client.HTTPException) as error:
                self.unanswered.append((time.monotonic(), str(error)))

    def count(self, name, more=1):
        self.counts[name] = self.counts.get(name, 0) + more

    def reload(self, grace_minutes):
        self.peer.configure(grace_minutes)
        self.peer.process.send_signal(signal.SIGHUP)
        self.count("reloads")

    def refused_reload(self):
        self.peer.configure("some")
        self.peer.process.send_signal(signal.SIGHUP)
        self.count("reloads refused")

    def purge(self, order):
        self.count("objects purged", self.peer.purge(order))
        self.count("purges")

    def purge_urls(self, count):
        for _ in range(count):
            at = self.counts.get("purges", 0) * 7 % 1000
            self.purge({"url": "http://127.0.0.1:%d/many/z%d" % (self.peer.port, at)})

    def reset_origin(self):
        """Kills the origin's worker: all its connections end, its listener stays."""
        begun = time.monotonic()
        for worker in self.origin.pids()[1:]:
            os.kill(worker, signal.SIGKILL)
        self.windows.append((begun, time.monotonic() + SETTLING_SECONDS))
        self.count("origin's connections broken")

    def stop_origin(self):
        begun = time.monotonic()
        self.origin.stop()
        self.windows.append((begun, begun + 3600))
        self.count("origin stopped")

    def start_origin(self):
        self.origin.start(core=0)
        self.windows[-1] = self.windows[-1][0], time.monotonic() + SETTLING_SECONDS

    def at_fault(self, error):
        """Whether an origin was at fault when this request ended. When it was due says nothing: on a busy machine callers are late."""
        return any(begun <= error.ended <= ended for begun, ended in self.windows)
