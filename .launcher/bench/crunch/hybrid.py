"""The results of bench hybrid's visitors, the decisions of the proxy meanwhile, and the points of a figure."""

import sys

import records
from hybrid_runs import Run, failures, hit_ratio, middle, millis, shown

work, out = sys.argv[1:3]
runs = {}
for line in open(work + "/runs.txt"):
    variant, number = line.split()
    runs.setdefault(variant, []).append(Run(work, "%s-%s" % (variant, number)))
rounds = max(len(each) for each in runs.values())
PHASES = ("before", "up", "peak", "down", "after")


def times(variant, phase, sign, key):
    return middle([millis(run.phases[phase]["responseMicros"][sign], key) for run in runs[variant]])


def hits(variant, phase):
    return middle([hit_ratio(run.phases[phase]) for run in runs[variant]])


def bump(run):
    """The ratio of the worst slice of the ramp to the p99 of the quiet phase before, for hits."""
    up, quiet = run.phases["up"], millis(run.phases["before"]["responseMicros"]["hit"], "p99")
    worst = [millis(piece["responseMicros"]["hit"], "p99") for piece in run.load["slices"]
             if up["from"] <= piece["fromSeconds"] < up["to"] and piece["responseMicros"]["hit"]["count"]]
    return max(worst) / quiet


rows = []
for variant in runs:
    for phase in PHASES:
        tallies = [run.phases[phase] for run in runs[variant]]
        rows.append((
            variant, phase,
            "%.0f" % middle([t["wished"] / t["seconds"] for t in tallies]),
            "%.1f %%" % hits(variant, phase),
            "%.1f %%" % middle([run.share_from_disk(run.phases[phase]) for run in runs[variant]]),
            " / ".join(shown(times(variant, phase, "hit", key)) for key in ("p50", "p95", "p99")),
            " / ".join(shown(times(variant, phase, "miss", key) / 1000) for key in ("p50", "p95", "p99")),
            sum(failures(t) for t in tallies),
            "%.1f %%" % (100 * sum(t["late"] for t in tallies) / max(1, sum(t["wished"] for t in tallies)))))

switches = []
with open(out + "/hybrid.md", "w") as text:
    text.write("# Disk off-peak, memory only at the peak\n\n" + open(work + "/conditions.md").read() + "\n")
    text.write("T_r from the request to the first byte, p50 / p95 / p99: hits in ms, misses in s (the origin thinks 1.5 to 4.5 s). \"From disk\": share of all requests "
               "that were served as hits after waiting for the disk. \"Late\": requests that the load itself sent more than 5 ms late.%s\n\n"
               % (" Medians of %d rounds, failures summed." % rounds if rounds > 1 else ""))
    records.table(text, ("cache", "phase", "requests/s", "hits", "from disk", "T_r of hits, ms", "T_r of misses, s", "failed", "late"), rows)
    if "memory" in runs:
        text.write("Ratio to memory only, at the peak (T_r of hits, 1.00: the same), and ratio of the worst 5 s of the ramp to the quiet phase before (p99 of hits):\n\n")
        records.table(text, ("cache", "p50", "p95", "p99", "ramp / quiet, p99"), [
            [variant] + ["%.2f" % (times(variant, "peak", "hit", key) / times("memory", "peak", "hit", key)) for key in ("p50", "p95", "p99")]
            + ["%.2f" % middle([bump(run) for run in runs[variant]])] for variant in runs])
    text.write("Decisions of the proxy, in seconds since the start of the load (quiet until %.0f, peak from %.0f to %.0f):\n\n" % tuple(
        next(iter(runs.values()))[0].phases[phase][edge] for phase, edge in (("before", "to"), ("peak", "from"), ("peak", "to"))))
    decided = []
    for variant in runs:
        for number, run in enumerate(runs[variant]):
            for second, peak, ground, reason in run.switches():
                decided.append((variant, number + 1, "%.1f" % second, "memory only" if peak else "memory and disk", ground, reason))
                if number == 0:
                    switches.append("%f %d \"%s\"\n" % (second, peak, variant))
    records.table(text, ("cache", "round", "at", "decision", "ground", "reason"), decided)

records.blocks(work + "/hybrid.dat", ['"%s"\n' % variant + "".join(
    "%d %f %f\n" % (piece["fromSeconds"] + run.load["sliceSeconds"] / 2, piece["wished"] / run.load["sliceSeconds"], millis(piece["responseMicros"]["hit"], "p99"))
    for run in runs[variant][:1] for piece in run.load["slices"] if piece["responseMicros"]["hit"]["count"]) for variant in runs])
open(work + "/switches.dat", "w").write("".join(switches) or "0 0 \"\"\n")
