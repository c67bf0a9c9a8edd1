"""Incidents in a fleet: recorded drills are played alone and among many quiet services, and the times until the right cause are compared."""

import argparse
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

import fleet_recordings
from fleet_central import PORT, Central, Ended, Fleet, Stream
from fleet_incidents_page import complete, failure, punctual, table

CALM = ("normal", "idle", "unknown")
# A stop of which nothing is known yet: it becomes a name only when no other one follows.
PRELIMINARY = "stopped/unclear"
SETTLE = 20  # seconds after the past of the fleet was reported, so that roll-ups and compilers have settled
BEGIN = 5  # seconds between the start of the played agents and their first record


class States(Stream):
    """The states of all services as an open console receives them, each with the time at which it was received."""

    def __init__(self, central):
        super().__init__(central, ["services"], central.read_headers())
        self.histories = {}

    def received(self, event, data):
        if event != "services":
            return
        now = time.time()
        for row in json.loads(data)["services"]:
            history = self.histories.setdefault(row["id"], [])
            if "state" in row and (not history or history[-1]["state"] != row["state"]):
                history.append({"at": now, "state": row["state"], "cause": row.get("cause", {}).get("en", "")})

    def check(self):
        if not self.is_alive():
            sys.exit("bench fleet: the stream of the central service ended")


def first_name(entries):
    """The first alarm, or None. An unclear stop counts by the name that follows it."""
    alarms = [e for e in entries if e["state"] not in CALM]
    if alarms and alarms[0]["state"] == PRELIMINARY:
        return next((e for e in alarms if e["state"] != PRELIMINARY), alarms[0])
    return alarms[0] if alarms else None


def told(incident, service, start, states):
    """What the central service said of a played incident that began at second `start`."""
    shift = start - incident["fromSecond"]
    onset = incident["onset"] + shift
    history = states.histories.get(service, [])
    after = [e for e in history if e["at"] >= onset]
    first, right = first_name(after), next((e for e in after if e["state"] in incident["accepted"]), None)
    return {
        "seen": bool(history),
        "first": first["state"] if first else "normal",
        "firstSeconds": round(first["at"] - onset, 1) if first else None,
        "rightSeconds": round(right["at"] - onset, 1) if right else None,
        "cause": first["cause"] if first else "",
        "alarmsBefore": [e["state"] for e in history if e["at"] < onset and e["state"] not in CALM],
        "states": [[round(e["at"] - onset, 1), e["state"]] for e in history],
    }


class Player:
    """The played agents of incidents, each from its second on."""

    def __init__(self, given, central, planned):
        """planned: incidents, each with the seconds after the beginning."""
        schedule = central.work + "/schedule.json"
        with open(schedule, "w") as file:
            json.dump([{**{key: each[key] for key in ("file", "service", "host", "fromSecond")}, "afterSeconds": after} for each, after in planned], file)
        command = shlex.split(given.players) + ["--central", central.address, "--token-file", central.tokens + "/ingest.token"]
        command += ["--directory", central.work + "/incident-spools", "--schedule", schedule]
        self.log = open(central.work + "/incidents.log", "w")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        # The ids of the services on their new hosts, in the order of the incidents.
        ready = self.process.stdout.readline()
        self.services = json.loads(ready) if ready else []
        if not ready:
            sys.exit("bench fleet: the played incidents ended: %s" % open(self.log.name).read()[-1500:])

    def begin(self):
        """Begins, and returns the second of the beginning."""
        second = int(time.time()) + BEGIN
        self.process.stdin.write("%d\n" % second)
        self.process.stdin.flush()
        return second

    def playing(self):
        return self.process.poll() is None

    def end(self):
        """What was reported; every record must have arrived."""
        text, _ = self.process.communicate(timeout=60)
        if not text.strip():
            sys.exit("bench fleet: the played incidents failed: %s" % open(self.log.name).read()[-1500:])
        return json.loads(text.strip().splitlines()[-1])

    def stop(self):
        if self.playing():
            self.process.kill()


def alone(given, incident, port):
    """Plays one incident to a central service that knows no other service."""
    work = tempfile.mkdtemp(prefix="komainu-incident-")
    central, player = None, None
    try:
        central = Central(given, 1, "default", work, port)
        central.log_in()
        states = States(central)
        states.start()
        player = Player(given, central, [(incident, 0)])
        start = player.begin()
        while player.playing():
            central.check()
            states.check()
            time.sleep(0.5)
        result = {**told(incident, player.services[0], start, states), "played": player.end()}
        states.ended.set()
        return result
    finally:
        if player:
            player.stop()
        if central:
            central.end()
        shutil.rmtree(work, ignore_errors=True)


def all_alone(given, incidents):
    """Each recording once, some at a time, each to a central service of its own."""
    ports = [PORT + 1 + n for n in range(given.at_a_time)]
    # The recordings differ, their repetitions do not.
    different = list({each["name"]: each for each in incidents}.values())
    results = {}

    def one(incident):
        port = ports.pop()
        try:
            results[incident["name"]] = alone(given, incident, port)
        finally:
            ports.append(port)
        print("  alone: %s" % line(incident, results[incident["name"]]), flush=True)

    with concurrent.futures.ThreadPoolExecutor(given.at_a_time) as threads:
        for done in [threads.submit(one, each) for each in different]:
            done.result()
    return results


def line(incident, result):
    return "%s: expected %s, first named %s, right after %s s" % (incident["name"], incident["expected"], result["first"], result["rightSeconds"])


