"""Figures 2.8 and 2.11 to 2.13: one server, once by its access log, once by the packets."""

import json
import math
import sys

import records

CELLS_A_DECADE = 8


class Open:
    """The number of open intervals: time-weighted mean and highest value of each second."""

    def __init__(self, intervals):
        self.mean, self.highest, self.begun = {}, {}, {}
        edges = sorted([(start, 1) for start, _ in intervals] + [(end, -1) for _, end in intervals])
        now, since = 0, edges[0][0] if edges else 0
        for at, step in edges:
            self._hold(now, since, at)
            now, since = now + step, at
            second = at // 1_000_000
            self.highest[second] = max(self.highest.get(second, 0), now)
        for start, _ in intervals:
            self.begun[start // 1_000_000] = self.begun.get(start // 1_000_000, 0) + 1

    def _hold(self, count, begin, end):
        while begin < end:
            second = begin // 1_000_000
            upto = min(end, (second + 1) * 1_000_000)
            self.mean[second] = self.mean.get(second, 0) + count * (upto - begin) / 1e6
            self.highest[second] = max(self.highest.get(second, 0), count)
            begin = upto


def histogram(path, values):
    counts = {}
    for value in values:
        cell = math.floor(math.log10(max(value, 1)) * CELLS_A_DECADE)
        counts[cell] = counts.get(cell, 0) + 1
    with open(path, "w", encoding="utf-8") as out:
        for cell in range(min(counts), max(counts) + 1):
            middle = 10 ** ((cell + 0.5) / CELLS_A_DECADE) / 1000
            out.write(f"{middle:g} {100 * counts.get(cell, 0) / len(values):g}\n")


def from_log(path):
    """(start, end) in microseconds of every request in the log, from its arrival and its duration."""
    intervals = []
    for line in open(path, encoding="ascii", errors="replace"):
        parts = line.split()
        if len(parts) == 5 and parts[4] == "GET":  # Apache also sends requests to itself, to wake its children (OPTIONS)
            start = int(parts[0])
            intervals.append((start, start + int(parts[1])))
    return intervals


def main(work, out):
    log = from_log(f"{work}/logs/apache-access.log")
    windows, log_windows, connections, round_trips, abnormal = {}, [], [], [], 0
    for record in records.read(f"{work}/agent.out", "serviceWindow", "accessLogWindow", "connection"):
        if record["type"] == "serviceWindow":
            windows[record["fromMicros"] // 1_000_000] = record
        elif record["type"] == "accessLogWindow":
            log_windows.append(record)
        else:
            connections.append(record["durationMicros"])
            if "clientRttMicros" in record:
                round_trips.append(record["clientRttMicros"])
            abnormal += record["state"] != "normal"
    by_log = Open(log)
    busy = [s for s in sorted(windows) if windows[s]["arrivals"] or windows[s]["concurrentMax"]]
    first, last = busy[0], busy[-1]
    with open(f"{work}/series.dat", "w", encoding="utf-8") as dat:
        for second in range(first, last + 1):
            window = windows[second]
            dat.write("%g %g %g %g %g\n" % (
                (second - first) / 60, window["concurrentMean"], by_log.mean.get(second, 0),
                window["arrivals"], by_log.begun.get(second, 0)))
    durations = sorted(end - start for start, end in log)
    connections.sort()
    round_trips.sort()
    histogram(f"{work}/packets.hist", connections)
    histogram(f"{work}/log.hist", durations)
    load = json.load(open(f"{work}/load.out"))
    # The busiest seconds by each view: each has its own peak, as the thesis compares them.
    peak_packets = max(windows[s]["concurrentMax"] for s in busy)
    peak_log = max(by_log.highest.values())
    peak_mean_packets = max(windows[s]["concurrentMean"] for s in busy)
    peak_mean_log = max(by_log.mean.values())
    whole_packets = sum(windows[s]["concurrentMean"] for s in busy) / len(busy)
    whole_log = sum(by_log.mean.get(s, 0) for s in busy) / len(busy)
    lost = sum(w["droppedPackets"] + w["unseenSegments"] for w in windows.values())
    with open(f"{out}/results.md", "w", encoding="utf-8") as text:
        text.write("# Figures 2.8 and 2.11 to 2.13 on this machine\n\n" + open(f"{work}/conditions.md").read() + "\n")
        ratio = lambda a, b: f"{a / b:,.0f}" if b else "–"
        records.table(text, ["", "by the server's log", "by packets", "packets / log", "thesis (log, packets)"], [
            ["N_c, highest", f"{peak_log:,}", f"{peak_packets:,}", ratio(peak_packets, peak_log), "550, 13,000"],
            ["N_c, highest mean of a second", f"{peak_mean_log:,.2f}", f"{peak_mean_packets:,.1f}", ratio(peak_mean_packets, peak_mean_log), ""],
            ["N_c, mean of the whole run", f"{whole_log:,.3f}", f"{whole_packets:,.1f}", ratio(whole_packets, whole_log), ""],
            ["T_c median, ms", records.millis(records.quantile(durations, 0.5)), records.millis(records.quantile(connections, 0.5)),
             ratio(records.quantile(connections, 0.5), records.quantile(durations, 0.5)), "about 1, about 20 (most frequent)"],
            ["T_c p99, ms", records.millis(records.quantile(durations, 0.99)), records.millis(records.quantile(connections, 0.99)),
             ratio(records.quantile(connections, 0.99), records.quantile(durations, 0.99)), ""],
            ["connections", f"{len(log):,}", f"{len(connections):,}", "", "mostly the same"],
        ])
        if log_windows:
            entries = sum(w["entries"] for w in log_windows)
            text.write(f"The same log, read by the agent together with the packets, in complete windows: {entries:,} entries, N_c highest "
                       f"{max(w['concurrentMax'] for w in log_windows):,}, highest mean of a window "
                       f"{max(w['concurrentMean'] for w in log_windows):,.2f}.\n\n")
        shares = [records.millis(records.quantile(round_trips, share)) for share in (0.05, 0.5, 0.95)]
        text.write(f"Round trip to the clients by their handshakes, ms: {' / '.join(shares)} (5th, 50th and 95th percentile; the path alone: "
                   "125 / 350 / 575; a preceding response on the client's line adds to it).\n\n")
        text.write(f"Visitors sent: {load['came']:,}; responses: {load['answers']:,}; failed visits: "
                   f"{load['refused'] + load['timedOut'] + load['broken'] + load['turnedAway']:,}; connections not ended normally: "
                   f"{abnormal:,}; packets the monitor lost: {lost:,}; visitors sent > 5 ms late: {load['late']:,}.\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
