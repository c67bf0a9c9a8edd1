"""Days of bench rhythm: the switches to memory only relative to the beginnings of the peaks, the results of the visitors, and the points of a figure."""

import sys

import records
from hybrid_runs import Run, failures, hit_ratio, millis, shown

work, out, day, kinds = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4].split()
run = Run(work, "rhythm")
switches = run.switches()


def is_peak(second):
    before = [peak for at, peak, _, _ in switches if at <= second]
    return bool(before) and before[-1]


def seconds_of_peak(begin, end):
    return sum(is_peak(begin + step / 10) for step in range(int((end - begin) * 10))) / 10


rows, meetings = [], []
for number, kind in enumerate(kinds, 1):
    part = {name: run.phases["d%d-%s" % (number, name)] for name in ("before", "up", "peak", "down", "after")}
    begin, end = part["before"]["from"], part["after"]["to"]
    mine = [s for s in switches if begin <= s[0] < end and s[1]]
    met = [s for s in mine if s[0] < part["peak"]["to"]]
    # The switch that is effective when the ramp ends, otherwise the first one: earlier ones that ended were others.
    last = met[-1] if met and is_peak(part["peak"]["from"]) else None
    ahead = "–" if kind == "none" else "never" if last is None else "%+.1f s" % (part["up"]["from"] - last[0])
    rows.append((
        number, kind, ahead, "–" if last is None and not mine else (last or mine[0])[2], (last or mine[0])[3] if last or mine else "–",
        "%.0f s" % seconds_of_peak(begin, end), "%.0f s" % sum(part[p]["seconds"] for p in ("up", "peak", "down")) if kind != "none" else "0 s"))
    tallies = [part[p] for p in ("before", "up", "peak", "down", "after")]
    meetings.append((
        number, kind,
        *(" / ".join(shown(millis(part[p]["responseMicros"]["hit"], key)) for key in ("p50", "p95", "p99")) for p in ("before", "up", "peak", "after")),
        *("%.1f %%" % hit_ratio(part[p]) for p in ("before", "up", "peak", "after")),
        "%.1f %%" % run.share_from_disk(part["before"]),
        sum(failures(t) for t in tallies)))

with open(out + "/rhythm.md", "w") as text:
    text.write("# A daily peak, learned\n\n" + open(work + "/conditions.md").read() + "\n")
    text.write("Days of %.0f s; on usual days the ramp begins at %.0f s, on the early day at %.0f, on the late day at %.0f. \"Ahead\": time from the switch to memory only until the ramp "
               "begins (below 0: the switch came after the beginning).\n\n" % (day, 0.4 * day, 0.3 * day, 0.5 * day))
    records.table(text, ("day", "peak", "ahead", "ground", "reason", "memory only for", "ramp to ramp"), rows)
    text.write("T_r of hits, p50 / p95 / p99 in ms, and share of hits in all responses. On the day without a peak all parts are quiet.\n\n")
    records.table(text, ("day", "peak", "quiet before", "ramp up", "peak", "quiet after", "hits before", "ramp", "peak", "after", "from disk, before", "failed"), meetings)
    text.write("All switches, in seconds since the beginning of the first day:\n\n")
    records.table(text, ("at", "time of day", "decision", "ground", "reason"), [
        ("%.1f" % at, "%.1f of day %d" % (at % day, at // day + 1), "memory only" if peak else "memory and disk", ground, reason) for at, peak, ground, reason in switches if at >= 0])

with open(work + "/rhythm.dat", "w") as data:
    for piece in run.load["slices"]:
        if piece["responseMicros"]["hit"]["count"]:
            data.write("%f %f %f\n" % (piece["fromSeconds"] + run.load["sliceSeconds"] / 2, piece["wished"] / run.load["sliceSeconds"], millis(piece["responseMicros"]["hit"], "p99")))
with open(work + "/switches.dat", "w") as data:
    edges = [s for s in switches if s[0] >= 0]
    for at, peak, ground, _ in edges:
        if peak:
            ends = [s[0] for s in edges if s[0] > at and not s[1]]
            data.write("%f %f %d\n" % (at, ends[0] if ends else len(kinds) * day, ground == "expected"))
    data.write("-1 -1 0\n")
