"""Figures 4.5 to 4.12: the kernel's counts and the packets' indices of both servers, second by second."""

import json
import sys

import records

KINDS = ("apache", "nginx")
NAMES = {"apache": "Apache prefork", "nginx": "nginx, one worker"}
OWN, MACHINE = "the server's processes", "the whole machine"
MIB = 1 << 20


class Sample:
    """One second: the host's sample and, when packets were seen in it, the service's window."""

    def __init__(self, host, window, start, cpu):
        self.minute = (host["atMicros"] - start) / 60e6
        share = host["cpus"][min(cpu, len(host["cpus"]) - 1)]
        server = host["servers"][0] if host["servers"] else {}
        self.values = {
            "processes": server.get("processes"),
            "memory": (host["memoryFree"] + host["memoryCached"]) / MIB,
            "faults": host["minorFaults"],
            "majorFaults": host["majorFaults"],
            "switches": host["contextSwitches"],
            "calls": host.get("systemCalls"),
            "ownFaults": server.get("minorFaults"),
            "ownSwitches": server.get("contextSwitches"),
            "readWriteCalls": server.get("readWriteCalls"),
            "interrupts": host["interrupts"],
            "user": 100 * share["user"],
            "kernel": 100 * share["kernel"],
            "idle": 100 * (share["idle"] + share["iowait"]),
            "cores": server.get("cpuCores"),
            "resident": server.get("residentBytes", 0) / MIB,
            "arrivals": window and window["arrivals"],
            "ended": window and window["ended"],
            "concurrent": window and window["concurrentMean"],
            "mbit": window and (window["wireBytesUp"] + window["wireBytesDown"]) * 8 / 1e6,
            "responses": window and window["responses"],
        }


class Run:
    def __init__(self, work, kind, cpu):
        hosts, windows, self.response = [], {}, []
        for record in records.read(f"{work}/agent-{kind}.out", "hostSample", "serviceWindow", "connection"):
            if record["type"] == "hostSample":
                hosts.append(record)
            elif record["type"] == "serviceWindow":
                windows[record["fromMicros"]] = record
            else:
                self.response += [e["responseMicros"] for e in record.get("exchanges", []) if "responseMicros" in e]
        self.response.sort()
        self.load = json.load(open(f"{work}/load-{kind}.out"))
        busy = [w for w in sorted(windows) if windows[w]["arrivals"]]
        self.start = busy[0]
        self.samples, self.rest = [], []
        for host in hosts[1:]:
            second = host["atMicros"] // 1_000_000 * 1_000_000 - 1_000_000
            sample = Sample(host, windows.get(second), self.start, cpu)
            if sample.minute < 0:
                self.rest.append(sample)
            else:
                self.samples.append(sample)
        self.lost = sum(w["droppedPackets"] + w["unseenSegments"] for w in windows.values())

    def mean(self, name, samples):
        values = [s.values[name] for s in samples if s.values[name] is not None]
        return records.mean(values) if values else None

    def during(self, begin, end):
        return [s for s in self.samples if begin <= s.minute * 60 < end]

    def has(self, name):
        return self.mean(name, self.samples) is not None

    def write(self, path, columns):
        base = self.mean("memory", self.rest)
        with open(path, "w", encoding="utf-8") as dat:
            for s in self.samples:
                row = [s.minute] + [s.values.get(c) for c in columns] + [s.values["memory"] - base]
                dat.write(" ".join("nan" if v is None else f"{v:g}" for v in row) + "\n")


def whose(runs, own, machine):
    """The server's own count if the monitor has it, otherwise the machine's; and the name of its source."""
    return (own, OWN) if all(run.has(own) for run in runs) else (machine, MACHINE)


def number(value, digits=0):
    return "–" if value is None else f"{value:,.{digits}f}"


def main(work, out, cpu, seconds, peak, steps):
    steps = [float(s) for s in steps.split()]
    length = float(seconds) / len(steps)
    runs = {kind: Run(work, kind, int(cpu)) for kind in KINDS}
    every = list(runs.values())
    faults, faults_of = whose(every, "ownFaults", "faults")
    switches, switches_of = whose(every, "ownSwitches", "switches")
    drawn = {name: "yes" if all(run.has(name) for run in every) else "" for name in ("calls", "readWriteCalls")}
    for kind, run in runs.items():
        run.write(f"{work}/{kind}.dat", ("processes", "memory", faults, switches, "calls", "interrupts", "user", "kernel", "idle",
                                         "arrivals", "ended", "concurrent", "mbit", "readWriteCalls"))
    for name, value in (("faults-of", faults_of), ("switches-of", switches_of), *drawn.items()):
        with open(f"{work}/{name}.txt", "w", encoding="utf-8") as note:
            note.write(value)
    with open(f"{out}/results.md", "w", encoding="utf-8") as text:
        text.write("# Figures 4.5 to 4.12 on this machine\n\n" + open(f"{work}/conditions.md").read() + "\n")
        text.write(records.busy(*(sum(run.load[key] for run in runs.values()) for key in ("late", "came"))))
        text.write(f"Steps of {length:g} s: {', '.join('%g' % (s * float(peak)) for s in steps)} connections/s, three requests each. "
                   "Means over the steps at the peak without their first third; in brackets the ten seconds at rest before.\n\n")
        rows = []
        quantities = [
            ("connections arriving /s", "arrivals", 1), ("responses /s", "responses", 1), ("N_c", "concurrent", 0),
            ("processes of the server (4.6)", "processes", 0), ("their resident memory, shared pages counted for each process, MB", "resident", 0),
            ("free memory and page cache, MB (4.7, 4.8)", "memory", 0),
            ("minor page faults /s of the server's processes (4.7)", "ownFaults", 0), ("… of the whole machine", "faults", 0),
            ("major page faults /s of the whole machine", "majorFaults", 1),
            ("context switches /s of the server's processes (4.9)", "ownSwitches", 0), ("… of the whole machine", "switches", 0),
            ("system calls /s of the whole machine (4.10)", "calls", 0),
            ("read and write calls /s of the server's processes", "readWriteCalls", 0),
            ("interrupts /s of the whole machine (4.11)", "interrupts", 0), ("server's processor: user % (4.12)", "user", 1),
            ("… kernel %", "kernel", 1), ("… idle %", "idle", 1), ("cores used by the server's processes", "cores", 3)]
        for name, key, digits in quantities:
            row = [name]
            for run in runs.values():
                at_peak = [s for i, step in enumerate(steps) if step == max(steps)
                           for s in run.during((i + 1 / 3) * length, (i + 1) * length)]
                row.append(f"{number(run.mean(key, at_peak), digits)} ({number(run.mean(key, run.rest), digits)})")
            rows.append(row)
        for share, name in ((0.5, "T_r median, ms"), (0.99, "T_r p99, ms")):
            rows.append([name] + [records.millis(records.quantile(run.response, share)) for run in runs.values()])
        for name, key in (("visitors sent", "came"), ("responses", "answers"), ("visitors sent > 5 ms late", "late")):
            rows.append([name] + [number(run.load[key]) for run in runs.values()])
        rows.append(["failed visits"] + [
            number(sum(run.load[k] for k in ("refused", "timedOut", "broken", "turnedAway"))) for run in runs.values()])
        rows.append(["packets the monitor lost"] + [number(run.lost) for run in runs.values()])
        records.table(text, ["", *NAMES.values()], rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
