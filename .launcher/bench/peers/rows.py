"""The rows of the comparison, and the stage on which the servers answer them."""

import collections
import json
import os
import shutil
import subprocess
import tempfile

import peers

# text: what it is; arguments of the caller; length of a body; origin: its requests for each of ours ("none", "each"); handshakes: "full", "resumed" or any
Row = collections.namedtuple("Row", "text arguments length origin handshakes", defaults=[""])
ROWS = {
    "hit-1k": Row("1 KB from the cache", ["/1k"], 1024, "none"),
    "hit-10k": Row("10 KB from the cache", ["/10k"], 10240, "none"),
    "hit-100k": Row("100 KB from the cache", ["/100k"], 102400, "none"),
    "zipf": Row("10 KB from the cache, 10,000 URLs by Zipf's law", ["/many/z", "--zipf", "10000:{round}"], 10240, "none"),
    "new-connection": Row("10 KB from the cache, a connection for each", ["/10k", "--close"], 10240, "none"),
    "pass-1k": Row("1 KB passed through", ["/pass/1k"], 1024, "each"),
    "pass-10k": Row("10 KB passed through", ["/pass/10k"], 10240, "each"),
    "miss-10k": Row("10 KB fetched and stored, each URL once", ["/many/", "--unique", "{unique}"], 10240, "each"),
    "tls-hit-1k": Row("TLS 1.3, 1 KB from the cache", ["/1k", "--tls"], 1024, "none"),
    "tls-hit-10k": Row("TLS 1.3, 10 KB from the cache", ["/10k", "--tls"], 10240, "none"),
    "tls-hit-100k": Row("TLS 1.3, 100 KB from the cache", ["/100k", "--tls"], 102400, "none"),
    "tls-full": Row("TLS 1.3, 1 KB from the cache, a full handshake for each", ["/1k", "--tls", "--close"], 1024, "none", "full"),
    "tls-resumed": Row("TLS 1.3, 1 KB from the cache, a resumed session for each", ["/1k", "--tls", "--close", "--resume"], 1024, "none", "resumed"),
    "h2-hit-10k": Row("HTTP/2 over TLS, 10 KB from the cache, 4 streams per connection", ["/10k", "--http2", "--streams", "4"], 10240, "none"),
    "h2-pass-10k": Row("HTTP/2 over TLS, 10 KB passed through, 4 streams per connection", ["/pass/10k", "--http2", "--streams", "4"], 10240, "each"),
}
# Squid serves stored objects and fetches the missing ones: a few first fetches in a round are no error.
FEW = 0.002


class Stage:
    def __init__(self, arguments):
        self.work = tempfile.mkdtemp(prefix="komainu-bench.")
        os.chmod(self.work, 0o755)
        self.caller = peers.compiled_caller(self.work)
        peers.certificate(self.work)
        self.origin = peers.Origin(self.work).start(core=0)
        self.arguments = arguments
        self.running = []

    def clear(self):
        for peer in reversed(self.running):
            peer.stop()
        self.origin.stop()
        shutil.rmtree(self.work, ignore_errors=True)

    def call(self, peer, arguments, length, *more):
        """Runs the caller against a server; returns its counts."""
        log = os.path.join(self.work, "caller.out")
        open(log, "w").close()
        port = peer.tls_port if secure(arguments) else peer.port
        process = peers.started([self.caller, str(port), *arguments, "--length", str(length), *map(str, more)], 0, log)
        process.wait()
        with open(log) as out:
            text = out.read()
        try:
            return json.loads(text.strip().splitlines()[-1])
        except (IndexError, ValueError):
            return {"answered": 0, "seconds": 0, "failures": 1, "wrongStatus": 0, "wrongLength": 0,
                "words": "%s%s" % (peers.ending("the caller", process.returncode, text), peer.ended())}


def secure(arguments):
    return "--tls" in arguments or "--http2" in arguments


def can(peer, row):
    """Whether this server can do what the row asks for."""
    return peer.tls or not secure(ROWS[row].arguments)


def faults(row, counted, asked):
    """The deviations of the measured requests from the intended ones."""
    said = [counted["words"]] if "words" in counted else []
    answered = counted["answered"]
    for name in ("failures", "wrongStatus", "wrongLength"):
        if counted[name] > answered * 0.0001:
            said.append("%s=%d" % (name, counted[name]))
    if not answered:
        return said + ["no responses"]
    kind = ROWS[row].origin
    if kind == "none" and asked > answered * FEW:
        said.append("%d origin requests for %d hits" % (asked, answered))
    if kind == "each" and asked < answered * (1 - FEW):
        said.append("%d origin requests for %d" % (asked, answered))
    handshakes, resumed = counted.get("handshakes", 0), counted.get("resumed", 0)
    # The first connections have no ticket yet.
    if ROWS[row].handshakes == "full" and resumed or ROWS[row].handshakes == "resumed" and resumed < handshakes * (1 - FEW) - 200:
        said.append("%d of %d handshakes resumed" % (resumed, handshakes))
    return said


def fill(row, values):
    return [part.format(**values) for part in ROWS[row].arguments]
