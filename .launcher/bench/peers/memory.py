"""bench proxy-memory: the memory use of each caching proxy, with requests for more objects than it may store.

Five parts. The cap: a cache of 64 MB, ten times as much asked for, PSS from the start to the end. The overhead: a cache of
256 MB into which 10,000 objects of 10 KB are put, then 10,000 more; what PSS grew beyond their bodies, for each object. Idle connections:
4,000 that each had one response, in HTTP/1.1, TLS and HTTP/2; what PSS grew from 500 of them on, for each connection. The TLS engine: what the
native engine of Komainu itself allocates for each connection. The start: RSS and PSS before the first request, with caches of 64 MB and 2 GB.

Komainu's heap grows by garbage too, so the growth of idle connections is that of PSS without the heap, and that of the heap's live objects
after collections.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import options
import peers
from table import table

SIZES = 48
KINDS = {
    "zipf-10k": ("64,000 objects of 10 KB by Zipf's law", {"WISH": "zipf", "SIZES": "0"}),
    "uniform-10k": ("64,000 objects of 10 KB, all alike", {"WISH": "uniform", "SIZES": "0"}),
    "zipf-mixed": ("19,200 objects of 0.5 to 200 KB by Zipf's law", {"WISH": "zipf", "SIZES": str(SIZES), "OBJECTS": "19200"}),
}
FIRST_PORT = 28100
IDLE = {"h1": [], "tls": ["--tls"], "h2": ["--http2"]}
# What the launcher adds to the heap for the connections that connections.max allows by default (parts.sh, proxy_heap).
CONNECTIONS_MB = 10000 // 128
FEW_IDLE, MANY_IDLE = 500, 4000
# Seconds of load before the idle connections are counted: then code is compiled. Programs in C need only what a server allocates once.
WARM_IDLE, WARM_IDLE_COMPILED = {"h1": 8, "tls": 16, "h2": 16}, 2
CAPS_AT_START = (64, 2048)
OTHER_ROWS = ["overhead", "idle", "engine", "start"]


class Touched(peers.Komainu):
    name = "komainu, cache.touch-memory"
    more = "cache:\n  touch-memory: true\n"


class Origin(peers.Origin):
    """The other benches' origin, with objects of many sizes too."""

    def __init__(self, work):
        super().__init__(work)
        self.port, self.status = peers.free_port(FIRST_PORT), peers.free_port(FIRST_PORT)
        for i in range(SIZES):
            with open("%s/www/size%d" % (self.work, i), "wb") as out:
                out.write(os.urandom(round(512 * 400 ** (i / (SIZES - 1)))))

    def command(self):
        command = super().command()
        path = os.path.join(self.work, "origin.conf")
        with open(path) as before:
            text = before.read()
        place = "location /many/ {"
        if place not in text:
            raise SystemExit("origin: its configuration has no %s" % place)
        sized = "location /size/ { rewrite ^/size/([0-9]+)/ /size$1 break; }\n    "
        self.write("origin.conf", text.replace(place, sized + place))
        return command


class Sampler:
    """PSS of a server while something else runs."""

    def __init__(self, peer):
        self.peer = peer
        self.peak = 0.0
        self.series = []
        self.begun = time.monotonic()

    def look(self):
        now = self.peer.memory()
        self.series.append((round(time.monotonic() - self.begun, 1), round(now, 1)))
        self.peak = max(self.peak, now)
        return now


