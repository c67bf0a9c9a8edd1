"""bench proxy-restart: a peak of four times the rate, with new clients and new objects, soon after a restart and long after it.

Base traffic begins when the server serves; a minute later the peak begins. The same peak, with other new objects, reaches the same process again after
a time of base traffic. The latencies count from the time at which a request was due.
"""

import argparse
import collections
import json
import os
import shlex
import signal
import statistics
import sys
import time

import peers
from compare import machine
from memory import heap
from mix import Part, carried, closed_loop, logged, open_loop, waiting_at_end
from rows import Stage
from table import spread, table

CACHE_MB = 64
BEFORE_SECONDS = 60
TIMES = 4
WITHIN = 1.5
WARM_SECONDS = 20
BASE = Part("base", "10 KB, 4,000 URLs by Zipf's law", ["/many/z", "--zipf", "4000:6"], 10240, 64)
# Each of these at the base rate; with the base traffic, which continues, four times the rate.
PEAK = [
    Part("new-clients", "the same, a connection for each", ["/many/z", "--zipf", "4000:7", "--close"], 10240, 64),
    Part("new-objects", "10 KB fetched and stored, each URL once", ["/many/", "--unique", "{tag}"], 10240, 64),
    Part("new-both", "10 KB fetched and stored, each URL once, a connection for each", ["/many/", "--unique", "{tag}", "--close"], 10240, 64),
]


class Default(peers.Komainu):
    name = "default"
    words = "Komainu"

    def __init__(self, work, origin_port):
        super().__init__(work, origin_port, CACHE_MB)
        self.java = heap(self.java, CACHE_MB)


class WarmUp(Default):
    name = "warm-up"
    words = "Komainu, `warm-up: 20s`"

    def settings(self):
        path = super().settings()
        with open(path, "a") as out:
            out.write("warm-up: 20s\n")
        return path


class Nginx(peers.Nginx):
    words = "nginx"

    def __init__(self, work, origin_port):
        super().__init__(work, origin_port, CACHE_MB)


KINDS = [Default, WarmUp, Nginx]


def finished(stage, call):
    stage.calls.remove(call)
    return call.ended()


def peak(stage, peer, tag, rate, seconds):
    """A minute of base traffic, then the peak; its latencies."""
    logs = [os.path.join(stage.work, "log-%d" % at) for at in range(1 + len(PEAK))]
    calls = [open_loop(stage, peer, BASE, tag, BEFORE_SECONDS + seconds, rate, "--log", logs[0])]
    time.sleep(BEFORE_SECONDS)
    before = sum(peer.cpu())
    calls += [open_loop(stage, peer, part, "%s%d" % (tag, at), seconds, rate, "--log", log) for at, (part, log) in enumerate(zip(PEAK, logs[1:]))]
    counts = [finished(stage, call) for call in calls]
    busy = (sum(peer.cpu()) - before) / seconds
    begun = min(counted["begunMicros"] for counted in counts[1:]) / 1e6
    whole = [one for log, counted in zip(logs, counts) for one in logged(log, counted["begunMicros"])]
    waiting = sum(waiting_at_end(one, counted) for log, counted in zip(logs, counts) for one in logged(log, counted["begunMicros"]))
    taken = sorted(one.ended - one.due for one in whole if begun <= one.due < begun + seconds)
    wrong = collections.Counter("broken" if one.status == 0 else str(one.status) for one in whole if one.status != 200)
    # They are among the latencies, with the time that they had waited until then.
    wrong["broken"] -= waiting
    wrong["length"] = sum(counted["wrongLength"] for counted in counts if not counted["wrongStatus"])
    return {"requests": len(taken), "wrong": dict(+wrong), "waitingAtEnd": waiting, "busy": busy, "load": os.getloadavg()[0], "maxMs": taken[-1] * 1000,
        **{"p%sMs" % name: taken[min(len(taken) - 1, int(len(taken) * share))] * 1000 for name, share in (("50", 0.5), ("99", 0.99), ("999", 0.999))}}


def rate_of(stage, share):
    """The base rate: a quarter of this share of what a warm proxy carries of the peak's mix."""
    peer = Default(stage.work, stage.origin.port)
    stage.running.append(peer.start())
    closed_loop(stage, peer, [BASE, *PEAK], "warm", WARM_SECONDS)
    best, busy = carried(stage, peer, [BASE, *PEAK], "carried", 5)
    stage.running.remove(peer)
    peer.stop()
    print("Carried in closed loop: %.0f requests/s of the peak's mix, with %.0f %% of a core" % (sum(best.values()), busy * 100), flush=True)
    return sum(best.values()) * share / 100 / TIMES


def restarted(stage, kind, run, rate, chosen, result):
    """A new process and its first peak; the last process of each kind is kept."""
    peer = kind(stage.work, stage.origin.port)
    stage.running.append(peer)
    begun = time.monotonic()
    peer.start()
    one = peak(stage, peer, "%s-first%d" % (kind.name, run), rate, chosen.seconds)
    one["servesAfterSeconds"] = time.monotonic() - begun - BEFORE_SECONDS - chosen.seconds
    result[kind.name]["first"].append(one)
    print("%s, after a restart: p99 %.1f ms (load %.1f)" % (kind.words, one["p99Ms"], one["load"]), flush=True)
    if run < chosen.runs - 1:
        stage.running.remove(peer)
        peer.stop()
        return None
    return peer


