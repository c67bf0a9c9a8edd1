"""The processor time of bench management's proxies, by way and thread."""

import json
import sys

import records

work, out, connections, rate, seconds = sys.argv[1:6]
ways = {}
for line in open(work + "/runs.txt"):
    way, name = line.split()
    ways.setdefault(way, []).append(json.loads(open("%s/clients-%s.out" % (work, name)).read()))
TELL = {"off": "all off", "idle": "idle connections monitored", "shares": "… and shares of a budget"}


def percent(run, chosen):
    return 100 * sum(took for name, took in run["threads"].items() if chosen(name)) / run["seconds"]


def shown(runs, chosen):
    """The values with three digits, because they are small."""
    return " / ".join("%.3f" % percent(run, chosen) for run in runs)


def own(name):
    return name.startswith(("komainu-resou", "komainu-buffe"))


def loop(name):
    return name.startswith(("komainu-loop", "komainu-work", "multiThreadIoE"))


def compiler(name):
    return name.startswith(("C1 ", "C2 "))


with open(out + "/results.md", "w") as text:
    text.write("# %s connections: the cost of their management\n\n" % connections + open(work + "/conditions.md").read() + "\n")
    text.write("%s requests a second over random connections, %s s after a warm-up of the same length; percent of one processor, separated by round.\n\n" % (rate, seconds))
    records.table(text, ("management", "its own threads", "event loop", "compilers", "all threads", "responses/s", "p50, ms", "p99, ms", "closed by the proxy", "stolen, %"), [
        (TELL[way], shown(runs, own), shown(runs, loop), shown(runs, compiler), shown(runs, lambda name: True),
         " / ".join("%.0f" % (run["answered"] / run["seconds"]) for run in runs), " / ".join("%.2f" % run["p50Millis"] for run in runs),
         " / ".join("%.1f" % run["p99Millis"] for run in runs), " / ".join(str(run["closed"]) for run in runs), " / ".join("%.1f" % run["stolenPercent"] for run in runs))
        for way, runs in ways.items()])
