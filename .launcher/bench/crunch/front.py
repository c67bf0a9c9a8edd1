"""The cost of the ways of bench front, compared with nginx."""

import json
import statistics
import sys

import records

work, out, length, rate, seconds = sys.argv[1:6]
rounds = [json.loads(line) for line in open(work + "/rounds.txt")]
ways = [line.split()[0] for line in open(work + "/ways.txt")]
TELL = {"direct": "nothing", "nginx": "nginx", "one": "one organizer", "two": "two organizers, the line in TLS", "clear": "two organizers, the line in the clear"}


def all_of(way, loop, value):
    return [value(one) for one in rounds if one["way"] == way and one["loop"] == loop]


def micros(one):
    return 1e6 * one["processor"] / max(1, one["answered"])


def row(way, loop):
    cost = all_of(way, loop, micros)
    nginx = statistics.median(all_of("nginx", loop, micros) or [0])
    p50 = statistics.median(all_of(way, loop, lambda one: one["p50"]))
    direct = statistics.median(all_of("direct", loop, lambda one: one["p50"]) or [p50])
    name, _, build = way.partition("-")
    return (TELL[name] + (", %s" % build if build else ""), "%.1f (%s)" % (statistics.median(cost), ", ".join("%.1f" % one for one in cost)),
            "%.2f" % (statistics.median(cost) / nginx) if nginx else "–", "%.0f" % statistics.median(all_of(way, loop, lambda one: one["answered"] / one["seconds"])),
            "%.0f" % p50, "%+.0f" % (p50 - direct), "%.0f" % statistics.median(all_of(way, loop, lambda one: one["p99"])),
            str(sum(all_of(way, loop, lambda one: one["failures"] + one["wrongStatus"] + one["wrongLength"]))))


def against_old(way, loop):
    """The difference between two runs of another build, which is noise, and the difference of this build to it."""
    old, again, new = (all_of(way + build, loop, micros) for build in ("-old", "-again", ""))
    both = sorted(old + again)
    middle = statistics.median(both)
    return (TELL[way], loop, *("%.1f" % statistics.median(of) for of in (old, again, new)),
            "%+.1f" % (100 * (statistics.median(again) / statistics.median(old) - 1)), "%.1f" % (100 * (both[-1] - both[0]) / middle),
            "%+.1f" % (100 * (statistics.median(new) / middle - 1)))


with open(out + "/results.md", "w") as text:
    text.write("# The cost of organizers in front of a server\n\n" + open(work + "/conditions.md").read() + "\n")
    for loop, tell in (("open", "%s requests/s" % rate), ("closed", "As many requests as possible")):
        text.write("\n%s, %s bytes each, 64 connections, %s s; medians, all rounds in brackets.\n\n" % (tell, length, seconds))
        records.table(text, ("on the way", "CPU µs a request", "÷ nginx", "requests/s", "p50, µs", "p50 added, µs", "p99, µs", "failed"), [row(way, loop) for way in ways])
    pairs = [way for way in TELL if way + "-old" in ways and way in ways]
    if pairs:
        text.write("\nCPU µs a request, compared with another build in the same rounds.\n\n")
        records.table(text, ("on the way", "loop", "old", "again", "new", "again/old %", "spread of old and again %", "new/old %"),
            [against_old(way, loop) for loop in ("open", "closed") for way in pairs])
