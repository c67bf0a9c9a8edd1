"""Chapter 5: the data of both monitors about the proxy at each rate, compared with those of load, proxy and origin themselves."""

import json
import sys

import records

CLIENT, ORIGIN = "proxy:7680", "10.92.0.10:8080"
NORMAL = "normal"
# The origin thinks for at least 1.5 s, so an earlier response was not fetched.
HIT_BELOW_MICROS = 1_000_000
# As in thesis-5.sh.
LEAD_IN_SECONDS = 10


class Side:
    """One side of the proxy during one run."""

    def __init__(self):
        self.windows = []
        self.arrivals = self.requests = self.bytes = self.abnormal = self.connections = 0
        self.lost = 0

    def window(self, record):
        self.windows.append(record)
        self.arrivals += record["arrivals"]
        self.requests += record["requests"]
        self.bytes += record["wireBytesDown"]
        self.lost += record["unseenSegments"]

    def trimmed(self):
        """From the first arrival to the last end."""
        return [w for w in self.windows if w["arrivals"] or w["ended"] or w["concurrentMax"]]


class Run:
    def __init__(self, work, rate):
        self.rate = int(rate)
        self.load = json.load(open(f"{work}/load-{rate}.out"))
        self.sides = {CLIENT: Side(), ORIGIN: Side()}
        self.hits, self.misses, self.hit_transfer, self.miss_transfer = [], [], [], []
        self.origin_rtt = []
        self.grid_points = []
        self.dropped = {}
        for record in records.read(f"{work}/agent-{rate}.out", "connection", "serviceWindow"):
            side = self.sides.get(record["service"])
            if side is None:
                continue
            if record["type"] == "serviceWindow":
                side.window(record)
                # The kernel's drops belong to the source and are in every service's window.
                self.dropped[record["fromMicros"]] = record["droppedPackets"]
                continue
            side.connections += 1
            side.abnormal += record["state"] != NORMAL
            if record["service"] == ORIGIN and "serverRttMicros" in record:
                self.origin_rtt.append(record["serverRttMicros"])
            if record["service"] == CLIENT and "transferMicros" in record:
                for exchange in record.get("exchanges", [])[:1]:
                    response = exchange.get("responseMicros")
                    if response is None:
                        continue
                    transfer = record["transferMicros"]
                    hit = response < HIT_BELOW_MICROS
                    (self.hits if hit else self.misses).append(response)
                    (self.hit_transfer if hit else self.miss_transfer).append(transfer)
                    self.grid_points.append((max(response, 1), max(transfer, 1)))
        for values in (self.hits, self.misses, self.hit_transfer, self.miss_transfer, self.origin_rtt):
            values.sort()
        self.own_asked, self.own_hits = map(float, open(f"{work}/own-{rate}.txt").read().split())

    def outside(self):
        client, origin = self.sides[CLIENT], self.sides[ORIGIN]
        return 1 - origin.requests / client.requests

    def outside_steady(self):
        asked = sum(w["requests"] for w in self.steady(CLIENT))
        return 1 - sum(w["requests"] for w in self.steady(ORIGIN)) / asked if asked else None

    def steady(self, name):
        """Without the lead-in, in which every object is new, and without the end, when nobody comes any more."""
        whole = self.sides[CLIENT].trimmed()
        start = whole[0]["fromMicros"] + LEAD_IN_SECONDS * 1_000_000
        last = max(w["fromMicros"] for w in whole if w["arrivals"])
        return [w for w in self.sides[name].windows if start <= w["fromMicros"] < last]

    def own(self):
        return self.own_hits / self.own_asked if self.own_asked else None

    def saved(self):
        return 1 - self.sides[ORIGIN].bytes / self.sides[CLIENT].bytes