def base_load(stage, kept, rate, minutes):
    calls = [open_loop(stage, peer, BASE, "base", minutes * 60, rate) for peer in kept]
    for call in calls:
        counted = finished(stage, call)
        wrong = sum(counted[name] for name in ("failures", "wrongStatus", "wrongLength"))
        if wrong:
            print("Base traffic: %d wrong responses" % wrong)


def later(stage, peer, kind, run, rate, chosen, result):
    one = peak(stage, peer, "%s-later%d" % (kind.name, run), rate, chosen.seconds)
    result[kind.name]["later"].append(one)
    print("%s, later: p99 %.1f ms (load %.1f)" % (kind.words, one["p99Ms"], one["load"]), flush=True)


def ratio(of):
    return statistics.median(one["p99Ms"] for one in of["first"]) / statistics.median(one["p99Ms"] for one in of["later"])


def report(kinds, result):
    """Prints the table; returns whether each of ours is within the limit."""
    lines, good = [], True
    for kind in kinds:
        of = result[kind.name]
        whole = of["first"] + of["later"]
        line = [kind.words]
        for when in ("first", "later"):
            line += [spread([one[key] for one in of[when]]) for key in ("p50Ms", "p99Ms", "p999Ms", "maxMs")]
            line.append("%.0f" % (100 * statistics.median(one["busy"] for one in of[when])))
        wrong = sum((collections.Counter(one["wrong"]) for one in whole), collections.Counter())
        lines.append([*line, "%.2f" % ratio(of), ", ".join("%s: %d" % one for one in sorted(wrong.items()))])
        if issubclass(kind, Default):
            good = good and ratio(of) <= WITHIN and not wrong
    head = ["ms", *(when + what for when in ("first ", "later ") for what in ("p50", "p99", "p99.9", "longest", "% of a core")), "p99, first to later", "wrong"]
    print()
    print(table(head, lines), flush=True)
    return good


def arguments(line):
    parser = argparse.ArgumentParser(prog="komainu bench proxy-restart", description=__doc__)
    names = [kind.name for kind in KINDS]
    parser.add_argument("--peers", default=",".join(names), help="some of: %s" % ", ".join(names))
    parser.add_argument("--later", type=float, default=60, help="minutes of base traffic before the second peak, 0.5 to 1440 (60)")
    parser.add_argument("--runs", type=int, default=1, help="restarts, and later peaks, of each, 1 to 99 (1)")
    parser.add_argument("--seconds", type=int, default=20, help="length of the peak, 5 to 600 (20)")
    parser.add_argument("--share", type=float, default=35, help="the peak's percent of the rate that a warm proxy carries, 1 to 100 (35)")
    parser.add_argument("--out", default="", help="directory for proxy-restart.json")
    parser.add_argument("--java", default="", help=argparse.SUPPRESS)
    chosen = parser.parse_args(line)
    for one in chosen.peers.split(","):
        if one not in names:
            parser.error("--peers: %s (expected: some of %s)" % (one, ", ".join(names)))
    for name, value, low, high in (("--later", chosen.later, 0.5, 1440), ("--runs", chosen.runs, 1, 99), ("--seconds", chosen.seconds, 5, 600),
            ("--share", chosen.share, 1, 100)):
        if not low <= value <= high:
            parser.error("%s: %s (expected: %s to %s)" % (name, value, low, high))
    return chosen


def measure(stage, kinds, chosen, result):
    rate = result["rate"] = rate_of(stage, chosen.share)
    print("Base rate %.0f requests/s, in the peak %.0f" % (rate, rate * TIMES), flush=True)
    kept = []
    for run in range(chosen.runs):
        kept = [restarted(stage, kind, run, rate, chosen, result) for kind in kinds]
    base_load(stage, kept, rate, chosen.later)
    for run in range(chosen.runs):
        for kind, peer in zip(kinds, kept):
            later(stage, peer, kind, run, rate, chosen, result)


def main():
    chosen = arguments(sys.argv[1:])
    peers.Komainu.java = shlex.split(chosen.java)
    wanted = [kind for kind in KINDS if kind.name in chosen.peers.split(",")]
    kinds = [kind for kind in wanted if kind.there()]
    for kind in wanted:
        if kind not in kinds:
            print("NOT MEASURED, because not installed: %s" % kind.name)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    result = {"machine": machine(), "later": chosen.later, "seconds": chosen.seconds, **{kind.name: {"first": [], "later": []} for kind in kinds}}
    print("%(time)s, Linux %(kernel)s, %(processor)s, %(cores)d cores, load before %(loadBefore).1f" % result["machine"], flush=True)
    stage = Stage(chosen)
    stage.calls = []
    try:
        measure(stage, kinds, chosen, result)
    finally:
        for call in stage.calls:
            call.stop()
        stage.clear()
        if chosen.out:
            os.makedirs(chosen.out, exist_ok=True)
            with open(os.path.join(chosen.out, "proxy-restart.json"), "w") as out:
                json.dump(result, out, indent=1)
    return 0 if report(kinds, result) else 1


if __name__ == "__main__":
    sys.exit(main())
