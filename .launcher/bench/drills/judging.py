"""What a sequence of states says: the first name of a fault, and how often the name changed while the fault lasted."""

from watch import NO_ALARM

# A stop of which nothing is known yet: it becomes a name only when no other one follows.
PRELIMINARY = "stopped/unclear"


def first_name(changes):
    """The entry of the first alarm, or None. An unclear stop counts by the name that follows it."""
    alarms = [e for e in changes if e["state"] not in NO_ALARM]
    if alarms and alarms[0]["state"] == PRELIMINARY:
        return next((e for e in alarms if e["state"] != PRELIMINARY), alarms[0])
    return alarms[0] if alarms else None


def changes_of_name(changes, cure):
    """How often the state changed between the first name and the cure."""
    first = first_name(changes)
    return sum(1 for e in changes if first and first["at"] < e["at"] <= cure)
