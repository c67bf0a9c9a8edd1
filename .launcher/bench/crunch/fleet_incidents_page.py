"""The verdict on incidents of a fleet, and its page: was each named as promptly among the quiet services as alone?"""

TOLERANCE = 5  # seconds that a cause may be named later among the others than alone
LATE_MILLIS = 1_000  # a record played later than this makes the seconds of its incident wrong


def failure(own, others):
    """Why an incident counts as named worse among the others than alone; empty when it does not."""
    if own["rightSeconds"] is None:
        return "not named alone"
    if others["rightSeconds"] is None:
        return "not named"
    if others["rightSeconds"] - own["rightSeconds"] > TOLERANCE:
        return "later"
    if others["alarmsBefore"] and not own["alarmsBefore"]:
        return "alarm before the onset"
    return "another name first" if others["first"] != own["first"] else ""


def figure(value):
    return "–" if value is None else "%.1f" % value


def table(incidents, own, fleet, marker):
    lines = [marker, ""] if marker else []
    found = list(zip(incidents, fleet["incidents"]))
    late = [(each, result) for each, result in found if failure(own[each["name"]], result)]
    differences = [result["rightSeconds"] - own[each["name"]]["rightSeconds"] for each, result in found if not failure(own[each["name"]], result)]
    named = sorted({each["service"] for each in fleet["namedWrongly"]})
    lines += [
        "%d incidents from %d recorded drills among %d quiet services, %.0f minutes, heap %s MB: **%d as promptly as alone** (at most %d s later; largest difference %s s). "
        "**Quiet services named wrongly: %s.**" % (
            len(found), len(own), fleet["quiet"], fleet["minutes"], fleet["heap"], len(found) - len(late), TOLERANCE,
            "%+.1f" % max(differences) if differences else "–", len(named) or "none"),
        "",
        "Central service: %.2f cores, %d MB resident, acknowledged p50 %.0f ms, p99 %.0f ms, %d of %d agent seconds late."
        % (fleet["cores"], fleet["resident"]["now"], fleet["acknowledged"]["p50"], fleet["acknowledged"]["p99"], fleet["acknowledged"]["late"], fleet["acknowledged"]["seconds"]),
        "",
        "Latest played record: %d ms after its time alone, %d ms among%s." % (
            max(each["played"]["latestMillis"] for each in own.values()), fleet["played"]["latestMillis"],
            "" if all(punctual(each) for each in [fleet["played"], *(alone_["played"] for alone_ in own.values())]) else
            ": **the machine was too busy for the players, the seconds are not valid**"),
        "",
        "| incident | recorded drill | server | expected | first named alone | among | right cause after, s: when recorded | alone | among | |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    repeated = set()
    for each, result in found:
        alone_, again = own[each["name"]], " (again)" if each["name"] in repeated else ""
        repeated.add(each["name"])
        lines.append("| %s | %s%s | %s | `%s` | `%s` | `%s` | %s | %s | %s | %s |" % (
            each["host"], each["name"], again, each["server"], each["expected"], alone_["first"], result["first"],
            figure(each["secondsToName"]), figure(alone_["rightSeconds"]), figure(result["rightSeconds"]), failure(alone_, result)))
    if len(found) > len(own):
        lines += ["", "There are fewer recordings than incidents: those marked `again` are the same recording on another host at another time."]
    if fleet["namedWrongly"]:
        lines += ["", "| quiet service | named | cause |", "|---|---|---|"]
        lines += ["| %s | `%s` | %s |" % (each["service"], each["state"], each["cause"].replace("|", "/")) for each in fleet["namedWrongly"][:100]]
    return "\n".join(lines) + "\n"


def complete(played):
    return played["sent"] == played["accepted"]


def punctual(played):
    return complete(played) and played["latestMillis"] <= LATE_MILLIS
