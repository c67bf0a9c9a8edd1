"""bench proxy-soak: one process under mixed traffic at a share of what it carries, with reloads, purges and faults of its origins.

What it holds is counted before and after, without traffic and with an empty cache: objects by class, connections, descriptors, threads, memory. Each
criterion has a verdict.
"""

import argparse
import http.client
import itertools
import json
import os
import shlex
import signal
import sys
import time

import census
import mix
import peers
from compare import machine
from misfortunes import CYCLE_SECONDS, FAULT_RATE, FaultyOrigin, Misfortunes, expected, fault_parts
from rows import Stage
from verdicts import report, verdicts
from watched import CACHE_MB, Watched

FIRST_SECONDS = 30
SAMPLE_SECONDS = 5
QUIET_SECONDS = 90
# The proxy keeps the latest prefixes that were purged; their list is full from the beginning.
PURGED_PREFIXES = 256


class Phase:
    """Open-loop traffic for a time, with misfortunes and samples; afterwards its errors, each attributed."""

    def __init__(self, stage, peer, rates, tag, seconds):
        self.stage, self.peer = stage, peer
        self.begun = time.monotonic()
        self.series, self.latencies, self.per_second = [], {}, []
        self.calls = [(part, rate) for part, rate in [(part, rates[part.name]) for part in mix.MIX] + [(part, FAULT_RATE) for part in fault_parts()]]
        self.seconds = seconds
        self.running = []
        for at, (part, rate) in enumerate(self.calls):
            file = os.path.join(stage.work, "errors-%s-%d" % (tag, at))
            self.running.append((part, file, mix.open_loop(stage, peer, part, "%s%d" % (tag, at), seconds, rate, "--errors", file)))
        self.misfortunes = Misfortunes(peer, stage.origin, self.begun, seconds)

    def run(self):
        next_sample = self.begun + SAMPLE_SECONDS
        while time.monotonic() < self.begun + self.seconds:
            self.misfortunes.happen()
            if time.monotonic() >= next_sample:
                try:
                    self.series.append(census.sample(self.peer, self.begun))
                except (OSError, http.client.HTTPException) as error:
                    self.misfortunes.unanswered.append((time.monotonic(), str(error)))
                next_sample += SAMPLE_SECONDS
            if self.peer.process.poll() is not None:
                raise SystemExit("the proxy has ended, exit code %d" % self.peer.process.returncode)
            time.sleep(0.05)
        return self

    def attributed(self):
        """Errors by part: made by the origin, and others (at most 200 of each part are kept)."""
        found = {}
        for part, file, call in self.running:
            counted = call.ended()
            self.latencies[part.name] = {key: counted[key] for key in ("answered", "failures", "wrongStatus", "wrongLength", "seconds", "p50", "p99", "p999", "max")}
            self.per_second = [a + b for a, b in itertools.zip_longest(self.per_second, counted["perSecond"], fillvalue=0)]
            of = found[part.name] = {"answered": counted["answered"], "originMade": {}, "others": 0, "kept": [], "idleBroken": 0, "waitingAtEnd": 0}
            faulty = "fault-" in part.name
            for error in mix.logged(file, counted["begunMicros"]):
                if error.status == -1:
                    of["idleBroken"] += 1
                elif mix.waiting_at_end(error, counted):
                    of["waitingAtEnd"] += 1
                elif faulty and error.status in expected(part) or self.misfortunes.at_fault(error):
                    of["originMade"][error.status] = of["originMade"].get(error.status, 0) + 1
                else:
                    of["others"] += 1
                    if len(of["kept"]) < 200:
                        of["kept"].append({"due": error.due - self.begun, "ended": error.ended - self.begun, "status": error.status})
            os.unlink(file)
        del self.stage.calls[:]
        return found


def quiet(peer):
    """Waits until no connection is open, and memory has been given back."""
    deadline = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < deadline:
        page = census.metrics(peer.control)
        if not page["client_connections"] and not page["origin_connections"]:
            break
        time.sleep(0.5)
    time.sleep(5)


def counted(peer, jcmd):
    """What the proxy holds without traffic and with an empty cache."""
    quiet(peer)
    full = census.metrics(peer.control)
    peer.purge({"all": True})
    time.sleep(1)
    pid = peer.process.pid
    live = census.classes(jcmd, pid)
    time.sleep(3)
    return {"metrics": census.metrics(peer.control), "objectsBeforePurge": full["cache_objects"], "cacheMbBeforePurge": full["cache_bytes"] / 1048576,
        "classes": live, "instances": sum(count for count, _ in live.values()), "liveBytes": sum(size for _, size in live.values()),
        "descriptors": census.descriptors(pid), "connections": census.connections([peer.port, peer.tls_port]), **census.memory(pid)}


