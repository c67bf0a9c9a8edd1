"""The effect of each fault of bench faults on its caller."""

import os
import sys

import records

work, out, rate = sys.argv[1:4]
FAULT_AT = 5.0
SLOW_SECONDS = 0.5
TELL = {
    "server-killed": ("m2",), "organizer-killed": ("m2",), "host-cut": ("m3",), "partition": ("m2", "m3"), "server-slow": ("m3",), "moved": ("m1",)}


def shown(seconds):
    return "–" if seconds is None else "%.1f" % seconds


def back_after(answers, hit, mended):
    """Seconds from the end of the fault until the affected members have half of their former share, over a second."""
    before = [by for at, by in answers if 1 <= at < FAULT_AT]
    share = sum(by in hit for by in before) / max(1, len(before))
    for tenth in range(0, 150):
        begin = mended + tenth / 10
        inside = [by for at, by in answers if begin <= at < begin + 1]
        if inside and sum(by in hit for by in inside) >= share / 2 * len(inside):
            return tenth / 10
    return None


def again_after(answers, hit, mended):
    """Seconds from the end of the fault until an affected member serves a response."""
    first = min((at for at, by in answers if at >= mended and by in hit), default=None)
    return None if first is None else first - mended


rows = []
for line in open(work + "/faults.txt"):
    fault, lasted = line.split()
    mended = FAULT_AT + float(lasted)
    asked = [(int(due) / 1e6, int(took) / 1e6, int(status), by) for due, took, status, by in (one.split() for one in open("%s/log-%s.txt" % (work, fault)))]
    failed = [one for one in asked if one[2] != 200]
    troubled = [due for due, took, status, _ in asked if FAULT_AT - 1 <= due < mended and (status != 200 or took > SLOW_SECONDS)]
    after = [due for due, took, status, _ in asked if due >= mended and (status != 200 or took > SLOW_SECONDS)]
    answers = [(due, by) for due, _, status, by in asked if status == 200]
    took = sorted(one[1] for one in asked if one[2] == 200)
    kinds = {}
    for one in failed:
        kinds[one[2]] = kinds.get(one[2], 0) + 1
    equal = "%s/equal-%s.txt" % (work, fault)
    equal = float(open(equal).read() or "nan") if os.path.exists(equal) else float("nan")
    before = [by for at, by in answers if 1 <= at < FAULT_AT]
    rows.append((
        fault, str(len(asked)), str(len(failed)) + "".join(" (%s: %d)" % ("cut off" if kind == 0 else kind, count) for kind, count in sorted(kinds.items())),
        str(len(troubled)), shown(max(troubled) - FAULT_AT if troubled else 0.0), str(len(after)),
        "%.0f %%" % (100 * sum(by in TELL[fault] for by in before) / max(1, len(before))),
        shown(None if fault == "moved" else again_after(answers, TELL[fault], mended)),
        shown(back_after(answers, TELL[fault], FAULT_AT if fault == "moved" else mended)),
        "%.1f" % (1000 * records.quantile(took, .5)), "%.0f" % (1000 * records.quantile(took, .999)), "never" if equal != equal else "%.1f" % equal))

with open(out + "/results.md", "w") as text:
    text.write("# Mirrors behind organizers, under faults\n\n" + open(work + "/conditions.md").read() + "\n")
    text.write("%s requests/s. Impaired: failed, or complete more than %.1f s after their due time. First response: seconds from the end of the fault until an affected member serves a response. Back (moved: from its beginning): seconds until the affected members have half of their former share; they need not reach it where other members serve equally well.\n\n" % (rate, SLOW_SECONDS))
    records.table(text, ("fault", "requests", "failed", "impaired", "… the last after, s", "impaired after its end", "share before", "first response, s", "back, s", "p50, ms", "p99.9, ms", "tables equal, s"), rows)
