"""What bench front's ways cost, beside nginx."""

import json
import statistics
import sys

import records

work, out, length, rate, seconds = sys.argv[1:6]
rounds = [json.loads(line) for line in open(work + "/rounds.txt")]
ways = [line.split()[0] for line in open(work + "/ways.txt")]
TELL = {"direct": "nothing", "nginx": "nginx", "one": "one organizer", "two": "two, the line in TLS", "clear": "two, the line in the clear"}


def all_of(way, loop, value):
    return [value(one) for one in rounds if one["way"] == way and one["loop"] == loop]


def micros(one):
    return 1e6 * one["processor"] / max(1, one["answered"])


def row(way, loop):
    cost = all_of(way, loop, micros)
    nginx = statistics.median(all_of("nginx", loop, micros) or [0])
    p50 = statistics.median(all_of(way, loop, lambda one: one["p50"]))
    direct = statistics.median(all_of("direct", loop, lambda one: one["p50"]) or [p50])
    return (TELL[way], "%.1f (%s)" % (statistics.median(cost), ", ".join("%.1f" % one for one in cost)),
            "%.2f" % (statistics.median(cost) / nginx) if nginx else "–", "%.0f" % statistics.median(all_of(way, loop, lambda one: one["answered"] / one["seconds"])),
            "%.0f" % p50, "%+.0f" % (p50 - direct), "%.0f" % statistics.median(all_of(way, loop, lambda one: one["p99"])),
            str(sum(all_of(way, loop, lambda one: one["failures"] + one["wrongStatus"] + one["wrongLength"]))))


with open(out + "/results.md", "w") as text:
    text.write("# What organizers in front cost\n\n" + open(work + "/conditions.md").read() + "\n")
    for loop, tell in (("open", "%s requests/s" % rate), ("closed", "As many as there is room for")):
        text.write("\n%s, %s bytes each, 64 connections, %s s; medians, all rounds in brackets.\n\n" % (tell, length, seconds))
        records.table(text, ("on the way", "CPU µs a request", "of nginx's", "requests/s", "p50, µs", "more than without", "p99, µs", "failed"), [row(way, loop) for way in ways])
