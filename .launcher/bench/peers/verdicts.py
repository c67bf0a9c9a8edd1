"""The soak's criteria, each with its verdict, and its tables."""

import statistics

import census
from table import table

# RSS, descriptors and live objects may differ by this share.
FLAT = 0.03
# Fewer new instances of a class than this are no growth: for an hour the proxy keeps a sample of its figures each minute.
FEW = 64
# Statuses of the caller that are no statuses of HTTP, or not only.
WORDS = {0: "broken", 200: "200, incomplete"}
# Counters of what the proxy itself refuses or cannot do: none of these may count anything.
OWN_ERRORS = ["malformed_requests_total", "head_timeouts_total", "slow_bodies_total", "stalled_writes_total", "http2_floods_total", "origin_shortages_total",
    "refused_connections_total", "cache_no_room_total"]
# What must be zero when no request is in progress.
IN_PROGRESS = ["client_connections", "exchanges_in_flight", "fetches_in_flight", "passing", "read_ahead_reserved_bytes",
    'cache_part_bytes{part="moving"}']


def within(before, after):
    return abs(after - before) <= FLAT * before


def tenth(series, key, last):
    """Median of the first or last tenth of the series."""
    few = max(1, len(series) // 10)
    return statistics.median(one[key] for one in (series[-few:] if last else series[:few]))


def verdicts(before, after, phase, errors, peer):
    """Each criterion: (text, before, after, whether it holds)."""
    number = lambda value: "%.1f" % value if isinstance(value, float) and value != round(value) else "{:,.0f}".format(value)
    lines = []

    def flat(text, old, new):
        lines.append((text, number(old), number(new), within(old, new)))

    def none(text, count, detail=""):
        lines.append((text, "0", number(count) + detail, not count))

    flat("live objects, bytes", before["liveBytes"], after["liveBytes"])
    ours = [one for one in census.grown(before["classes"], after["classes"], FLAT, FEW) if one[0].startswith(("dev.komainu", "io.netty"))]
    none("classes of the proxy and of Netty that grew", len(ours), "".join("; %s %d → %d" % one[:3] for one in ours[:5]))
    for key, text in (("rss", "RSS without traffic, MB"), ("pss", "PSS without traffic, MB"), ("threads", "threads")):
        flat(text, before[key], after[key])
    flat("descriptors without traffic", sum(before["descriptors"].values()), sum(after["descriptors"].values()))
    for key, text in (("rss", "RSS under traffic, first and last tenth, MB"), ("besidesConnections", "descriptors other than connections under traffic")):
        flat(text, tenth(phase.series, key, False), tenth(phase.series, key, True))
    none("still in progress without traffic", sum(after["metrics"].get(key, 0) for key in IN_PROGRESS))
    balance = lambda page: page["requests_total"] - census.outcomes(page)
    none("requests without an outcome", balance(after["metrics"]))
    done = after["metrics"]["reloads_total"] - before["metrics"]["reloads_total"]
    refused = after["metrics"]["reloads_refused_total"] - before["metrics"]["reloads_refused_total"]
    wanted = phase.misfortunes.counts.get("reloads", 0), phase.misfortunes.counts.get("reloads refused", 0)
    lines.append(("reloads, and refused ones", "%d, %d" % wanted, "%d, %d" % (done, refused), wanted == (done, refused)))
    none("errors that no origin made", sum(of["others"] for of in errors.values()))
    none("refused by the proxy itself", sum(after["metrics"][key] - before["metrics"][key] for key in OWN_ERRORS))
    none("orders and pages of the control endpoint without a response", len(phase.misfortunes.unanswered))
    none("errors in the log", len(peer.log_errors()))
    return lines


def report(result, before, after, phase, errors, lines):
    offered = sum(rate for _, rate in phase.calls)
    minutes = [sum(phase.per_second[at:at + 60]) / 60 for at in range(0, len(phase.per_second) - 59, 60)]
    print("\nOffered %.0f requests/s, answered %.0f; minutes with at least 95 %% of the offered rate: %d of %d" % (
        offered, sum(phase.per_second) / phase.seconds, sum(rate >= 0.95 * offered for rate in minutes), len(minutes)))
    print("Traffic: %s" % "; ".join("%s %d" % one for one in sorted(phase.misfortunes.counts.items())))
    rows = []
    for part, rate in phase.calls:
        of, told = errors[part.name], phase.latencies[part.name]
        made = ", ".join("%s: %d" % (WORDS.get(status, status), count) for status, count in sorted(of["originMade"].items()))
        rows.append([part.text, "%.0f" % rate, of["answered"], "%.2f" % (told["p50"] / 1000), "%.1f" % (told["p99"] / 1000), made, of["waitingAtEnd"] or "", of["others"]])
    print(table(["", "requests/s", "responses", "p50 ms", "p99 ms", "errors made by an origin", "not yet answered at the end", "other errors"], rows))
    grown = census.grown(before["classes"], after["classes"], FLAT, FEW)
    print("\nClasses with more objects than before (more than %d %% and %d instances):" % (FLAT * 100, FEW))
    print(table(["class", "before", "after", "bytes more"], grown[:25] or [["none", "", "", ""]]))
    result["grown"] = grown
    print("\nConnections by state: %s → %s; descriptors: %s → %s" % (before["connections"], after["connections"], before["descriptors"], after["descriptors"]))
    print()
    print(table(["", "before, or expected", "after", "verdict"], [[*line[:3], "holds" if line[3] else "FAILS"] for line in lines]), flush=True)