def among(given, incidents, work):
    """Plays all incidents among quiet services, and returns what was said of each and of the quiet ones."""
    agents = -(-(given.services - len(incidents)) // given.servers)
    quiet = ["host-%d:%d" % (n % agents + 1, 8_000 + n // agents) for n in range(agents * given.servers)]
    # The origin side of an incident's proxy is a service, too.
    central = Central(given, max(given.services, 500) + len(incidents), given.heap, work)
    fleet = player = None
    try:
        central.log_in()
        tokens = central.create_tokens(agents)
        fleet = Fleet(given, central, agents, tokens)
        time.sleep(BEGIN)
        deadline = time.monotonic() + 900
        while fleet.take()["waiting"] > given.services * 30 and time.monotonic() < deadline:
            central.check()
            time.sleep(1)
        longest = max(each["ended"] - each["fromSecond"] for each in incidents)
        step = max(0, given.minutes * 60 - longest - 2 * BEGIN) / max(1, len(incidents) - 1)
        planned = [(each, int(n * step)) for n, each in enumerate(incidents)]
        player = Player(given, central, planned)
        time.sleep(SETTLE)
        fleet.take()
        states = States(central)
        states.start()
        begun, seconds = time.time(), given.minutes * 60
        _, cpu = central.threads()
        first = player.begin()
        while player.playing() or time.time() < begun + seconds:
            central.check()
            states.check()
            time.sleep(0.5)
        took = time.time() - begun
        _, cpu_after = central.threads()
        found = [told(each, service, first + after, states) for (each, after), service in zip(planned, player.services)]
        for each, result in zip(incidents, found):
            print("  among %d: %s" % (given.services, line(each, result)), flush=True)
        states.ended.set()
        result = {
            "services": len(states.histories),
            "quiet": len(quiet),
            "minutes": round(took / 60, 1),
            "heap": central.heap(),
            "cores": round((cpu_after - cpu) / took, 3),
            "resident": central.resident(),
            "acknowledged": fleet.take(),
            "incidents": found,
            "namedWrongly": wrongly_named(central, quiet, states, begun),
            "unseen": [each for each in quiet if not states.histories.get(each)],
            "played": player.end(),
        }
        result["end"] = fleet.end()
        fleet = None
        return result
    finally:
        if player:
            player.stop()
        if fleet:
            fleet.process.kill()
        central.end()


def wrongly_named(central, quiet, states, begun):
    """Alarms of quiet services: the stored changes of state, and states in which they already were at the beginning."""
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(begun))
    named = []
    for service in quiet:
        first = states.histories.get(service, [])[:1]
        changes = central.read("/api/v1/services/%s/transitions?limit=1000&from=%s" % (urllib.parse.quote(service, safe=""), since))["items"]
        alarms = [{"state": e["state"], "cause": e["cause"]} for e in first] + [{"state": e["to"], "cause": e["cause"]["en"]} for e in reversed(changes)]
        named += [{"service": service, **each} for each in alarms if each["state"] not in CALM]
    return named


def main():
    options = argparse.ArgumentParser(prog="bench fleet --incidents", allow_abbrev=False)
    for required in ("central", "fleet", "players", "replay", "komainu", "jcmd", "out", "recordings"):
        options.add_argument("--" + required, required=True)
    options.add_argument("--marker", default="")
    options.add_argument("--record", action="store_true")
    options.add_argument("--cut", default="")
    options.add_argument("--services", type=int, default=500)
    options.add_argument("--count", type=int, default=20)
    options.add_argument("--minutes", type=float, default=60)
    options.add_argument("--at-a-time", type=int, default=4)
    options.add_argument("--servers", type=int, default=10)
    options.add_argument("--heap", default="default")
    options.add_argument("--past", type=int, default=900)
    given = options.parse_args()
    if given.record or given.cut:
        made = fleet_recordings.record(given.komainu, given.recordings) if given.record else given.cut.split(",")
        names = [name for each in made for name in fleet_recordings.cut(given.replay, each, given.recordings)]
        print("%d recorded incidents in %s" % (len(names), given.recordings))
        return 0 if names else 1
    if not 1 <= given.count < given.services:
        options.error("--count: %d (expected: 1 to %d)" % (given.count, given.services - 1))
    if not 1 <= given.at_a_time <= 20:
        options.error("--at-a-time: %d (expected: 1 to 20)" % given.at_a_time)
    if not 0 < given.minutes <= 1440:
        options.error("--minutes: %g (expected: above 0 to 1440)" % given.minutes)
    incidents = fleet_recordings.incidents(given.recordings, given.count)
    work = tempfile.mkdtemp(prefix="komainu-fleet-")
    try:
        own = all_alone(given, incidents)
        fleet = among(given, incidents, work)
    except Ended as ended:
        print("the service ended: exit code %s\n%s" % ended.args, file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(work, ignore_errors=True)
    with open(given.out + "/results-incidents.json", "w") as file:
        json.dump({"alone": own, "among": fleet, "incidents": incidents}, file, indent=1)
    text = table(incidents, own, fleet, given.marker)
    with open(given.out + "/results-incidents.md", "w") as file:
        file.write(text)
    print(text)
    right = not any(failure(own[each["name"]], result) for each, result in zip(incidents, fleet["incidents"]))
    whole = punctual(fleet["played"]) and complete(fleet["end"]) and all(punctual(each["played"]) for each in own.values())
    return 0 if right and whole and not fleet["namedWrongly"] and not fleet["unseen"] else 1


if __name__ == "__main__":
    sys.exit(main())
