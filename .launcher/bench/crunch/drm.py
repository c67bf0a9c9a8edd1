"""The bytes and document times of bench drm: means over the seeds, with their spread."""

import json
import statistics
import sys

import records

work, out, seconds, loss, control = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
cells = {}
for line in open(work + "/runs.txt"):
    http, keep, visitors, scheme, seed = line.split()
    name = "-".join((http, keep, visitors, scheme, seed))
    begin, end = (int(n) for n in open("%s/moved-%s.txt" % (work, name)))
    told = json.load(open("%s/load-%s.json" % (work, name)))["all"]
    cells.setdefault((http, keep, int(visitors), scheme), []).append(((end - begin) / 1e6, told))


def spread(values):
    return "%.0f (%.0f to %.0f)" % (statistics.mean(values), min(values), max(values))


def mean_millis(runs, upper):
    """The mean over all responses of this size class of all seeds."""
    count = total = 0
    for _, told in runs:
        for size in told["sizes"]:
            if size["upToBytes"] == upper and size["wholeMicros"]["count"]:
                count += size["wholeMicros"]["count"]
                total += size["wholeMicros"]["count"] * size["wholeMicros"]["mean"]
    return total / count / 1000 if count else None


def wish_seconds(told):
    """The mean over all requests. One that was given up counts with its full timeout; without it, a scheme that serves few would look good."""
    whole = told["wholeMicros"]
    return (whole["count"] * whole["mean"] / 1e6 + told["timedOut"] * 60) / max(1, whole["count"] + told["timedOut"])


with open(out + "/results.md", "w") as text:
    text.write("# Connections and buffers, managed in four ways\n\n" + open(work + "/conditions.md").read())
    text.write("\nLoss %s each way on both paths, %s. Bytes through both sides of the proxy in %d s after a warm-up of 30 s, mean of the seeds (lowest to highest).\n\n" % (loss, control, seconds))
    text.write("| HTTP | keep-alive, s | visitors | scheme | MB moved | documents served | refusals | broken off | given up after 60 s | request, mean s (including those given up) | served, mean ms: up to 4 KB | up to 64 KB | up to 1 MB |\n")
    text.write("|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
    for (http, keep, visitors, scheme), runs in cells.items():
        times = [mean_millis(runs, upper) for upper in (4096, 65536, 1048576)]
        text.write("| %s | %s | %d | %s | %s | %s | %s | %s | %s | %s | %s |\n" % (http, keep, visitors, scheme, spread([mb for mb, _ in runs]),
            spread([t["answered"] for _, t in runs]), spread([t["refused"] + t["serverErrors"] + t["postponed"] for _, t in runs]), spread([t["broken"] for _, t in runs]), spread([t["timedOut"] for _, t in runs]),
            "%.1f" % statistics.mean(wish_seconds(t) for _, t in runs),
            " | ".join("–" if t is None else "%.0f" % t for t in times)))

schemes = sorted({k[3] for k in cells})
most = max(k[2] for k in cells)


def moved(which):
    for (_, _, visitors, scheme), runs in sorted(cells.items()):
        if scheme == which:
            values = [mb for mb, _ in runs]
            yield "%d %f %f %f\n" % (visitors, statistics.mean(values), min(values), max(values))


def times(which):
    runs = next(r for (_, _, visitors, scheme), r in cells.items() if scheme == which and visitors == most)
    for upper in (1024, 4096, 16384, 65536, 262144, 1048576):
        millis = mean_millis(runs, upper)
        if millis is not None:
            yield "%d %f\n" % (upper, millis)


records.blocks(work + "/bytes.dat", ['"scheme %s"\n' % s + "".join(moved(s)) for s in schemes])
records.blocks(work + "/sizes.dat", ['"scheme %s"\n' % s + "".join(times(s)) for s in schemes])
