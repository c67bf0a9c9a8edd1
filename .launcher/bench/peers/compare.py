"""bench proxy: CPU time per request, latency and memory of every caching proxy on this machine, in turn within each round."""

import argparse
import json
import os
import platform
import shlex
import signal
import statistics
import subprocess
import sys
import time

import cold
import options
import peers
from rows import ROWS, Stage, can, faults, fill
from table import spread, table

# Requests of a kind after which all relevant code is compiled.
WARM = 200_000


def ticks():
    """Stolen ticks of all processors, and all their ticks."""
    with open("/proc/stat") as stat:
        counted = [int(word) for word in stat.readline().split()[1:9]]
    return counted[7], sum(counted)


def undisturbed(chosen, take):
    """A run with at most the allowed stolen time; otherwise the least disturbed one of --tries."""
    best = None
    for _ in range(chosen.tries):
        stolen, whole = ticks()
        one = take()
        stolen_after, whole_after = ticks()
        one["stolenPercent"] = 100 * (stolen_after - stolen) / max(1, whole_after - whole)
        if best is None or one["stolenPercent"] < best["stolenPercent"]:
            best = one
        if one["stolenPercent"] <= chosen.stolen:
            break
    return best


def measure(stage, peer, row, round_, seconds, *more):
    values = {"round": round_, "unique": "%s-%d-%s" % (peer.name[0], round_, time.monotonic_ns())}
    asked = stage.origin.asked()
    pids = peer.pids()
    user, system = peers.cpu_seconds(pids)
    counted = stage.call(peer, fill(row, values), ROWS[row].length, "--seconds", seconds, *more)
    user_after, system_after = peers.cpu_seconds(peer.pids())
    asked = stage.origin.asked() - asked
    count = max(1, counted["answered"])
    counted["userMicros"] = (user_after - user) * 1e6 / count
    counted["systemMicros"] = (system_after - system) * 1e6 / count
    counted["micros"] = counted["userMicros"] + counted["systemMicros"]
    counted["asked"] = asked
    counted["perSecondRate"] = counted["answered"] / counted["seconds"] if counted["seconds"] else 0
    counted["faults"] = faults(row, counted, asked)
    return counted


def machine():
    with open("/proc/cpuinfo") as info:
        model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), "?")
    return {"time": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()), "kernel": platform.release(), "processor": model,
        "cores": os.cpu_count(), "loadBefore": os.getloadavg()[0]}


def version(peer):
    asked = {"nginx": ["nginx", "-v"], "haproxy": ["haproxy", "-v"], "varnish": ["varnishd", "-V"], "squid": ["squid", "-v"],
        "trafficserver": ["traffic_server", "-V"]}.get(peer.name)
    if not asked:
        return ""
    told = subprocess.run([peers.program(asked[0]), *asked[1:]], capture_output=True, text=True)
    return (told.stdout + told.stderr).strip().splitlines()[0][:70]


def latency(stage, running, result, chosen):
    """Latency at half of the highest rate of each server, and at half of the lowest of these rates for all."""
    best = {name: max(run["perSecondRate"] for run in of) for name, of in result["rows"]["hit-10k"].items()}
    common = min(best.values()) / 2
    for title, rate_of in (("half of its own highest rate", lambda p: best[p.name] / 2), ("one rate for all", lambda p: common)):
        print("\nLatency of 10 KB hits in µs at a fixed rate: %s" % title, flush=True)
        lines = []
        taken = {}
        for round_ in range(chosen.runs):
            for peer in running:
                taken.setdefault(peer.name, []).append(undisturbed(chosen, lambda: measure(
                    stage, peer, "hit-10k", round_, chosen.seconds, "--rate", int(rate_of(peer)))))
        result.setdefault("latency", {})[title] = taken
        for peer in running:
            of = taken[peer.name]
            lines.append([peer.name, "%d" % rate_of(peer)] + [spread([one[p] for one in of]) for p in ("p50", "p99", "p999")]
                + ["%.1f" % statistics.median([one["micros"] for one in of]), stolen(of), wrong(of)])
        print(table(["server", "requests/s", "p50", "p99", "p99.9", "µs of CPU", "stolen %", "wrong"], lines), flush=True)


def stolen(of):
    return "%.1f" % max(one["stolenPercent"] for one in of)


def wrong(of):
    said = sorted({fault for one in of for fault in one["faults"]})
    return "; ".join(said)


