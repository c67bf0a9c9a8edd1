"""Traffic of several kinds at once: one caller for each kind, in closed loop or at fixed rates."""

import collections
import json
import os

import peers
from rows import secure

# text: what it is; arguments and length: as in a row; connections: of the closed loop
Part = collections.namedtuple("Part", "name text arguments length connections")
OBJECTS = 10000
MIX = [
    Part("hits", "10 KB, 10,000 URLs by Zipf's law", ["/many/z", "--zipf", "10000:1"], 10240, 16),
    Part("tls-hits", "the same over TLS 1.3", ["/many/z", "--zipf", "10000:2", "--tls"], 10240, 8),
    Part("h2-hits", "the same over HTTP/2, 4 streams per connection", ["/many/z", "--zipf", "10000:3", "--http2", "--streams", "4"], 10240, 4),
    Part("passes", "10 KB passed through", ["/pass/10k"], 10240, 4),
    Part("h2-passes", "1 KB passed through over HTTP/2", ["/pass/1k", "--http2", "--streams", "2"], 1024, 2),
    Part("misses", "10 KB fetched and stored, each URL once", ["/many/", "--unique", "{tag}"], 10240, 4),
    Part("new-connections", "10 KB, a connection for each, URLs by Zipf's law", ["/many/z", "--zipf", "10000:4", "--close"], 10240, 4),
    Part("tls-resumed", "1 KB, a resumed TLS session for each", ["/1k", "--tls", "--close", "--resume"], 1024, 1),
    Part("tls-full", "1 KB, a full TLS handshake for each", ["/1k", "--tls", "--close"], 1024, 1),
]
# A request that is due in a stall needs a connection of its own, or it waits in its caller.
OPEN_LOOP_CONNECTIONS = 4

# A request in the file of a caller: seconds of the monotonic clock, and its status (0: none; -1: an idle connection broke).
Logged = collections.namedtuple("Logged", "due ended status")


class Call:
    """One caller while it runs."""

    counter = 0

    def __init__(self, stage, peer, part, tag, *more):
        Call.counter += 1
        self.part = part
        self.out = os.path.join(stage.work, "call-%d.out" % Call.counter)
        arguments = [word.format(tag=tag) for word in part.arguments]
        port = peer.tls_port if secure(arguments) else peer.port
        self.process = peers.started([stage.caller, str(port), *arguments, "--length", str(part.length), *map(str, more)], 0, self.out)

    def ended(self):
        """Waits for its end; returns its counts."""
        self.process.wait()
        with open(self.out) as out:
            text = out.read()
        try:
            return json.loads(text.strip().splitlines()[-1])
        except (IndexError, ValueError):
            raise SystemExit("caller of %s: %s (expected: one line of JSON)" % (self.part.name, text[-300:] or "nothing"))

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def closed_loop(stage, peer, parts, tag, seconds):
    """Requests per second of each part when all run at once, each connection with its next request after each response."""
    calls = [Call(stage, peer, part, "%s-%d" % (tag, at), "--seconds", seconds, "--connections", part.connections) for at, part in enumerate(parts)]
    stage.calls += calls
    counts = [call.ended() for call in calls]
    del stage.calls[:]
    for part, counted in zip(parts, counts):
        wrong = {name: counted[name] for name in ("failures", "wrongStatus", "wrongLength") if counted[name]}
        if wrong or not counted["answered"]:
            raise SystemExit("%s in closed loop: %s (expected: right responses only)" % (part.name, wrong or "no responses"))
    return {part.name: counted["answered"] / counted["seconds"] for part, counted in zip(parts, counts)}


def carried(stage, peer, parts, tag, seconds, tries=3):
    """The best of several closed loops: the rate of each part, and the processor time of the server per second."""
    best = None
    for turn in range(tries):
        before = sum(peer.cpu())
        rates = closed_loop(stage, peer, parts, "%s%d" % (tag, turn), seconds)
        busy = (sum(peer.cpu()) - before) / seconds
        if best is None or sum(rates.values()) > sum(best[0].values()):
            best = rates, busy
    return best


def open_loop(stage, peer, part, tag, seconds, rate, *more):
    """Starts a caller at a fixed rate; it is among the stage's calls until it has ended."""
    call = Call(stage, peer, part, tag, "--seconds", seconds, "--rate", "%.3f" % rate,
        "--connections", min(4096, part.connections * OPEN_LOOP_CONNECTIONS), *more)
    stage.calls.append(call)
    return call


def waiting_at_end(one, counted):
    """Whether this request had waited for more than a second when its caller ended, so that the caller gave it up."""
    return one.status == 0 and one.ended >= counted["begunMicros"] / 1e6 + counted["seconds"] - 0.002


def logged(path, begun_micros):
    """The requests in the file of a caller (--errors, --log), in order of their ends."""
    with open(path) as lines:
        for line in lines:
            due, took, status = line.split()[:3]
            at = (begun_micros + int(due)) / 1e6
            yield Logged(at, at + int(took) / 1e6, int(status))
