"""Costs of a fleet: starts a central service for each size, plays its agents, and measures the service from outside."""

import argparse
import http.client
import json
import os
import shutil
import sys
import tempfile
import threading
import time

from fleet_central import Central, Ended, Fleet, Stream

# Services whose points are received, for the age of the judgement.
SAMPLED = 20
# Seconds after the past was reported before the measurement, so that roll-ups and compilers have settled.
SETTLE = 20
# Of a service: a window each second, a log every ten, and its part of the agent's own.
RECORDS_A_SECOND = 1.2
STREAM_SECONDS = 20
# Percentages of the services whose figures change while the bytes of a tab are counted.
CHANGING = (100, 10, 0)
# Seconds until the means of what changed before are no longer in what is shown.
UNCHANGED = 75


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else None


def measure(given, services, heap, work):
    agents = -(-services // given.servers)
    central = Central(given, services, heap, work)
    fleet = None
    try:
        central.log_in()
        fleet = Fleet(given, central, agents, central.create_codes(agents) if given.tls else central.create_tokens(agents))
        began = time.monotonic()
        time.sleep(5)
        # Two seconds of all agents may be on their way: more is what an agent kept, and belongs to the catching up.
        while fleet.take()["waiting"] > services * 2 * RECORDS_A_SECOND and time.monotonic() < began + 900:
            central.check()
            time.sleep(1)
        caught_up = round(time.monotonic() - began)
        time.sleep(SETTLE)
        if given.profile:
            recording = os.path.abspath("%s/recording-%d.jfr" % (given.out, services))
            central.jcmd("JFR.start", "name=fleet", "settings=profile", "filename=" + recording)
            time.sleep(3)
        ids = ["host-%d:%d" % (n % agents + 1, 8_000 + n // agents) for n in range(min(SAMPLED, services))]
        points = Stream(central, ["service:" + each for each in ids], central.read_headers())
        points.start()
        time.sleep(3)
        points.ages.clear()
        fleet.take()
        before, whole = central.threads()
        begun = time.monotonic()
        time.sleep(given.seconds)
        after, whole_after = central.threads()
        took = time.monotonic() - begun
        acknowledged = fleet.take()
        ages, points.ended = list(points.ages), threading.Event()
        central.check()
        if given.profile:
            central.jcmd("JFR.stop", "name=fleet")
        tab = {percent: bytes_of_tab(central, fleet, percent) for percent in CHANGING}
        resident = central.resident()
        classes, live = central.live_objects()
        if given.profile:
            with open("%s/classes-%d.txt" % (given.out, services), "w") as file:
                file.write(classes)
        threads = {name: (after[name] - before.get(name, 0)) / took for name in after}
        cpu = (whole_after - whole) / took
        result = {
            "services": services,
            "agents": agents,
            "heap": central.heap(),
            "seconds": round(took, 1),
            "cores": round(cpu, 3),
            "cpuMillis": round(cpu * 1e3 / services, 3),
            "threads": {name: round(value * 1e3 / services, 3) for name, value in sorted(threads.items(), key=lambda each: -each[1]) if value * 1e3 / services >= 0.005},
            "resident": {name: round(value) for name, value in resident.items()},
            "live": round(live / 1e6, 1),
            "caughtUpSeconds": caught_up,
            "acknowledged": acknowledged,
            "age": {"p50": percentile(ages, 0.5), "p99": percentile(ages, 0.99), "points": len(ages)},
            "tabBytes": tab,
            "load": os.getloadavg()[0],
        }
        if given.restart:
            result["restart"] = restart(central, services)
        result["end"] = fleet.end()
        fleet = None
        return result
    except Ended as ended:
        print("the service ended: exit code %s\n%s" % ended.args, file=sys.stderr)
        return {"services": services, "agents": agents, "heap": heap, "ended": ended.args[0]}
    finally:
        if fleet:
            fleet.process.kill()
        central.end()


def bytes_of_tab(central, fleet, percent):
    """Bytes a second of a tab with the overview, as a browser receives them, while this percentage of the services changes."""
    if percent < 100:
        fleet.take(percent)
        time.sleep(UNCHANGED)
    tab = Stream(central, ["services", "changes", "alerts"], central.headers, version=central.read("/api/v1/overview/rows")["version"])
    tab.start()
    time.sleep(2)
    first, since = tab.bytes, time.monotonic()
    time.sleep(STREAM_SECONDS)
    told = (tab.bytes - first) / (time.monotonic() - since)
    tab.ended.set()
    return round(told)


def judged(central):
    """Services that are judged on data, and services in all."""
    services = central.read("/api/v1/overview")["services"]
    return sum(1 for each in services if each["state"] != "unknown" and each["summary"]["arrivalPerSecond"] is not None), len(services)


def alerts(central):
    text = central.read("/api/v1/alerts?limit=1000")
    items = text["items"] if isinstance(text, dict) else text
    return [(each["rule"], each.get("subject") or each.get("service")) for each in items]


def reporting(central):
    """Sources that have reported since the start of the service."""
    return sum(1 for each in central.read("/api/v1/sources") if each["status"] == "reporting" and each["credential"])


def restart(central, services):
    """Kills the service and starts it again; the agents go on."""
    before = alerts(central)
    sources = len(central.read("/api/v1/sources"))
    killed = time.monotonic()
    central.process.kill()
    central.process.wait()
    central.start()
    up = time.monotonic()
    all_report = None
    unanswered, now = 0, 0
    while time.monotonic() < killed + 120:
        central.check()
        try:
            if all_report is None:
                told = reporting(central)
                print("%.1f s: %d of %d sources report" % (time.monotonic() - up, told, sources), file=sys.stderr)
                if told >= sources:
                    all_report = time.monotonic()
            # A page of all services is megabytes: it is asked for when it can answer the question.
            if all_report is not None:
                now, _ = judged(central)
        except (OSError, http.client.HTTPException) as trouble:
            # The console's requests count as its users see them: the next one may be answered.
            print("bench fleet: not answered %.1f s after the start: %r" % (time.monotonic() - up, trouble), file=sys.stderr)
            unanswered += 1
        if now >= services:
            break
        time.sleep(0.5)
    all_judged = time.monotonic()
    time.sleep(30)
    after = alerts(central)
    return {
        "up": round(up - killed, 1),
        "allReport": round(all_report - up, 1) if all_report else None,
        "judged": round(all_judged - killed, 1),
        "judgedServices": now,
        "unanswered": unanswered,
        "alertsBefore": len(before),
        "alertsAfter": len(after),
        "twice": len(after) - len(set(after)) - (len(before) - len(set(before))),
        "missed": len(set(before) - set(after)),
    }


def table(results, marker):
    lines = [marker, ""] if marker else []
    lines += [
        "| services | agents | heap, MB | cores | CPU per service and second, ms | resident, MB | live objects, MB | what the agents kept was stored after, s | acknowledged p50, p99, ms | late | judged after the second's end p50, p99, s | a tab with the overview, when all, a tenth, none of them change, KB/s |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for each in results:
        if "ended" in each:
            lines.append("| %d | %d | %s | the service ended with exit code %s | | | | | | | | |" % (each["services"], each["agents"], each["heap"], each["ended"]))
            continue
        told, age = each["acknowledged"], each["age"]
        lines.append(
            "| %d | %d | %s | %.2f | %.2f | %d | %.0f | %d | %.0f, %.0f | %d of %d | %s, %s | %s |"
            % (
                each["services"],
                each["agents"],
                each["heap"],
                each["cores"],
                each["cpuMillis"],
                each["resident"]["now"],
                each["live"],
                each["caughtUpSeconds"],
                told["p50"],
                told["p99"],
                told["late"],
                told["seconds"],
                "%.2f" % age["p50"] if age["p50"] is not None else "-",
                "%.2f" % age["p99"] if age["p99"] is not None else "-",
                ", ".join("%.1f" % (each["tabBytes"][percent] / 1e3) for percent in CHANGING),
            )
        )
    lines += ["", "CPU by thread, ms per service and second:", ""]
    names = list(dict.fromkeys(name for each in results for name in each.get("threads", {})))
    lines += ["| services | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for each in results:
        if "threads" in each:
            lines.append("| %d | %s |" % (each["services"], " | ".join("%.3f" % each["threads"].get(name, 0) for name in names)))
    for each in results:
        if "restart" in each:
            lines += ["", "%d services, kill -9 and start: %s" % (each["services"], json.dumps(each["restart"]))]
    return "\n".join(lines) + "\n"


def main():
    options = argparse.ArgumentParser(prog="bench fleet", allow_abbrev=False)
    options.add_argument("--central", required=True)
    options.add_argument("--fleet", required=True)
    options.add_argument("--jcmd", required=True)
    options.add_argument("--out", required=True)
    options.add_argument("--marker", default="")
    options.add_argument("--services", default="50,200,500")
    options.add_argument("--servers", type=int, default=10)
    options.add_argument("--heap", default="default")
    options.add_argument("--seconds", type=int, default=30)
    options.add_argument("--past", type=int, default=900)
    options.add_argument("--restart", action="store_true")
    options.add_argument("--tls", action="store_true")
    options.add_argument("--komainu", default="komainu")
    options.add_argument("--profile", action="store_true")
    given = options.parse_args()
    sizes = [int(each) for each in given.services.split(",")]
    heaps = given.heap.split(",")
    heaps += heaps[-1:] * (len(sizes) - len(heaps))
    results = []
    for size, heap in zip(sizes, heaps):
        work = tempfile.mkdtemp(prefix="komainu-fleet-")
        try:
            results.append(measure(given, size, heap, work))
        finally:
            for name in ("central.log", "fleet.log"):
                if os.path.exists(work + "/" + name):
                    shutil.copy(work + "/" + name, "%s/%d-%s" % (given.out, size, name))
            shutil.rmtree(work, ignore_errors=True)
        print(json.dumps(results[-1]), flush=True)
        with open(given.out + "/results.json", "w") as file:
            json.dump(results, file, indent=1)
        with open(given.out + "/results.md", "w") as file:
            file.write(table(results, given.marker))
    print(table(results, ""))
    return 1 if any("ended" in each or each["end"]["sent"] != each["end"]["accepted"] for each in results) else 0


if __name__ == "__main__":
    sys.exit(main())
