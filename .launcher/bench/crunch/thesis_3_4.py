"""Section 3.4: the API's data of each run, as a table and as series for gnuplot."""

import json
import sys
from datetime import datetime

import records

LEAD_IN_SECONDS = 40
NAMES = {
    "normal": "normal",
    "saturated/sockets": "saturated: socket shortage",
    "saturated/processes": "saturated: server-process shortage",
    "saturated/cpu": "saturated: system-capacity shortage (CPU)",
    "saturated/memory": "saturated: system-capacity shortage (memory)",
    "stopped/restarting": "stopped: restart",
    "stopped/crashed": "stopped: crash",
}


def service_of(path, node, port):
    """The id of the service that this node's agent reported."""
    found = json.load(open(path, encoding="utf-8"))
    for one in found.get("items", found) if isinstance(found, dict) else found:
        if one["id"].startswith(node) and one["id"].endswith(":" + port):
            return one["id"]
    raise SystemExit("services: no %s:%s" % (node, port))


def second(instant):
    return datetime.fromisoformat(instant.replace("Z", "+00:00")).timestamp()


class Run:
    def __init__(self, work, line):
        self.name, self.kind, self.size, self.lead, self.rate = line.split()
        series = json.load(open(f"{work}/series-{self.name}.json", encoding="utf-8"))
        self.times = [second(t) if isinstance(t, str) else t for t in series["times"]]
        self.columns = series["columns"] if "columns" in series else series["series"]
        self.states = [(second(s["from"]), second(s["to"]) if s.get("to") else self.times[-1], s["state"]) for s in series["states"]]
        self.load = json.load(open(f"{work}/load-{self.name}.out", encoding="utf-8"))
        arrivals = self.columns["connectionsPerSecond"]
        self.first = next(t for t, v in zip(self.times, arrivals) if v)
        self.onset = self.first + LEAD_IN_SECONDS

    def under_load(self, name):
        """The measured part: after the lead-in, while visitors arrive."""
        last = max(t for t, v in zip(self.times, self.columns["connectionsPerSecond"]) if v)
        return [v for t, v in zip(self.times, self.columns[name]) if self.onset <= t <= last and v is not None]

    def named(self):
        """States of the measured part with the seconds from its onset to their beginning."""
        last = self.onset + len(self.under_load("connectionsPerSecond"))
        return [(max(0, begin - self.onset), min(end, last) - max(begin, self.onset), state)
                for begin, end, state in self.states if end > self.onset and begin < last]


def cell(values, digits=0):
    return "–" if not values else "%.*f (%.*f to %.*f)" % (digits, records.mean(values), digits, min(values), digits, max(values))


def main(work, out):
    runs = [Run(work, line) for line in open(f"{work}/runs.txt", encoding="utf-8") if line.strip()]
    for part in ("1", "2", "3"):
        at = 0
        with open(f"{work}/series-{part}.dat", "w") as series, open(f"{work}/states-{part}.dat", "w") as states:
            for run in runs:
                if not run.name.startswith(part):
                    continue
                shown = [i for i, t in enumerate(run.times) if t >= run.first - 2]
                for i in shown:
                    values = [run.columns[n][i] for n in ("connectionsPerSecond", "processedPerSecond", "concurrentMean", "hostCpuIdleShare")]
                    series.write("%g %s\n" % (at + run.times[i] - run.first, " ".join("nan" if v is None else "%g" % v for v in values)))
                series.write("\n\n")
                for begin, end, state in run.states:
                    if end > run.first and state not in ("normal", "unknown"):
                        states.write('%g %g "%s %s"\n' % (at + max(begin, run.first) - run.first, at + end - run.first, run.name, state))
                at += run.times[-1] - run.first + 10
            if states.tell() == 0:
                states.write('-2 -1 ""\n')
    with open(f"{out}/results.md", "w", encoding="utf-8") as text:
        text.write("# Section 3.4 on this machine\n\n" + open(f"{work}/conditions.md", encoding="utf-8").read() + "\n")
        rows = []
        for run in runs:
            named = "; ".join("%s after %.0f s, for %.0f s" % (NAMES.get(state, state), begin, length)
                for begin, length, state in run.named() if state not in ("normal", "unknown")) or "normal"
            rows.append([run.name, run.size, run.rate, cell(run.under_load("connectionsPerSecond")), cell(run.under_load("processedPerSecond")),
                cell(run.under_load("concurrentMean")), cell([100 * v for v in run.under_load("hostCpuIdleShare")]),
                cell(run.under_load("responseP50Millis")), named])
        text.write("Means (lowest to highest) over the seconds after the lead-in; the states that the state model named in them, in the words of the thesis:\n\n")
        records.table(text, ["run", "setting", "requests/s sent", "arrival /s", "processed /s", "currently processing", "CPU idle %", "T_r median, ms", "state"], rows)
        rows = [[run.name, run.load["came"], run.load["answers"], run.load["refused"], run.load["timedOut"], run.load["broken"] + run.load["turnedAway"],
            run.load["late"]] for run in runs]
        text.write("Visitors and their outcomes:\n\n")
        records.table(text, ["run", "visitors", "responses", "refused", "timed out", "broken or rejected", "sent > 5 ms late"], rows)
        text.write(records.busy(sum(r.load["late"] for r in runs if r.name[0] != "3"), sum(r.load["came"] for r in runs if r.name[0] != "3")))


if __name__ == "__main__":
    if sys.argv[1] == "--service":
        print(service_of(*sys.argv[2:]))
    else:
        main(*sys.argv[1:])
