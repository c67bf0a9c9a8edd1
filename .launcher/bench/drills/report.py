"""The results of the drills, as a page and as JSON."""

import json
import os
import platform
import time

import cures_report

# Seconds from the onset to the name, and from the end of the fault to normal.
LIMITS = {"saturated": 15, "failing": 15, "upstream-fault": 15, "stopped": 15, "unreachable": 15}
RECOVERY = 20


def limit(state):
    return LIMITS.get(state, LIMITS.get(state.partition("/")[0]))


def good(result):
    """Right cause first, no false alarm before it, and normal again; for a cure, the expected verdict of the verification."""
    if "cure" in result:
        return result["cured"]
    return result["run"] and result["right"] and not result["falseAlarms"] and result["recovered"]


def line(result):
    if not result["run"]:
        return "%-22s not run: %s" % (result["name"], result["reason"])
    if "cure" in result:
        return cures_report.line(result)
    return "%-22s %-5s expected %s, named %s after %s s, normal again after %s s%s%s%s" % (result["name"], "right" if good(result) else "WRONG", result["expected"],
        result["named"], result["secondsToName"], result["secondsToRecover"], " (from the empty queue, %g s after the cure)" % result["drainedSeconds"] if result["drainedSeconds"] > 1.5 else "",
        ", flaps %d" % result["flaps"] if result["flaps"] else "" if result["learnt"] else ", usual values not learnt", ", false alarms before: " + ", ".join(result["falseAlarms"]) if result["falseAlarms"] else "")


def matrix(results):
    """Rows: the actual state. Columns: the state that was named first."""
    run = [r for r in results if r["run"]]
    named = sorted({r["named"] for r in run} | {r["expected"] for r in run})
    rows = sorted({r["expected"] for r in run})
    text = "| actual state ↓, first named → | " + " | ".join("`%s`" % n for n in named) + " |\n|---" + "|---" * len(named) + "|\n"
    for row in rows:
        counts = [sum(1 for r in run if r["expected"] == row and r["named"] == n) for n in named]
        text += "| `%s` | %s |\n" % (row, " | ".join(("**%d**" if n == row else "%d") % c if c else "" for n, c in zip(named, counts)))
    return text


def names(results):
    return "%d%s" % (len(results), " (%s)" % ", ".join(r["name"] for r in results) if results else "")


def summary(results):
    """All shares are of the drills that were run: a fault that was never named counts as not named in time and not recovered."""
    run = [r for r in results if r["run"]]
    faults = [r for r in run if r["expected"] != "normal"]
    prompt = [r for r in faults if r["secondsToName"] is not None and r["secondsToName"] <= limit(r["expected"])]
    named = [r for r in faults if r["secondsToName"] is not None]
    back = [r for r in named if r["secondsToRecover"] is not None and r["secondsToRecover"] <= RECOVERY]
    return ("**%d of %d right first.** Faults named in time: %d of %d; never named: %s. Normal again within %d s: %d of %d; named, but not normal again until the end of the observation: %s. "
        "False alarms before an onset: %d. Not run: %s.\n" % (sum(r["right"] for r in run), len(run), len(prompt), len(faults),
        names([r for r in faults if r["secondsToName"] is None]), RECOVERY, len(back), len(faults), names([r for r in named if r["secondsToRecover"] is None]),
        sum(len(r["falseAlarms"]) for r in run), names([r for r in results if not r["run"]])))


def figure(value):
    return "–" if value is None else "%g" % value


def conditions_of(conditions):
    return "%s\n\n%s, Linux %s, %d processors. Load of the machine before the run: %s. %s. %d s in total, %d polls, longest gap between two polls %g s.\n\n" % (
        conditions["measured"], time.strftime("%-d %B %Y, %H:%M UTC", time.gmtime(conditions["begun"])), platform.release(), os.cpu_count() or 0,
        ", ".join("%.2f" % v for v in conditions["load"]), "One fault at a time" if conditions["alone"] else "Faults that do not affect each other at the same time",
        conditions["seconds"], conditions["polls"], conditions["longestGapSeconds"])


def page(results, conditions):
    text = conditions_of(conditions)
    if conditions.get("cures"):
        return text + cures_report.table(results) + ("\n" + cures_report.walks(results) if conditions.get("walk") else "")
    text += summary(results) + "\n"
    text += matrix(results) + "\n"
    text += "| drill | server | fault | expected | first named | named after, s | normal again after, s | queue empty after, s | flaps | alarms before |\n|---|---|---|---|---|---|---|---|---|---|\n"
    for r in results:
        if r["run"]:
            text += "| %s | %s | %s | `%s` | %s`%s` | %s | %s | %s | %d | %s |\n" % (r["name"], r["server"], r["fault"], r["expected"], "" if r["right"] else "✗ ", r["named"],
                figure(r["secondsToName"]), figure(r["secondsToRecover"]), figure(r["drainedSeconds"]), r["flaps"], ", ".join(r["falseAlarms"]) or "none")
        else:
            text += "| %s | %s | %s | `%s` | not run: %s | | | | | |\n" % (r["name"], r["server"], r["fault"], r["expected"], r["reason"].replace("\n", " ")[:200])
    return text


def write(out, results, conditions, text=None):
    """text: the page of results that have a page of their own."""
    text = page(results, conditions) if text is None else conditions_of(conditions) + text
    with open(out + "/results.md", "w") as file:
        file.write(text)
    with open(out + "/results.json", "w") as file:
        json.dump({"conditions": conditions, "drills": results}, file, indent=1)
    return text