def arguments(line):
    parser = argparse.ArgumentParser(prog="komainu bench proxy", description=__doc__)
    names = [kind.name for kind in peers.ALL]
    parser.add_argument("--rows", default=",".join(ROWS), help="some of: %s" % ", ".join(ROWS))
    parser.add_argument("--peers", default=",".join(names), help="some of: %s" % ", ".join(names))
    parser.add_argument("--runs", type=int, default=3, help="rounds, 1 to 99 (3)")
    parser.add_argument("--seconds", type=float, default=8, help="length of each run, 0.5 to 600 (8)")
    parser.add_argument("--warm-up", type=float, default=15, help="seconds before a row's first run: for Komainu up to four times that until 200,000 are served, for others a fifth (15)")
    parser.add_argument("--connections", type=int, default=64, help="of the caller, 1 to 4096 (64)")
    parser.add_argument("--stolen", type=float, default=100, help="percent of the processors' time that the host may take in a run; a run with more is repeated, 0 to 100 (100: never)")
    parser.add_argument("--tries", type=int, default=10, help="maximum number of attempts to get a run that is not disturbed, 1 to 100 (10)")
    parser.add_argument("--no-latency", action="store_true", help="omit the fixed rates")
    parser.add_argument("--cold", default="", help="rows that are also measured cold, after a start and after other traffic (those of --rows)")
    parser.add_argument("--no-cold", action="store_true", help="omit the cold measurements")
    parser.add_argument("--cold-peers", default="", help="servers that are also measured cold (--peers)")
    parser.add_argument("--out", default="", help="directory for proxy.json and proxy.md")
    parser.add_argument("--java", default="", help=argparse.SUPPRESS)
    chosen = parser.parse_args(line)
    chosen.cold = "" if chosen.no_cold else chosen.cold or chosen.rows
    chosen.cold_peers = chosen.cold_peers or chosen.peers
    for name, given, known in (("--rows", chosen.rows, ROWS), ("--peers", chosen.peers, names), ("--cold", chosen.cold or "hit-1k", ROWS), ("--cold-peers", chosen.cold_peers, names)):
        options.known(parser, name, given, known)
    for name, value, low, high in (("--runs", chosen.runs, 1, 99), ("--seconds", chosen.seconds, 0.5, 600),
            ("--warm-up", chosen.warm_up, 0, 600), ("--connections", chosen.connections, 1, 4096),
            ("--stolen", chosen.stolen, 0, 100), ("--tries", chosen.tries, 1, 100)):
        options.within(parser, name, value, low, high)
    return chosen


def main():
    chosen = arguments(sys.argv[1:])
    peers.Komainu.java = shlex.split(chosen.java)
    peers.Baseline.java = shlex.split(os.environ.get("KOMAINU_BASELINE", ""))
    peers.Old.java = peers.Again.java = shlex.split(os.environ.get("KOMAINU_OLD", ""))
    wanted = [kind for kind in peers.ALL if kind.name in chosen.peers.split(",")]
    kinds = [kind for kind in wanted if kind.there()]
    missing = [kind.name for kind in wanted if not kind.there() and kind not in peers.OF_OURS[:2] + [peers.Baseline]]
    if os.cpu_count() < 2:
        raise SystemExit("cores: 1 (expected: 2 at least, one for the server and one for its caller)")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    result = {"machine": machine(), "missing": missing, "seconds": chosen.seconds, "runs": chosen.runs, "rows": {}, "memory": {}}
    print("%(time)s, Linux %(kernel)s, %(processor)s, %(cores)d cores, load before %(loadBefore).1f" % result["machine"])
    if missing:
        print("NOT MEASURED, because not installed: %s" % ", ".join(missing))
    stage = Stage(chosen)
    try:
        for kind in kinds:
            peer = kind(stage.work, stage.origin.port)
            stage.running.append(peer)
            peer.start()
            result.setdefault("versions", {})[peer.name] = version(peer)
            result["memory"][peer.name] = {"startMb": peer.memory()}
        print("; ".join("%s" % (v or n) for n, v in result["versions"].items()), flush=True)
        for row in chosen.rows.split(","):
            compare(stage, row, chosen, result)
            if row in ("hit-100k", "zipf", "miss-10k"):
                for peer in stage.running:
                    result["memory"][peer.name][row + "Mb"] = peer.memory()
        if "hit-10k" in result["rows"] and not chosen.no_latency:
            latency(stage, stage.running, result, chosen)
        summary(result, [peer.name for peer in stage.running])
        for peer in stage.running:
            peer.stop()
        if chosen.cold:
            cold.compare(stage, [kind for kind in kinds if kind.name in chosen.cold_peers.split(",")], chosen, result)
    finally:
        stage.clear()
    result["machine"]["loadAfter"] = os.getloadavg()[0]
    print("Load after: %.1f" % result["machine"]["loadAfter"])
    if chosen.out:
        os.makedirs(chosen.out, exist_ok=True)
        with open(os.path.join(chosen.out, "proxy.json"), "w") as out:
            json.dump(result, out, indent=1)
    return 0


