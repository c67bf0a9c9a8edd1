"""bench proxy-workers: CPU per request with one event loop and with two, at the same offered rate."""

import argparse
import json
import os
import shlex
import signal
import statistics
import sys

import options
import peers
from compare import machine, measure
from rows import ROWS, Stage, fill
from table import spread, table


class One(peers.Komainu):
    name = "one"
    workers = 1

    def command(self):
        command = super().command()
        command[command.index("--workers") + 1] = str(self.workers)
        return command


class Again(One):
    name = "again"


class Two(One):
    name = "two"
    workers = 2


def row_of(stage, running, row, chosen, result):
    print("\n%s: %s" % (row, ROWS[row].text), flush=True)
    for peer in running:
        stage.call(peer, fill(row, {"round": 0, "unique": "w" + peer.name}), ROWS[row].length, "--seconds", chosen.warm_up)
    highest = measure(stage, running[0], row, 0, chosen.seconds)["perSecondRate"]
    rate = int(highest / 2)
    taken = {peer.name: [] for peer in running}
    for round_ in range(chosen.runs):
        at = round_ % len(running)
        for peer in running[at:] + running[:at]:
            taken[peer.name].append(measure(stage, peer, row, round_ + 1, chosen.seconds, "--rate", rate))
    result["rows"][row] = {"rate": rate, "taken": taken}
    micros = {name: [one["micros"] for one in of] for name, of in taken.items()}
    alone = statistics.median(micros["one"] + micros["again"])
    wrong = sorted({fault for of in taken.values() for one in of for fault in one["faults"]})
    return [ROWS[row].text, rate, spread(micros["one"]), spread(micros["again"]), spread(micros["two"]),
        "%.2f" % (statistics.median(micros["two"]) / alone), "; ".join(wrong)]


def arguments(line):
    parser = argparse.ArgumentParser(prog="komainu bench proxy-workers", description=__doc__)
    parser.add_argument("--rows", default="hit-10k,zipf,new-connection,pass-10k,miss-10k,tls-hit-10k", help="some of: %s" % ", ".join(ROWS))
    parser.add_argument("--runs", type=int, default=5, help="rounds, 1 to 99 (5)")
    parser.add_argument("--seconds", type=float, default=4, help="length of each run, 0.5 to 600 (4)")
    parser.add_argument("--warm-up", type=float, default=12, help="seconds before a row's first run, 1 to 600 (12)")
    parser.add_argument("--out", default="", help="directory for proxy-workers.json")
    parser.add_argument("--java", default="", help=argparse.SUPPRESS)
    chosen = parser.parse_args(line)
    options.known(parser, "--rows", chosen.rows, ROWS)
    for name, value, low, high in (("--runs", chosen.runs, 1, 99), ("--seconds", chosen.seconds, 0.5, 600), ("--warm-up", chosen.warm_up, 1, 600)):
        options.within(parser, name, value, low, high)
    return chosen


def main():
    chosen = arguments(sys.argv[1:])
    peers.Komainu.java = shlex.split(chosen.java)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    result = {"machine": machine(), "rows": {}}
    print("%(time)s, Linux %(kernel)s, %(processor)s, %(cores)d cores, load before %(loadBefore).1f" % result["machine"], flush=True)
    stage = Stage(chosen)
    try:
        for kind in (One, Again, Two):
            peer = kind(stage.work, stage.origin.port)
            stage.running.append(peer)
            peer.start(core=None)
        lines = [row_of(stage, stage.running, row, chosen, result) for row in chosen.rows.split(",")]
        print()
        print(table(["", "requests/s", "one worker", "again", "two workers", "two to one", "wrong"], lines))
    finally:
        stage.clear()
    if chosen.out:
        os.makedirs(chosen.out, exist_ok=True)
        with open(os.path.join(chosen.out, "proxy-workers.json"), "w") as out:
            json.dump(result, out, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
