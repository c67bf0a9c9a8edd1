"""bench peaks: what the central service makes of each peak of the demo. Prints a row for each, and the result."""

import argparse
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "drills"))

from administrator import Administrator  # noqa: E402
from walk import Mailbox  # noqa: E402

PEAK_WITHIN = 240  # seconds from one peak to the next, at most
BEFORE = 5  # seconds before the first sight of an incident in which its mail may come: it is sent within the same second
AFTERMATH = 20  # seconds after an incident in which its alert and its mail may still come
PAUSE = 0.5


class Peak:
    """An incident from its first sight on. Further incidents beside it count as cards."""

    def __init__(self, seen):
        self.id, self.seen = seen["id"], time.time()
        self.roots, self.cards, self.alerts, self.ended = [], 1, set(), None

    def look(self, overview, alerts):
        lasting = overview["incidents"]
        self.cards = max(self.cards, len(lasting))
        mine = next((each for each in lasting if each["id"] == self.id), None)
        if mine is None:
            self.ended = self.ended or time.time()
        elif mine["settled"] and mine["root"] not in self.roots[-1:]:
            self.roots.append(mine["root"])
        self.alerts.update(each["id"] for each in alerts if each["kind"] == "service")

    def row(self, number, mails):
        services = ", ".join(self.roots) or "–"
        return "| %d | %s | %d | %d | %d | %d | %.0f |" % (number, services, max(0, len(self.roots) - 1), self.cards, len(self.alerts), mails, (self.ended or time.time()) - self.seen)

    def good(self, root, mails):
        return len(self.roots) == 1 and self.roots[0].endswith(root) and self.cards == 1 and len(self.alerts) == 1 and mails == 1


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--root", required=True, help="end of the id of the right root")
    parser.add_argument("--peaks", type=int, required=True)
    args = parser.parse_args()
    admin, box = Administrator(args.port, args.data), Mailbox()
    admin.receive_mail(box.port)
    print("| peak | root named | changes of root | incidents at once | alerts | mails | seconds |\n|---|---|---|---|---|---|---|", flush=True)
    good, number, earlier = 0, 0, set()
    while number < args.peaks:
        peak = next_peak(admin)
        if peak is None:
            print("no incident within %d s" % PEAK_WITHIN)
            return 1
        while peak.ended is None or time.time() < peak.ended + AFTERMATH:
            peak.look(admin.get("/api/v1/overview"), firing(admin, earlier))
            time.sleep(PAUSE)
        with box.lock:
            mails = sum(at >= peak.seen - BEFORE and "Firing" in subject for at, subject, _ in box.mails)
        number += 1
        earlier |= peak.alerts
        good += peak.good(args.root, mails)
        print(peak.row(number, mails), flush=True)
    print("\n**%d of %d peaks**: one incident, one alert, one mail, and %s the root from the first notice on." % (good, number, args.root))
    return 0 if good == number else 1


def firing(admin, earlier):
    return [each for each in admin.get("/api/v1/alerts")["items"] if each["id"] not in earlier]


def next_peak(admin):
    deadline = time.time() + PEAK_WITHIN
    while time.time() < deadline:
        lasting = admin.get("/api/v1/overview")["incidents"]
        if lasting:
            return Peak(lasting[0])
        time.sleep(PAUSE)
    return None


if __name__ == "__main__":
    sys.exit(main())
