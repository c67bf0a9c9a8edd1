"""The results of bench tmproxy's loads: a table, and the points of two figures."""

import datetime
import json
import sys

import records

work, out = sys.argv[1:3]
runs = [line.split() for line in open(work + "/runs.txt")]
conditions = open(work + "/conditions.md").read()


def millis(times, key):
    return times[key] / 1000 if times["count"] else float("nan")


def shown(value):
    return "–" if value != value else "%.2f" % value if value < 10 else "%.0f" % value


class Seconds:
    """The samples of each second, on the clock of the load."""

    def __init__(self, path, began):
        self.lines = [[float(word) for word in line.split()] for line in open(path)]
        self.began = began

    def over(self, begin, end, column):
        """The growth of a count between two times of the load."""
        inside = [line for line in self.lines if begin <= line[0] - self.began <= end]
        return (inside[-1][column] - inside[0][column], inside[-1][0] - inside[0][0]) if len(inside) > 1 else (float("nan"), 1)


def begin_of(told):
    return datetime.datetime.fromisoformat(told["began"][:26].rstrip("Z") + "+00:00").timestamp()


rows, peaks = [], {}
ramp = []


for proxy, rate in runs:
    told = json.load(open("%s/load-%s-%s.json" % (work, proxy, rate)))
    alone = int(open("%s/memory-%s-%s.txt" % (work, proxy, rate)).read() or 0)
    phases = {p["name"]: p for p in told["phases"]}

    def failures(p):
        return sum(p[k] for k in ("refused", "timedOut", "broken", "malformed", "ownLimit", "turnedAway", "serverErrors"))

    figures = {}
    for name in ("before", "peak", "after", "up", "top", "down"):
        p = phases[name]
        hits = p["responseMicros"]["hit"]
        figures[name] = (millis(hits, "p50"), millis(hits, "p95"), failures(p), 100 * p["hit"] / p["answered"] if p["answered"] else 0)
    peak = phases["peak"]
    seconds = Seconds("%s/seconds-%s-%s.out" % (work, proxy, rate), begin_of(told))
    memory = max([alone] + [line[2] for line in seconds.lines]) // 1024
    peak_begins = sum(p["seconds"] for p in told["phases"][:2])
    processor, passed = seconds.over(peak_begins, peak_begins + peak["seconds"], 1)
    syns, _ = seconds.over(0, sum(p["seconds"] for p in told["phases"]) + 60, 3)
    rows.append("| %s | %s | %s | %s / %s | %s | %s / %s | %.1f %% | %d | %d | %d | %.0f %% | %s | %d |" % (
        proxy, rate, shown(figures["before"][0]), shown(figures["peak"][0]), shown(figures["peak"][1]), shown(figures["after"][0]),
        shown(figures["top"][0]), shown(figures["top"][1]), figures["peak"][3], figures["before"][2] + figures["after"][2], figures["peak"][2] + figures["top"][2],
        syns, 100 * processor / passed, "%.1f %%" % (100 * peak["late"] / max(1, peak["wished"])), memory))
    peaks.setdefault(proxy, []).append((int(rate), figures["peak"][0], (figures["before"][0] + figures["after"][0]) / 2))
    if rate == runs[-1][1]:
        ramp.append('"%s"\n' % proxy + "".join(
            "%d %f %f\n" % (piece["fromSeconds"], piece["wished"] / told["sliceSeconds"], millis(piece["responseMicros"]["hit"], "p95"))
            for piece in told["slices"] if piece["responseMicros"]["hit"]["count"]))

records.blocks(work + "/ramp.dat", ramp)
records.blocks(work + "/peaks.dat", ['"%s"\n' % proxy + "".join("%d %f %f\n" % point for point in points) for proxy, points in peaks.items()])

with open(out + "/results.md", "w") as text:
    text.write("# Peaks: response times for visitors\n\n" + conditions + "\n")
    text.write("T_r of hits in ms. \"late\": requests that the load itself sent more than 5 ms late at the peak; when there are many, the machine was too small for that rate.\n\n")
    text.write("| proxy | peak, requests/s | quiet before, p50 | peak, p50 / p95 | quiet after, p50 | top of the ramp, p50 / p95 | hits at the peak | failed, quiet | failed, peaks | SYNs repeated | share of its processor at the peak | late | highest memory, MB |\n")
    text.write("|" + 13 * "---|" + "\n" + "\n".join(rows) + "\n")
