"""What each row costs before a server is warm: after its start, and when the traffic changes. Each measurement has a new process."""

import statistics
import time

import peers
from rows import ROWS, can, faults, fill
from table import spread, table

# Seconds of cached hits before the traffic changes: ours has compiled all that they need; programs in C need none.
HITS_SECONDS, HITS_SECONDS_COMPILED = 30, 2
# A cold measurement is the first second, and the four after it.
SECONDS = 5
FIRST_REQUESTS = 100_000


def micros(counted, first, last):
    """CPU per request between two whole seconds of a run."""
    samples = counted.get("cpu", [])
    if len(samples) <= last:
        return float("nan")
    (count, before), (count_after, after) = samples[first], samples[last]
    return (after - before) / max(1, count_after - count)


def called(stage, peer, row, round_, *more):
    values = {"round": round_, "unique": "cold-%s-%d-%s" % (peer.name[0], round_, time.monotonic_ns())}
    asked = stage.origin.asked()
    # A little longer than the last whole second, so that its end is sampled.
    counted = stage.call(peer, fill(row, values), ROWS[row].length, "--seconds", SECONDS + 0.1, "--connections", stage.arguments.connections,
        "--cpu", ",".join(map(str, peer.pids())), *more)
    # After a start the 10,000 objects are fetched, each once.
    asked = 0 if row == "zipf" else stage.origin.asked() - asked
    counted["faults"] = faults(row, counted, asked)
    return counted


def series(stage, kind, row, round_):
    """One process whose first traffic is the row's; another one that serves hits before."""
    ours = issubclass(kind, peers.Komainu)
    peer = kind(stage.work, stage.origin.port)
    begun = time.monotonic()
    peer.start()
    serving = time.monotonic() - begun
    try:
        start = called(stage, peer, row, round_, "--mark", FIRST_REQUESTS)
    finally:
        peer.stop()
    peer = kind(stage.work, stage.origin.port)
    peer.start()
    try:
        if row == "zipf":
            stage.call(peer, ["/many/z"], 10240, "--count", 10000)
        stage.call(peer, ["/10k"], 10240, "--seconds", HITS_SECONDS if ours else HITS_SECONDS_COMPILED, "--connections", stage.arguments.connections)
        change = called(stage, peer, row, round_)
    finally:
        peer.stop()
    return {"servesAfterSeconds": serving, "start": start, "change": change}


def compare(stage, kinds, chosen, result):
    print("\nCold: µs of CPU per request in the first second and in seconds 2 to 5 of a row's traffic, after a start, and after %d s of cached hits of "
        "10 KB (programs in C: %d s)" % (HITS_SECONDS, HITS_SECONDS_COMPILED))
    kept = result.setdefault("cold", {})
    for row in chosen.cold.split(","):
        able = [kind for kind in kinds if can(kind, row)]
        taken = kept[row] = {kind.name: [] for kind in able}
        for round_ in range(chosen.runs):
            turn = round_ % len(able)
            for kind in able[turn:] + able[:turn]:
                taken[kind.name].append(series(stage, kind, row, round_))
        report(row, taken, result)


def report(row, taken, result):
    ours = [kind.name for kind in peers.OF_OURS]
    later = {name: statistics.median([micros(one["change"], 1, SECONDS) for one in runs]) for name, runs in taken.items()}
    best = min((value for name, value in later.items() if name not in ours), default=None)
    lines = []
    for name, runs in taken.items():
        warm = result["rows"].get(row, {}).get(name)
        line = [name, "%.2f" % statistics.median([one["servesAfterSeconds"] for one in runs])]
        for when in ("start", "change"):
            line += [spread([micros(one[when], *part) for one in runs]) for part in ((0, 1), (1, SECONDS))]
            line.append("%.0f" % statistics.median([one[when]["max"] / 1000 for one in runs]))
        whole = [one["start"]["mark"]["micros"] / 1e6 for one in runs if "mark" in one["start"]]
        line.append(spread(whole, 2) if len(whole) == len(runs) else "-")
        line.append("%.2f" % (later[name] / statistics.median([one["micros"] for one in warm])) if warm else "-")
        line.append("%.2f" % (later[name] / best) if best else "-")
        line.append("; ".join(sorted({fault for one in runs for when in ("start", "change") for fault in one[when]["faults"]})))
        lines.append(line)
    print("\n%s: %s" % (row, ROWS[row].text))
    print(table(["server", "serves after, s", "start: 1st s", "2 to 5 s", "longest ms", "change: 1st s", "2 to 5 s", "longest ms",
        "CPU s of the first %d" % FIRST_REQUESTS, "change, 2 to 5 s, to warm", "to the best peer", "wrong"], lines), flush=True)
