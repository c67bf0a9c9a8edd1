"""The results of bench mirrors, as a page and as JSON."""

import json

from balanced import TITLES
from oddities import EQUAL
from report import conditions_of, figure


def amount(clue, value):
    return "%.3g ms" % value if clue["unit"] == "millis" else "%.1f %%" % (100 * value)


def clue_text(clue):
    return "%s %s (peers %s to %s)" % (clue["figure"], amount(clue, clue["value"]), amount(clue, clue["peersLeast"]), amount(clue, clue["peersMost"]))


def evidence(result):
    return "; ".join(clue_text(c) for c in result["evidence"] if c["decisive"]) or "–"


def mirrors(numbers):
    return ", ".join("%s" % (n + 1) for n in numbers) or "none"


def visitors(result):
    """The visitors' medians while the oddity lasted: at the odd mirror, and the range at its peers."""
    seen = result["during"]["mirrors"]
    own, peers = seen[result["mirror"]], [m["medianMillis"] for n, m in enumerate(seen) if n != result["mirror"] and m["medianMillis"] is not None]
    return "%s / %s to %s" % (figure(own["medianMillis"]), figure(min(peers, default=None)), figure(max(peers, default=None)))


def line(result):
    if "reason" in result:
        return "%-12s not run: %s" % (result["case"], result["reason"])
    head = "%-12s %-8s %s " % (result["case"], result["site"], "right" if result["good"] else "WRONG")
    if result["case"] == EQUAL:
        return head + "%g minutes, named: %s; comparable in %.0f %% of the blocks; the servers used %.3f core" % (
            result["minutes"], mirrors(sorted({n for entry in result["named"] for n in entry[1]})), 100 * result["comparable"], result["cores"])
    return head + "mirror %d named after %s s by %s; others: %s; cleared after %s s" % (
        result["mirror"] + 1, figure(result["secondsToName"]), evidence(result), mirrors(result["others"]), figure(result["secondsToClear"]))


def page(results, conditions):
    text, odd, equal = conditions_of(conditions), [r for r in results if "oddity" in r], [r for r in results if r["case"] == EQUAL and "reason" not in r]
    if odd:
        text += "| servers | one of four | named after, s | by | another named | setting shown after, s | no longer named after the cure, s | visitors' median there / at its peers, ms |\n"
        text += "|---|---|---|---|---|---|---|---|\n"
        for r in odd:
            text += "| %s | %s | %s%s | %s | %s | %s | %s | %s |\n" % (TITLES[r["site"]], r["oddity"], "" if r["good"] else "✗ ", figure(r["secondsToName"]), evidence(r), mirrors(r["others"]),
                figure(r["secondsToSetting"]), figure(r["secondsToClear"]), visitors(r))
        text += "\n"
    if equal:
        text += "| servers | equal, minutes | named | requests a second, share of each mirror | blocks of 5 s in which it could be compared | cores that the four used |\n|---|---|---|---|---|---|\n"
        for r in equal:
            seen = r["visits"]["mirrors"]
            text += "| %s | %g | %s%s | %.0f: %s | %.0f %% | %.2f |\n" % (TITLES[r["site"]], r["minutes"], "" if r["good"] else "✗ ",
                mirrors(sorted({n for entry in r["named"] for n in entry[1]})), sum(m["perSecond"] for m in seen), ", ".join("%.0f %%" % (100 * m["share"]) for m in seen),
                100 * r["comparable"], r["cores"])
    for r in results:
        if "reason" in r:
            text += "\nNot run: %s: %s\n" % (r["case"], r["reason"])
    return text


def write(out, results, conditions):
    text = page(results, conditions)
    with open(out + "/results.md", "w") as file:
        file.write(text)
    with open(out + "/results.json", "w") as file:
        json.dump({"conditions": conditions, "cases": results}, file, indent=1)
    return text
