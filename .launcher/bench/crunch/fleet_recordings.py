"""Incidents for a fleet: recorded drills, cut to one service each.

A recording of `bench drills` contains all servers of a wave. The extract of one drill contains the records of its service, and of those without which
that service cannot be judged, from LEAD seconds before the onset to the end of the drill: NAME.zst, and beside it NAME.json with what happened when.
"""

import glob
import json
import os
import shlex
import subprocess
import sys

LEAD = 75  # seconds before the onset: usual values are learnt in 30 s of traffic
# Different servers and causes, in waves that run at the same time; the last wave runs one after the other.
WAVES = [
    "prefork-workers,nginx-connections,haproxy-origin-slow,komainu-origin-down,nginx-restart,nginx-wrong-root",
    "event-workers,nginx-files,nginx-origin-slow,prefork-killed,nginx-half-dead,nginx-shaped",
    "varnish-threads,haproxy-connections,nginx-backlog,squid-origin-down,nginx-far-killed,prefork-errors",
    "tomcat-threads,komainu-files,prefork-backlog,varnish-killed,nginx-wrong-certificate,haproxy-half-reset",
    "prefork-disk-full,prefork-quota,nginx-disk",
]


def record(komainu, directory):
    """Runs the drills, one wave after the other, and returns the directories of their recordings."""
    made = []
    for number, drills in enumerate(WAVES):
        out = "%s/drills-%d" % (directory, number + 1)
        made.append(out)
        # The drills' exit code tells whether all causes were right; a drill whose cause was wrong is no incident here.
        code = subprocess.run([komainu, "bench", "drills", "--only", drills, "--wave", "6", "--out", out]).returncode
        if code not in (0, 1):
            sys.exit("bench fleet: bench drills ended with %d" % code)
    return made


def cut(replay, drills, directory):
    """Cuts the recordings of a directory of `bench drills` to one service each. Drills that were not named right are left out."""
    os.makedirs(directory, exist_ok=True)
    with open(drills + "/results.json") as file:
        results = {each["name"]: each for each in json.load(file)["drills"]}
    made = []
    for run in sorted(glob.glob(drills + "/runs/*/drills.json")):
        with open(run) as file:
            recorded = json.load(file)
        for drill in recorded:
            result = results.get(drill["name"], {})
            # Only the newest run of a directory has its results there.
            if not result.get("run") or abs(result["times"]["onset"] - drill["onset"]) > 1e-3 or not result["right"] or drill["expected"] == "normal":
                print("  %s: left out, its cause was not named right when it was recorded" % drill["name"], flush=True)
                continue
            start = int(max(drill["began"], drill["onset"] - LEAD))
            target = "%s/%s" % (directory, drill["name"])
            command = [os.path.dirname(run) + "/recording", "--service", drill["service"], "--extract-to", target + ".zst"]
            code = subprocess.run(shlex.split(replay) + command + ["--from", str(start), "--until", "%.3f" % drill["ended"]]).returncode
            if code > 1:
                sys.exit("bench fleet: %s cannot be cut (replay: %d)" % (drill["name"], code))
            told = {key: result[key] for key in ("name", "server", "fault", "expected", "accepted", "secondsToName")}
            told.update(service=drill["service"], fromSecond=start, onset=drill["onset"], cure=drill["cure"], ended=drill["ended"])
            with open(target + ".json", "w") as file:
                json.dump(told, file, indent=1)
                file.write("\n")
            made.append(drill["name"])
            print("  %s: %d KB" % (drill["name"], os.path.getsize(target + ".zst") >> 10), flush=True)
    return made


def incidents(directory, count):
    """Incidents in number: of more recordings a choice that is spread over their names, and of fewer each again from the first."""
    found = []
    for path in sorted(glob.glob(directory + "/*.json")):
        with open(path) as file:
            found.append({**json.load(file), "file": path[: -len(".json")] + ".zst"})
    if not found:
        sys.exit("bench fleet: no recorded incident in %s. Fix: ./komainu bench fleet --record, or --cut DIRECTORY of bench drills" % directory)
    if len(found) > count:
        found = [found[n * len(found) // count] for n in range(count)]
    return [{**found[n % len(found)], "host": "incident-%02d" % (n + 1)} for n in range(count)]
