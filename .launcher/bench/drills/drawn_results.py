"""The results of drawn drills: one JSON line per seed in --out, so that a run can be resumed, and the page made from them."""

import collections
import json
import os
import shutil
import statistics
import time

import report

NAMED, RECOVERED, CHANGES = 15, 20, 1  # seconds to the name, seconds to normal, changes of name within a fault


class DrawnResults:
    """The file drawn.jsonl of a directory. The last line of a seed counts."""

    def __init__(self, out, measured=""):
        self.out, self.path, self.measured = out, out + "/drawn.jsonl", measured

    def read(self):
        results = {}
        if os.path.exists(self.path):
            with open(self.path) as lines:
                for line in lines:
                    try:
                        result = json.loads(line)
                        results[result["name"]] = result
                    except (ValueError, KeyError):
                        pass  # the last line of a run that was killed
        return results

    def done(self):
        """Seeds with a result. A drill that was not run is tried again."""
        return {r["seed"] for r in self.read().values() if r["run"] and "seed" in r}

    def add(self, results):
        with open(self.path, "a") as lines:
            for result in results:
                lines.write(json.dumps({**result, **described(result["name"]), "measured": self.measured}) + "\n")

    def of(self, seeds):
        results = self.read()
        return [results["s%03d" % seed] for seed in seeds if "s%03d" % seed in results]

    # ---- what is kept for a replay ----------------------------------------------------------------------------------

    def directory(self, begun):
        return "%s/runs/%s" % (self.out, time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(begun)))

    def arguments(self, begun, work):
        """Settings of the central service: every accepted batch is recorded."""
        return ["--komainu.ingest.recording=%s/recording" % work, "--komainu.ingest.recording-size=4GB"]

    def allowed(self, work):
        """The permitted targets of the load over TLS."""
        with open(work + "/targets", "w") as file:
            file.write("10.98.0.0/16\n10.99.0.0/16\n")
        return work + "/targets"

    def keep(self, begun, work, results):
        """Keeps the central service's data, the recording if there is one, and what happened when to which service."""
        run = [r for r in results if r["run"]]
        if not run:
            return
        kept = self.directory(begun)
        os.makedirs(kept, mode=0o700, exist_ok=True)
        for part in ("central", "recording"):
            if os.path.isdir("%s/%s" % (work, part)):
                shutil.copytree("%s/%s" % (work, part), "%s/%s" % (kept, part), dirs_exist_ok=True)
        with open(kept + "/drills.json", "w") as file:
            json.dump([{"name": r["name"], "service": r["serviceId"], "expected": r["expected"], "also": list(r["accepted"][1:]), **r["times"]} for r in run], file, indent=1)

    # ---- the page ---------------------------------------------------------------------------------------------------

    def page(self, results):
        tried = [r for r in results if r["run"]]
        parts = [summary(tried, [r for r in results if not r["run"]]), report.matrix(tried), families(tried), wrong(tried), table(results)]
        commits = {r["measured"].partition(";")[0].replace("<!-- measured: ", "") for r in tried}
        if len(commits) > 1:
            parts.insert(0, "**Measured at several commits**: %s.\n" % ", ".join(sorted(commits)))
        return "\n".join(parts)


def described(name):
    """What a seed drew, for its line of the file."""
    if not name.startswith("s"):
        return {}
    from drawn import Draw
    w = Draw(int(name[1:]))
    return {"seed": w.seed, "half": w.half, "kind": w.key, "protocol": w.protocol, "key": w.fault.key, "line": w.line(), "wouldTell": w.fault.told}


def outcome(r):
    """right, honest (an accepted alternative first), wrong or never."""
    if r["named"] == r["expected"]:
        return "right"
    if r["named"] in r["accepted"]:
        return "honest"
    return "never" if r["named"] in ("normal", "unknown") else "wrong"


def share(part, whole):
    return "%d of %d (%.0f %%)" % (part, whole, 100 * part / whole) if whole else "0 of 0"


def percentile(values, p):
    values = sorted(values)
    return values[min(len(values) - 1, int(p * len(values)))] if values else None