def arguments(line):
    parser = argparse.ArgumentParser(prog="komainu bench proxy-soak", description=__doc__)
    parser.add_argument("--minutes", type=int, default=60, help="length of the measured part, 1 to 1440 (60)")
    parser.add_argument("--warm-up", type=int, default=5, help="minutes of the same before the first count, 1 to 60 (5)")
    parser.add_argument("--share", type=float, default=70, help="percent of the rate that it carries, 1 to 100 (70)")
    parser.add_argument("--out", default="", help="directory for proxy-soak.json")
    parser.add_argument("--java", default="", help=argparse.SUPPRESS)
    chosen = parser.parse_args(line)
    for name, value, low, high in (("--minutes", chosen.minutes, 1, 1440), ("--warm-up", chosen.warm_up, 1, 60), ("--share", chosen.share, 1, 100)):
        if not low <= value <= high:
            parser.error("%s: %s (expected: %s to %s)" % (name, value, low, high))
    return chosen


def soak(stage, peer, jcmd, chosen, result):
    fill = mix.Part("fill", "", ["/many/f"], 10240, 8)
    mix.Call(stage, peer, fill, "", "--count", CACHE_MB * 100, "--connections", 8).ended()
    mix.closed_loop(stage, peer, mix.MIX, "first", FIRST_SECONDS)
    best, busy = mix.carried(stage, peer, mix.MIX, "carried", 10)
    rates = {name: rate * chosen.share / 100 for name, rate in best.items()}
    result["carried"], result["carriedCpu"], result["rates"] = best, busy, rates
    print("Carried in closed loop: %.0f requests/s of the mix, with %.0f %% of a core; offered: %.0f/s" % (
        sum(best.values()), busy * 100, sum(rates.values())), flush=True)
    for at in range(PURGED_PREFIXES):
        peer.purge({"prefix": "no.example/%d/" % at})
    # The first command to the JVM starts a thread and opens a socket that stay.
    census.classes(jcmd, peer.process.pid)
    Phase(stage, peer, rates, "warm", chosen.warm_up * CYCLE_SECONDS).run().attributed()
    before = counted(peer, jcmd)
    cpu = sum(peer.cpu())
    phase = Phase(stage, peer, rates, "soak", chosen.minutes * CYCLE_SECONDS)
    result.update({"before": before, "series": phase.series, "events": phase.misfortunes.counts, "unanswered": phase.misfortunes.unanswered})
    phase.run()
    cpu = (sum(peer.cpu()) - cpu) / phase.seconds
    errors = phase.attributed()
    after = counted(peer, jcmd)
    lines = verdicts(before, after, phase, errors, peer)
    result.update({"after": after, "errors": errors, "latencies": phase.latencies, "answeredPerSecond": phase.per_second,
        "windows": [(begun - phase.begun, ended - phase.begun) for begun, ended in phase.misfortunes.windows],
        "cpu": cpu, "verdicts": lines, "logErrors": peer.log_errors()[:50], "log": peer.log_tail()})
    report(result, before, after, phase, errors, lines)
    print("\nThe proxy used %.0f %% of its core." % (cpu * 100))
    return all(line[3] for line in lines)


def main():
    chosen = arguments(sys.argv[1:])
    peers.Komainu.java = shlex.split(chosen.java)
    jcmd = os.path.join(os.path.dirname(peers.Komainu.java[0]), "jcmd")
    if not os.path.exists(jcmd):
        raise SystemExit("jcmd: %s (expected: a JDK, not only a runtime)" % jcmd)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    result = {"machine": machine(), "minutes": chosen.minutes, "warmUp": chosen.warm_up, "share": chosen.share}
    print("%(time)s, Linux %(kernel)s, %(processor)s, %(cores)d cores, load before %(loadBefore).1f" % result["machine"], flush=True)
    stage = Stage(chosen)
    stage.calls = []
    holds = False
    try:
        faulty = FaultyOrigin(stage.work, 0)
        stage.running.append(faulty.start(core=0))
        peer = Watched(stage.work, stage.origin.port, faulty.port)
        stage.running.append(peer.start())
        holds = soak(stage, peer, jcmd, chosen, result)
    finally:
        for call in stage.calls:
            call.stop()
        stage.clear()
        result["machine"]["loadAfter"] = os.getloadavg()[0]
        if chosen.out:
            os.makedirs(chosen.out, exist_ok=True)
            with open(os.path.join(chosen.out, "proxy-soak.json"), "w") as out:
                json.dump(result, out, indent=1)
    print("Load after: %.1f" % result["machine"]["loadAfter"])
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