def series(work, runs):
    """For gnuplot: one block a run; minutes on the common axis, then both sides' indices, means over a step."""
    longest = max(len(run.sides[CLIENT].trimmed()) for run in runs)
    step = 10 if longest >= 300 else 2
    at = 0.0
    with open(f"{work}/series.dat", "w", encoding="utf-8") as out:
        for run in runs:
            sides = {name: {w["fromMicros"]: w for w in side.windows} for name, side in run.sides.items()}
            first = run.sides[CLIENT].trimmed()[0]["fromMicros"]
            last = run.sides[CLIENT].trimmed()[-1]["fromMicros"]
            seconds = (last - first) // 1_000_000 + 1
            for begin in range(0, seconds - seconds % step, step):
                row = [at + (begin + step / 2) / 60]
                for name in (CLIENT, ORIGIN):
                    windows = [sides[name].get(first + s * 1_000_000) for s in range(begin, begin + step)]
                    windows = [w for w in windows if w]
                    n = max(1, len(windows))
                    row += [
                        sum(w["arrivals"] for w in windows) / n,
                        sum(w["ended"] for w in windows) / n,
                        sum(w["concurrentMean"] for w in windows) / n,
                        sum(w["wireBytesDown"] + w["wireBytesUp"] for w in windows) * 8 / 1e6 / n,
                    ]
                out.write(" ".join("%g" % value for value in row) + "\n")
            out.write("\n\n")
            at += seconds / 60 + 0.05 * longest / 60
    return step


def percent(value):
    return "–" if value is None else "%.1f %%" % (100 * value)


def main(work, out, proxy, *rates):
    runs = [Run(work, rate) for rate in rates]
    step = series(work, runs)
    grid = records.Grid(8)
    for run in runs:
        for response, transfer in run.grid_points:
            grid.add(response, transfer)
    grid.write(f"{work}/clusters.dat", scale=1e-3)
    with open(f"{out}/results.md", "w", encoding="utf-8") as text:
        text.write(f"# Chapter 5 on this machine, {proxy}\n\n" + open(f"{work}/conditions.md").read() + "\n")
        rows = []
        for run in runs:
            client, origin = run.sides[CLIENT], run.sides[ORIGIN]
            at_client, at_origin = run.steady(CLIENT), run.steady(ORIGIN)
            rows.append([
                run.rate,
                "%.1f" % records.mean([w["arrivals"] for w in at_client]),
                "%.1f" % records.mean([w["ended"] for w in at_client]),
                "%.1f" % records.mean([w["arrivals"] for w in at_origin]),
                percent(run.outside_steady()), percent(run.outside()), percent(run.own()),
                "%.0f / %d" % (
                    records.mean([w["concurrentMean"] for w in at_client]), max(w["concurrentMax"] for w in at_client)),
                percent(run.saved()),
                f"{client.abnormal} + {origin.abnormal}",
            ])
        records.table(text, [
            "requests/s sent", "arriving at the proxy /s", "processed /s", "arriving at the origin /s",
            "hit ratio from outside, after the lead-in", "whole run, from outside", "whole run, by the proxy itself", "N_c mean / max (client side)",
            "traffic saved", "connections not ended normally (client + origin side)"], rows)
        text.write(records.busy(*(sum(run.load[key] for run in runs) for key in ("late", "came"))))
        text.write("Hits and misses, distinguished by packets alone (T_r below 1 s; the origin thinks for at least 1.5 s), in milliseconds:\n\n")
        rows = []
        for run in runs:
            for name, response, transfer in (("hits", run.hits, run.hit_transfer), ("misses", run.misses, run.miss_transfer)):
                if response:
                    rows.append([run.rate, name, len(response)] + [
                        records.millis(records.quantile(values, share))
                        for values in (response, transfer) for share in (0.5, 0.99)])
        records.table(text, ["requests/s", "", "count", "T_r median", "T_r p99", "T_d median", "T_d p99"], rows)
        rows = []
        for run in runs:
            load = run.load
            rows.append([
                run.rate, load["came"], load["answers"], load["serverErrors"],
                load["refused"] + load["timedOut"] + load["broken"] + load["turnedAway"],
                run.sides[CLIENT].connections, f"{load['late']} ({load['latestMicros'] / 1000:.1f} ms)",
                sum(run.dropped.values()) + sum(side.lost for side in run.sides.values()),
                " / ".join(records.millis(records.quantile(run.origin_rtt, share)) for share in (0.5, 0.99))])
        text.write("Reliability of the run itself:\n\n")
        records.table(text, [
            "requests/s", "visitors sent", "responses", "5xx among them", "failed visits",
            "connections the monitor recorded", "visitors sent > 5 ms late (worst)", "packets the monitor lost",
            "round trip to the origin, ms, median / p99 (configured: 200)"], rows)
        text.write(f"The figures show means over {step} s.\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