def summary(tried, not_run):
    counts = collections.Counter(outcome(r) for r in tried)
    faults = [r for r in tried if r["expected"] != "normal"]
    traps = [r for r in tried if r["expected"] == "normal"]
    times = [r["secondsToName"] for r in faults if r["secondsToName"] is not None]
    changed = [r for r in faults if r["changesOfName"] > CHANGES]
    back = [r for r in faults if r["secondsToFirstName"] is not None and r["secondsToRecover"] is not None and r["secondsToRecover"] <= RECOVERED and r["recovered"]]
    lines = [
        "**Right first: %s**; an honest alternative first: %d; never named: %d; wrong: %d." % (share(counts["right"], len(tried)), counts["honest"], counts["never"], counts["wrong"]),
        "Faults alone: right first %s; traps that stayed normal: %s." % (share(sum(outcome(r) == "right" for r in faults), len(faults)), share(sum(outcome(r) == "right" for r in traps), len(traps))),
        "Right name after: median %s s, 95th percentile %s s (of the %d faults that ever got it); within %d s: %s." % (
            report.figure(statistics.median(times) if times else None), report.figure(percentile(times, 0.95)), len(times), NAMED, share(sum(t <= NAMED for t in times), len(faults))),
        "More than %d change of name within the fault: %s." % (CHANGES, report.names(changed)),
        "Named, and normal again within %d s after visitors were served as before: %s." % (RECOVERED, share(len(back), len(faults))),
        "False alarms before an onset: %s." % report.names([r for r in tried if r["falseAlarms"]]),
        "Traps in which a visitor was served worse, so that they may be none: %s. Faults in which it was served as before: %s." % (
            report.names([r for r in traps if r.get("suffered")]), report.names([r for r in faults if r.get("suffered") is False])),
        "Not run: %s." % ("; ".join("%s (%s)" % (r["name"], r["reason"].replace("\n", " ")[:160]) for r in not_run) or "none")]
    return "\n".join("- " + line for line in lines) + "\n"


def families(tried):
    text = "| group | tried | right first | honest | wrong | never |\n|---|---|---|---|---|---|\n"
    for title, field in (("fault", "key"), ("server", "kind"), ("protocol", "protocol")):
        for value in sorted({r[field] for r in tried}):
            those = [r for r in tried if r[field] == value]
            counts = collections.Counter(outcome(r) for r in those)
            text += "| %s %s | %d | %d | %s | %s | %s |\n" % (title, value, len(those), counts["right"], counts["honest"] or "", counts["wrong"] or "", counts["never"] or "")
    return text


def wrong(tried):
    """For each name that was not right: what was seen, what was believed, and what would have told."""
    missed = [r for r in tried if outcome(r) != "right"]
    if not missed:
        return "No wrong name.\n"
    text = "| drill | actual state | believed | what was seen | what would have told |\n|---|---|---|---|---|\n"
    for r in missed:
        seen = "; ".join([r["cause"], *r["evidence"]]).replace("|", "/").replace("\n", " ")
        text += "| %s %s, %s | `%s` | `%s`%s | %s | %s |\n" % (r["name"], r["key"], r["server"], r["expected"], r["named"], " (honest)" if outcome(r) == "honest" else "",
            seen[:600], r["wouldTell"])
    return text


def visitor(r):
    """What a visitor that requests one page a second saw."""
    parts = ["%.3g s%s" % (span["medianSeconds"], ", %d %% failed" % (100 * span["failed"]) if span["failed"] else "")
        for span in (r.get("visitors", {}).get(name) for name in ("before", "during")) if span]
    return " → ".join(parts) or "–"


def table(results):
    text = "| drill | server | fault | expected | first named | right name after, s | changes | normal again after, s | alarms before | a visitor: before → in the fault |\n|---|---|---|---|---|---|---|---|---|---|\n"
    for r in results:
        if r["run"]:
            mark = {"right": "", "honest": "(honest) ", "wrong": "✗ ", "never": "✗ "}[outcome(r)]
            text += "| %s | %s | %s: %s | `%s` | %s`%s` | %s | %d | %s | %s | %s |\n" % (r["name"], r["server"], r["key"], r["fault"], r["expected"], mark, r["named"], report.figure(r["secondsToName"]),
                r["changesOfName"], report.figure(r["secondsToRecover"]), ", ".join(r["falseAlarms"]) or "none", visitor(r))
        else:
            text += "| %s | %s | %s: %s | `%s` | not run | | | | | |\n" % (r["name"], r["server"], r.get("key", ""), r["fault"], r["expected"])
    return text
