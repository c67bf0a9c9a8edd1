"""What bench faults' caller saw of each fault."""

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
    """Seconds from the mending until those who were away have half of the share that they had before, over a second."""
    before = [by for at, by in answers if 1 <= at < FAULT_AT]
    share = sum(by in hit for by in before) / max(1, len(before))
    for tenth in range(0, 150):
        begin = mended + tenth / 10
        inside = [by for at, by in answers if begin <= at < begin + 1]
        if inside and sum(by in hit for by in inside) >= share / 2 * len(inside):
            return tenth / 10
    return None


def again_after(answers, hit, mended):
    """Seconds from the mending until those who were away answer something."""
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
    text.write("%s requests/s. Troubled: failed, or longer than %.1f s from when they were due. Again: seconds from the fault's end until who was away answers something; back (moved: from its begin): until half of the share he had before, which he need not get where others do as well.\n\n" % (rate, SLOW_SECONDS))
    records.table(text, ("fault", "requests", "failed", "troubled", "… the last after, s", "troubled after its end", "share before", "again, s", "back, s", "p50, ms", "p99.9, ms", "tables equal, s"), rows)