def heap(java, cache_mb):
    """The heap that the launcher gives to a cap (parts.sh, proxy_heap)."""
    return [re.sub("^-Xmx.*", "-Xmx%dm" % (24 + cache_mb * 5 // 16 + CONNECTIONS_MB), word) for word in java]


def started(kind, stage, cache_mb):
    peer = kind(stage["work"], stage["origin"].port, cache_mb)
    peer.port = peers.free_port(FIRST_PORT)
    if issubclass(kind, peers.Komainu):
        peer.java = heap(kind.java, cache_mb)
    stage["running"] = peer
    return peer.start()


def stopped(stage):
    stage["running"].stop()
    stage["running"] = None


def settled(peer):
    """Memory when it is stable, or after 5 s."""
    last = peer.memory()
    for _ in range(10):
        time.sleep(0.5)
        now = peer.memory()
        if abs(now - last) < 0.1:
            return now
        last = now
    return last


def cap(stage, kind, name, seconds, cache_mb):
    peer = started(kind, stage, cache_mb)
    start = settled(peer)
    asked = stage["origin"].asked()
    log = os.path.join(stage["work"], "wrk.out")
    sampler = Sampler(peer)
    with open(log, "w") as out:
        wrk = subprocess.Popen(
            ["wrk", "-t1", "-c32", "-d%ds" % seconds, "-s", stage["wishes"], "--timeout", "10s", "http://127.0.0.1:%d" % peer.port],
            env={**os.environ, **KINDS[name][1]}, stdout=out, stderr=out)
        stage["load"] = wrk
        while wrk.poll() is None:
            sampler.look()
            time.sleep(0.5)
    stage["load"] = None
    end = settled(peer)
    asked = stage["origin"].asked() - asked
    stopped(stage)
    counted = next((line.split()[1:] for line in open(log) if line.startswith("COUNTED")), ["0"] * 4)
    requests, errors = int(counted[0]), int(counted[3])
    return {"startMb": start, "peakMb": sampler.peak, "endMb": end, "growthOfCap": (sampler.peak - start) / cache_mb,
        "requests": requests, "errors": errors, "hitRatio": 1 - asked / requests if requests else None, "series": sampler.series}


def overhead(stage, kind):
    peer = started(kind, stage, 256)
    start = settled(peer)

    def ask(path, count):
        with Caller(stage, peer, peer.port, path, "--count", count) as caller:
            caller.counts(count)
        return settled(peer)

    first = ask("/many/a", 10000)
    second = ask("/many/b", 10000)
    again = stage["origin"].asked()
    ask("/many/b", 10000)
    fetched = stage["origin"].asked() - again
    stopped(stage)
    bodies = 10000 * 10240 / 1048576
    # A server that allocated the memory for bodies at the start grows only by the other data.
    taken = second - start < bodies
    each = lambda grown, count: (grown - (0 if taken else bodies * count)) * 1048576 / 10000 / count
    return {"startMb": start, "firstMb": first, "secondMb": second, "bodiesTakenAtStart": taken,
        "firstBytesEach": each(first - start, 1), "secondBytesEach": each(second - first, 1),
        "bytesEach": each(second - start, 2), "missesAfterwards": fetched}


class Caller:
    """The client, while it runs."""

    def __init__(self, stage, peer, port, path, *arguments):
        self.stage, self.peer = stage, peer
        self.words = os.path.join(stage["work"], "caller.err")
        with open(self.words, "w") as words:
            self.process = stage["load"] = subprocess.Popen([stage["caller"], str(port), path, "--length", "10240", *map(str, arguments)],
                stdout=subprocess.PIPE, stderr=words, text=True)

    def __enter__(self):
        return self

    def counts(self, least):
        """Its counts, when all responses were right and at least so many."""
        line = self.process.stdout.readline()
        if not line:
            code = self.process.wait()
            with open(self.words) as words:
                raise SystemExit("%s: %s%s" % (self.peer.name, peers.ending("the caller", code, words.read()), self.peer.ended()))
        counted = json.loads(line)
        if counted["answered"] < least or counted["failures"] or counted["wrongStatus"] or counted["wrongLength"]:
            raise SystemExit("%s: %s (expected: at least %d right answers, and no others)%s" % (self.peer.name, line[:200], least, self.peer.ended()))
        return counted

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.stage["load"] = None


def held(stage, peer, protocol, count):
    """Memory with so many idle connections: PSS, and what of it is not garbage."""
    port = peer.tls_port if IDLE[protocol] else peer.port
    with Caller(stage, peer, port, "/10k", "--connections", count, "--once", "--hold", 60, *IDLE[protocol]) as caller:
        caller.counts(count)
        resident, live = peer.heap_mb()
        memory = settled(peer)
        if resident:
            # Its pages may have changed while everything else settled.
            resident = peer.heap_mb()[0]
    return {"mb": memory, "heapMb": live, "usedMb": memory - resident + live}


def idle(stage, kind, protocol):
    peer = started(kind, stage, 64)
    port = peer.tls_port if IDLE[protocol] else peer.port
    seconds = WARM_IDLE[protocol] if issubclass(kind, peers.Komainu) else WARM_IDLE_COMPILED
    with Caller(stage, peer, port, "/10k", "--connections", FEW_IDLE, "--seconds", seconds, *IDLE[protocol]) as caller:
        caller.counts(0)
    # The few come first: most servers keep what the many have taken.
    few = held(stage, peer, protocol, FEW_IDLE)
    many = held(stage, peer, protocol, MANY_IDLE)
    stopped(stage)
    each = lambda what: (many[what] - few[what]) * 1048576 / (MANY_IDLE - FEW_IDLE)
    return {"few": few, "many": many, "bytesEach": each("usedMb"), "heapBytesEach": each("heapMb"), "pssBytesEach": each("mb")}


def start(stage, kind, cache_mb):
    peer = started(kind, stage, cache_mb)
    pss = settled(peer)
    rss = peers.rss_mb(peer.pids())
    stopped(stage)
    return {"rssMb": rss, "pssMb": pss}


def engine(chosen, work):
    """Bytes that BoringSSL allocates for each connection; see EngineMemory."""
    java = shlex.split(chosen.java)[0]
    told = subprocess.run([java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m", "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
        "-cp", chosen.classes, "dev.komainu.bench.engine.EngineMemory", str(MANY_IDLE),
        work + "/chain.pem", work + "/key.pem"], capture_output=True, text=True)
    if told.returncode:
        raise SystemExit("engine: %s" % peers.ending("EngineMemory", told.returncode, told.stdout + told.stderr))
    return json.loads(told.stdout)


def arguments(line):
    parser = argparse.ArgumentParser(prog="komainu bench proxy-memory", description=__doc__)
    names = [kind.name for kind in peers.ALL if kind is not peers.Baseline]
    parser.add_argument("--minutes", type=float, default=10, help="length of each measured part, 0.1 to 600 (10)")
    parser.add_argument("--peers", default=",".join(names), help="some of: %s" % ", ".join(names))
    parser.add_argument("--rows", default=",".join([*KINDS, *OTHER_ROWS]), help="some of: %s" % ", ".join([*KINDS, *OTHER_ROWS]))
    parser.add_argument("--cap", type=int, default=64, help="cap in MB, 8 to 4096 (64)")
    parser.add_argument("--out", default="", help="directory for proxy-memory.json")
    parser.add_argument("--java", default="", help=argparse.SUPPRESS)
    parser.add_argument("--classes", default="", help=argparse.SUPPRESS)
    chosen = parser.parse_args(line)
    for name, given, known in (("--peers", chosen.peers, names + ["baseline"]), ("--rows", chosen.rows, [*KINDS, *OTHER_ROWS])):
        options.known(parser, name, given, known)
    for name, value, low, high in (("--minutes", chosen.minutes, 0.1, 600), ("--cap", chosen.cap, 8, 4096)):
        options.within(parser, name, value, low, high)
    return chosen


def main():
    chosen = arguments(sys.argv[1:])
    peers.Komainu.java = shlex.split(chosen.java)
    peers.Baseline.java = shlex.split(os.environ.get("KOMAINU_BASELINE", ""))
    wanted = [kind for kind in peers.ALL if kind.name in chosen.peers.split(",")]
    missing = [kind.name for kind in wanted if not kind.there()]
    if missing:
        print("NOT MEASURED, because not installed: %s" % ", ".join(missing))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    here = os.path.dirname(os.path.abspath(__file__))
    work = tempfile.mkdtemp(prefix="komainu-bench.")
    os.chmod(work, 0o755)
    stage = {"work": work, "running": None, "load": None, "wishes": os.path.join(here, "wishes.lua"), "caller": peers.compiled_caller(work)}
    result = {"capMb": chosen.cap, "minutes": chosen.minutes, "missing": missing, "rows": {}}
    stage["origin"] = Origin(work).start(core=0)
    try:
        for row in chosen.rows.split(","):
            part(row, [kind for kind in wanted if kind.there()], stage, chosen, result)
    finally:
        if stage["load"] is not None:
            stage["load"].kill()
        if stage["running"] is not None:
            stage["running"].stop()
        stage["origin"].stop()
        shutil.rmtree(work, ignore_errors=True)
    if chosen.out:
        os.makedirs(chosen.out, exist_ok=True)
        with open(os.path.join(chosen.out, "proxy-memory.json"), "w") as out:
            json.dump(result, out, indent=1)
    return 0


def bytes_of(idle_bytes):
    if not idle_bytes["many"]["heapMb"]:
        return "%d" % idle_bytes["bytesEach"]
    return "%d (heap %d)" % (idle_bytes["bytesEach"], idle_bytes["heapBytesEach"])


def part(row, kinds, stage, chosen, result):
    taken = result["rows"][row] = {}
    lines = []
    if row == "idle":
        peers.certificate(stage["work"])
        print("\nIdle connections: %d that each had one response of 10 KB, and what each of them takes beyond %d (PSS)" % (MANY_IDLE, FEW_IDLE), flush=True)
        head = ["server"] + ["%s: %s" % (protocol, what) for protocol in IDLE for what in ("MB", "bytes each")]
        for kind in kinds:
            able = [protocol for protocol in IDLE if kind.tls or not IDLE[protocol]]
            taken[kind.name] = {protocol: idle(stage, kind, protocol) for protocol in able}
            of = taken[kind.name]
            lines.append([kind.name] + [text for protocol in IDLE for text in (
                ("%.1f" % of[protocol]["many"]["mb"], bytes_of(of[protocol])) if protocol in of else ("-", "-"))])
    elif row == "engine":
        print("\nBytes that the native TLS engine allocates for each of %d connections" % MANY_IDLE, flush=True)
        peers.certificate(stage["work"])
        taken.update(engine(chosen, stage["work"]))
        head = ["", "bytes each"]
        lines = [[text, taken[key]] for text, key in (("after the handshake", "handshake"), ("after a response of 10 KB", "response"))]
    elif row == "start":
        print("\nMemory before the first request (MB)", flush=True)
        head = ["server"] + ["%s, cache of %d MB" % (what, cap_mb) for cap_mb in CAPS_AT_START for what in ("RSS", "PSS")]
        for kind in [*kinds, *([Touched] if peers.Komainu in kinds else [])]:
            of = taken[kind.name] = {str(cap_mb): start(stage, kind, cap_mb) for cap_mb in CAPS_AT_START}
            lines.append([kind.name] + ["%.1f" % of[str(cap_mb)][what] for cap_mb in CAPS_AT_START for what in ("rssMb", "pssMb")])
    elif row == "overhead":
        print("\nOverhead: 10,000 objects of 10 KB, then 10,000 more, in a cache of 256 MB (PSS)", flush=True)
        head = ["server", "start MB", "with 10,000", "with 20,000", "bytes each, first", "second", "all", "not kept"]
        for kind in kinds:
            one = taken[kind.name] = overhead(stage, kind)
            lines.append([kind.name + (" *" if one["bodiesTakenAtStart"] else ""), "%.1f" % one["startMb"], "%.1f" % one["firstMb"],
                "%.1f" % one["secondMb"], "%d" % one["firstBytesEach"], "%d" % one["secondBytesEach"], "%d" % one["bytesEach"],
                one["missesAfterwards"]])
    else:
        print("\nCap of %d MB, %s, %g minutes (PSS)" % (chosen.cap, KINDS[row][0], chosen.minutes), flush=True)
        head = ["server", "start MB", "peak MB", "end MB", "growth / cap", "hit ratio", "requests", "errors"]
        for kind in kinds:
            one = taken[kind.name] = cap(stage, kind, row, round(chosen.minutes * 60), chosen.cap)
            lines.append([kind.name, "%.1f" % one["startMb"], "%.1f" % one["peakMb"], "%.1f" % one["endMb"],
                "%.2f" % one["growthOfCap"], "%.3f" % (one["hitRatio"] or 0), one["requests"], one["errors"]])
    print(table(head, lines), flush=True)
    if any(line[0].endswith("*") for line in lines):
        print("* allocated the memory for bodies at the start: its growth is not compared with them")


if __name__ == "__main__":
    sys.exit(main())
