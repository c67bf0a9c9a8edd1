"""Measures every way in turn: the responses, their times, and the processor time of the processes on the way."""

import json
import os
import subprocess
import sys

work, seconds, length, rate, rounds = sys.argv[1:6]
TICKS = os.sysconf("SC_CLK_TCK")
WARM_SECONDS = "15"


def processor_seconds(pids):
    spent = 0
    for pid in pids:
        fields = open("/proc/%s/stat" % pid).read().rpartition(") ")[2].split()
        spent += int(fields[11]) + int(fields[12])
    return spent / TICKS


def asked(port, *more):
    command = [work + "/caller", port, "/file", "--length", length, "--connections", "64", *more]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


ways = [line.split() for line in open(work + "/ways.txt")]
for _, port, *pids in ways:
    asked(port, "--seconds", WARM_SECONDS)
with open(work + "/rounds.txt", "w") as rows:
    for round_ in range(int(rounds)):
        # Each round begins with another way, so that effects of the previous one affect all equally.
        turn = round_ % len(ways)
        for loop, more in (("open", ("--rate", rate)), ("closed", ())):
            for way, port, *pids in ways[turn:] + ways[:turn]:
                before = processor_seconds(pids)
                told = asked(port, "--seconds", seconds, *more)
                rows.write(json.dumps({"way": way, "loop": loop, "processor": processor_seconds(pids) - before, **{
                    key: told[key] for key in ("answered", "seconds", "failures", "wrongStatus", "wrongLength", "p50", "p99")}}) + "\n")
