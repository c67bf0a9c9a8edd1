"""Carries out the attacks of attacks.py on a running platform, and writes what came of them."""

import argparse
import http.client
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import attacks
from stage import Administrator, Failed, Fleet, Platform, Stream, request

WARM_UP_SECONDS = 60
RINGS_FULL_SECONDS = 1_000  # the rings of live values hold 15 min; before that, memory grows without an attack, too
STREAMS = 20
SLOWEST_PAGE = 2.0  # seconds
GROWTH = 1.05  # retained memory after all attacks, as a share of before


def growth(before, after):
    """Megabytes by which the classes grew whose objects grew most."""
    each = {name: (after[name] - before.get(name, 0)) / 1e6 for name in after}
    return {name: round(each[name], 1) for name in sorted(each, key=each.get, reverse=True)[:12]}


def row(name, seen, page, problems, seconds):
    """Prints one attack's result."""
    print("%-26s %5.0f s  page at most %5.2f s  %s" % (name, seconds, page["slowest"], "; ".join(problems) or "withstood"), flush=True)
    print("    %s" % json.dumps(seen, ensure_ascii=False), flush=True)


def await_platform(platform):
    """Waits until the platform responds, at most a minute: the attack before may have ended it."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if request(platform.port, "GET", "/actuator/health", timeout=5)[0] == 200:
                return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(1)


def carry_out(name, platform, administrator, streams):
    await_platform(platform)
    before = platform.processes()
    administrator.take()
    start = time.monotonic()
    try:
        seen = attacks.ALL[name](platform)
    except Exception as error:  # an attack that cannot be carried out is a result, too
        seen = {"broken": repr(error)[:300]}
    time.sleep(5)
    page = administrator.take()
    problems = [seen["broken"]] if "broken" in seen else []
    after = platform.processes()
    problems += ["%s ended" % part for part in before if before[part] != after[part]]
    if page["slowest"] > SLOWEST_PAGE:
        problems.append("a page took %.1f s" % page["slowest"])
    if page["failures"]:
        problems.append("%d of %d pages failed: %s" % (len(page["failures"]), page["pages"], page["failures"][0]))
    lost = sum(1 for stream in streams if stream.over is not None)
    if lost:
        problems.append("%d of %d event streams ended" % (lost, len(streams)))
        streams[:] = [stream for stream in streams if stream.over is None]
    row(name, seen, page, problems, time.monotonic() - start)
    return {"attack": name, "seen": seen, "page": page, "problems": problems}


def restart(platform, names):
    """Ends the central service; the launcher starts it again. All names must be known then."""
    pid = platform.java("central")
    os.kill(pid, 9)
    deadline, missing = time.monotonic() + 120, None
    while time.monotonic() < deadline:
        time.sleep(1)
        try:
            if platform.java("central") in (pid, None) or request(platform.port, "GET", "/actuator/health", timeout=5)[0] != 200:
                continue
            missing = names - platform.services()
            if not missing:
                return []
        except (OSError, TypeError, Failed):
            continue
    if missing is None:
        return ["the central service did not start again"]
    return ["%d of %d services unknown after the restart" % (len(missing), len(names))]


def main():
    options = argparse.ArgumentParser(prog="bench attacks")
    for name in ("--data", "--jcmd", "--out", "--fleet", "--up-log", "--only"):
        options.add_argument(name)
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--warm-up", type=int, default=WARM_UP_SECONDS)
    options.add_argument("--list", action="store_true")
    given = options.parse_args()
    if given.list:
        for name, attack in attacks.ALL.items():
            print("%-26s %s" % (name, attack.__doc__))
        return 0
    chosen = given.only.split(",") if given.only else list(attacks.ALL)
    unknown = [name for name in chosen if name not in attacks.ALL]
    if unknown:
        print("bench attacks --only: %s (expected: %s)" % (", ".join(unknown), ", ".join(attacks.ALL)), file=sys.stderr)
        return 2
    platform = Platform(given.data, given.jcmd, given.up_log)
    fleet = Fleet(given.fleet, platform)
    administrator = Administrator(platform)
    administrator.start()
    streams = [Stream(platform, platform.headers) for _ in range(STREAMS)]
    for stream in streams:
        stream.start()
    compared = given.warm_up >= RINGS_FULL_SECONDS
    print("%d s for the fleet to report …" % given.warm_up, flush=True)
    time.sleep(WARM_UP_SECONDS)
    if compared:
        # The quota of names is used up before the comparison: an attacker may always use it up.
        attacks.invented_names(platform)
    time.sleep(max(0, given.warm_up - WARM_UP_SECONDS))
    names = platform.services()
    quiet = administrator.take()
    print("%d services; without an attack a page takes at most %.2f s" % (len(names), quiet["slowest"]), flush=True)
    if quiet["failures"]:
        raise Failed("pages fail without an attack: %s" % quiet["failures"][0])
    classes = [platform.retained()]
    results = []
    for number in range(given.rounds):
        for name in chosen:
            results.append(carry_out(name, platform, administrator, streams))
        classes.append(platform.retained())
        print("round %d of %d: %.1f MB of live objects" % (number + 1, given.rounds, sum(classes[-1].values()) / 1e6), flush=True)
    administrator.take()
    retained = [sum(each.values()) for each in classes]
    grown = growth(classes[0], classes[-1])
    problems = []
    if compared and retained[-1] > retained[0] * GROWTH:
        problems.append("retained memory %.1f → %.1f MB" % (retained[0] / 1e6, retained[-1] / 1e6))
    resident = {part: platform.resident(part) for part in ("central", "agent", "proxy")}
    problems += restart(platform, names)
    sent = fleet.end()
    if sent["sent"] != sent["accepted"] or sent["dropped"]:
        problems.append("the agents lost records: %s" % sent)
    print("retained MB: %s%s; resident MB now and at most: %s" % ([round(each / 1e6, 1) for each in retained], "" if compared else " (not compared: the rings were not full)", resident))
    print("grown most, MB: %s" % grown)
    print("agents: %s" % sent)
    for problem in problems:
        print("PROBLEM  " + problem)
    report = {"services": len(names), "quiet": quiet, "results": results, "retained": retained, "grown": grown, "resident": resident, "agents": sent, "problems": problems}
    with open(given.out + "/results.json", "w") as file:
        json.dump(report, file, indent=1, ensure_ascii=False)
    with open(given.out + "/results.md", "w") as file:
        file.write("| attack | responses | slowest page, s | result |\n|---|---|---|---|\n")
        for each in results:
            seen = ", ".join("%s: %s" % pair for pair in each["seen"].items() if pair[0] != "broken")
            file.write("| %s | %s | %.2f | %s |\n" % (each["attack"], seen, each["page"]["slowest"], "; ".join(each["problems"]) or "withstood"))
    return 1 if problems or any(each["problems"] for each in results) else 0


if __name__ == "__main__":
    sys.exit(main())
