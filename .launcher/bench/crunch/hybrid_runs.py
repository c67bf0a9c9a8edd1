"""The output of one run of bench hybrid or rhythm: the load's phases and slices, the proxy's seconds, on one clock."""

import datetime
import json


class Run:
    def __init__(self, work, name):
        self.load = json.load(open("%s/load-%s.json" % (work, name)))
        self.began = datetime.datetime.fromisoformat(self.load["began"].replace("Z", "+00:00")).timestamp()
        self.seconds = [json.loads(line) for line in open("%s/watch-%s.out" % (work, name)) if line.endswith("}\n")]
        self.phases, at = {}, 0.0
        for phase in self.load["phases"]:
            phase["from"], at = at, at + phase["seconds"]
            phase["to"] = at
            self.phases[phase["name"]] = phase

    def counted(self, key, second):
        """A counter of the proxy at a second of the load, interpolated between two samples."""
        at = self.began + second
        before = [s for s in self.seconds if s["at"] <= at]
        after = [s for s in self.seconds if s["at"] > at]
        if not before or not after:
            return (before or after)[-1 if before else 0]["stats"][key] or 0
        low, high = before[-1], after[0]
        share = (at - low["at"]) / (high["at"] - low["at"])
        return (low["stats"][key] or 0) * (1 - share) + (high["stats"][key] or 0) * share

    def share_from_disk(self, phase):
        """The percentage of all requests that waited for the disk and were served from it."""
        asked = self.counted("requests", phase["to"]) - self.counted("requests", phase["from"])
        return 100 * (self.counted("diskHits", phase["to"]) - self.counted("diskHits", phase["from"])) / max(1, asked)

    def switches(self):
        """(second of the load, peak, ground, reason), in order."""
        found = {}
        for second in self.seconds:
            for one in (second["peak"] or {}).get("history", []):
                found[one["sinceMicros"]] = (one["sinceMicros"] / 1e6 - self.began, one["peak"], one["ground"], one["reason"])
        return [found[key] for key in sorted(found)]


def hit_ratio(tally):
    return 100 * tally["hit"] / max(1, tally["answered"])


def failures(tally):
    return sum(tally[k] for k in ("refused", "timedOut", "broken", "malformed", "ownLimit", "turnedAway", "serverErrors"))


def millis(times, key):
    return times[key] / 1000 if times["count"] else float("nan")


def shown(value):
    return "–" if value != value else "%.2f" % value if value < 10 else "%.0f" % value


def middle(values):
    """The median; for an even number of values the mean of the middle two."""
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2
