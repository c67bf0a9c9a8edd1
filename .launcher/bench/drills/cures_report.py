"""The results of the cures, as a table."""


def figure(value):
    return "–" if value is None else "%.3g" % value


def change(told):
    return "`%s` %s → %s" % (told["setting"], told["before"] or "(not set)", told["after"]) if "setting" in told else "–"


def verdict(told):
    if "verdict" not in told:
        return told.get("trouble", "–").replace("\n", " ").replace("|", "/")[:300]
    return "%s (%s)" % (told["verdict"], told["reason"])


def seen(told):
    """The figure that decided, with the interval of its difference."""
    row = told.get("witness")
    if not row:
        return "–"
    return "%s %s → %s %s; difference %s to %s" % (row["index"], figure(row["before"]), figure(row["after"]), row["unit"], figure(row["low"]), figure(row["high"]))


def line(result):
    told = result["cure"]
    return "%-22s %-9s %s: %s, %s; %s; normal %s, restored %s" % (result["name"], "right" if result["cured"] else "WRONG", told.get("id") or "change", change(told),
        verdict(told), seen(told), told.get("normal"), told.get("restored"))


def table(results):
    run = [r for r in results if r["run"]]
    text = "**%d of %d as expected** (advised: improved, and normal again while the load continues; useless: unchanged; harmful: worse). Each change was undone: the old value is effective again, and its file is the same byte for byte. Not run: %d.\n\n" % (
        sum(r["cured"] for r in run), len(run), len(results) - len(run))
    text += "| drill | server | state before | leaf | first advice | change | applied by | verdict | deciding figure, 95 % interval | state after | restored |\n|---|---|---|---|---|---|---|---|---|---|---|\n"
    for r in results:
        if not r["run"]:
            text += "| %s | %s | not run: %s | | | | | | | | |\n" % (r["name"], r["server"], r["reason"].replace("\n", " ")[:200])
            continue
        told = r["cure"]
        meant = "" if told.get("expected", True) else " (another was expected)"
        text += "| %s | %s | `%s` | %s | %s | %s | %s | %s%s | %s | %s | %s |\n" % (r["name"], r["server"], told.get("stateBefore") or told.get("state", told.get("named", "–")), told.get("leaf", "–"),
            told.get("id") or "none: " + r["fault"], change(told) + meant, told.get("how", "–"), "" if r["cured"] else "✗ ", verdict(told), seen(told),
            "`%s`" % told["stateAfter"] if told.get("stateAfter") else "–", {True: "yes", False: "✗ no"}.get(told.get("restored"), "–"))
    return text


def walks(results):
    """Seconds from the onset to each step."""
    steps = ["mail", "opened", "advised", "applied", "verified"]
    text = "Seconds from the onset to each step, from the mail to the verified change, in a browser:\n\n| drill | server | leaf | change | %s | verdict |\n|---|---|---|---|%s---|\n" % (
        " | ".join(steps), "---|" * len(steps))
    for r in results:
        told = r.get("cure", {})
        walk = told.get("walk", {})
        text += "| %s | %s | %s | %s | %s | %s |\n" % (r["name"], r["server"], told.get("leaf", "–"), change(told),
            " | ".join("%.0f" % walk[s] if s in walk else "–" for s in steps), told.get("verdict") or verdict(told) if r["run"] else "not run")
    return text
