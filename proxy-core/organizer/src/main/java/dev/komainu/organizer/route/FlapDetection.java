package dev.komainu.organizer.route;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Members that come and go too often: six changes within a minute make one flap, a minute without
 * any ends it. Not safe for several threads.
 */
public final class FlapDetection {

    public static final int CHANGES = 6;
    public static final long WITHIN_MILLIS = 60_000;
    private static final int MOST_MEMBERS = 10_000;

    /** What a change means. */
    public enum Turn {
        NONE,
        BEGINS,
        ENDS
    }

    private final Map<MemberId, Changes> members = new HashMap<>();

    private static final class Changes {
        final ArrayDeque<Long> atMillis = new ArrayDeque<>();
        boolean flaps;
    }

    /** A member came, went, stopped or did well again. */
    public Turn changed(MemberId member, long nowMillis) {
        if (members.size() >= MOST_MEMBERS && !members.containsKey(member)) {
            return Turn.NONE;
        }
        Changes changes = members.computeIfAbsent(member, id -> new Changes());
        changes.atMillis.addLast(nowMillis);
        while (changes.atMillis.size() > CHANGES) {
            changes.atMillis.removeFirst();
        }
        boolean many = changes.atMillis.size() == CHANGES
                && nowMillis - changes.atMillis.getFirst() <= WITHIN_MILLIS;
        if (many && !changes.flaps) {
            changes.flaps = true;
            return Turn.BEGINS;
        }
        return Turn.NONE;
    }

    /** Asked every second for each that flaps; a calm one is forgotten. */
    public Turn calmed(MemberId member, long nowMillis) {
        Changes changes = members.get(member);
        if (changes == null || nowMillis - changes.atMillis.getLast() < WITHIN_MILLIS) {
            return Turn.NONE;
        }
        members.remove(member);
        return changes.flaps ? Turn.ENDS : Turn.NONE;
    }

    /** Whether a member flaps now. */
    public boolean flaps(MemberId member) {
        Changes changes = members.get(member);
        return changes != null && changes.flaps;
    }

    /** All that changed of late. */
    public Iterable<MemberId> watched() {
        return List.copyOf(members.keySet());
    }
}