def compare(stage, row, chosen, result):
    print("\n%s: %s" % (row, ROWS[row].text), flush=True)
    running = [peer for peer in stage.running if can(peer, row)]
    taken = {peer.name: [] for peer in running}
    result["rows"][row] = taken
    for peer in running:
        if row == "zipf":
            stage.call(peer, ["/many/z"], 10240, "--count", 10000)
        ours = isinstance(peer, peers.Komainu)
        warm = chosen.warm_up if ours else chosen.warm_up / 5
        answered = 0
        for turn in range(4 if warm else 0):
            # On a busy machine a fixed time is not enough: a JVM compiles after a number of requests.
            answered += measure(stage, peer, row, 99 - turn, warm, "--connections", chosen.connections)["answered"]
            if not ours or answered > WARM:
                break
    for round_ in range(chosen.runs):
        # Each round begins with another server, so that effects of the previous one affect all equally.
        turn = round_ % len(running)
        for peer in running[turn:] + running[:turn]:
            taken[peer.name].append(undisturbed(chosen, lambda: measure(
                stage, peer, row, round_, chosen.seconds, "--connections", chosen.connections)))
    lines = []
    for peer in running:
        of = taken[peer.name]
        lines.append([peer.name, spread([one["micros"] for one in of]), "%.1f" % statistics.median([one["userMicros"] for one in of]),
            "%.1f" % statistics.median([one["systemMicros"] for one in of]),
            "%d" % statistics.median([one["perSecondRate"] for one in of]),
            "%d" % statistics.median([one["p50"] for one in of]), "%d" % statistics.median([one["p99"] for one in of]), stolen(of), wrong(of)])
    print(table(["server", "µs of CPU each", "user", "system", "requests/s", "p50 µs", "p99 µs", "stolen %", "wrong"], lines), flush=True)


def against_old(result):
    """The difference between two runs of another build, which is noise, and the difference of this build to it."""
    lines = []
    for row, taken in result["rows"].items():
        micros = {name: [one["micros"] for one in taken[name]] for name in ("old", "again", "komainu")}
        middles = {name: statistics.median(of) for name, of in micros.items()}
        base = statistics.median(micros["old"] + micros["again"])
        both = sorted(micros["old"] + micros["again"])
        lines.append([row, *("%.1f" % middles[name] for name in ("old", "again", "komainu")),
            "%+.1f" % (100 * (middles["again"] / middles["old"] - 1)), "%.1f" % (100 * (both[-1] - both[0]) / base),
            "%+.1f" % (100 * (middles["komainu"] / base - 1))])
    print("\nµs of CPU per request compared with another build, medians of %d interleaved rounds" % result["runs"])
    print(table(["", "old", "again", "new", "again/old %", "spread of old and again %", "new/old %"], lines))


def summary(result, names):
    lines = []
    for row, taken in result["rows"].items():
        middles = {name: statistics.median([one["micros"] for one in taken[name]]) for name in names if taken.get(name)}
        others = {name: value for name, value in middles.items() if name not in [kind.name for kind in peers.OF_OURS]
            and not wrong(taken[name])}
        best = min(others, key=others.get) if others else ""
        ratio = "%.2f" % (middles["komainu"] / others[best]) if best and "komainu" in middles else ""
        lines.append([row] + ["%.1f%s" % (middles[name], " *" if wrong(taken[name]) else "") if name in middles else "-" for name in names] + [best, ratio])
    print("\nµs of CPU per request, medians of %d (* with errors, see above; -: the server cannot do this)" % result["runs"])
    print(table(["", *names, "best peer", "ours to it"], lines))
    if {"old", "again", "komainu"} <= set(names):
        against_old(result)
    print("\nMemory (PSS, MB; nginx with its files in memory; Traffic Server without its store's file)")
    keys = sorted({key for of in result["memory"].values() for key in of})
    print(table(["", *names], [[key[:-2]] + ["%.0f" % result["memory"][name].get(key, 0) for name in names] for key in keys]), flush=True)


if __name__ == "__main__":
    sys.exit(main())
