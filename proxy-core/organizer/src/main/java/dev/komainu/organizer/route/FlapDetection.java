package dev.komainu.organizer.route;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The detection of members that leave and return too often: six changes within a minute start
 * flapping, a minute without a change ends it. Not thread-safe.
 */
public final class FlapDetection {

    public static final int CHANGES = 6;
    public static final long WITHIN_MILLIS = 60_000;
    private static final int MAX_MEMBERS = 10_000;

    /** The effect of one change. */
    public enum Transition {
        NONE,
        BEGINS,
        ENDS
    }

    private final Map<MemberId, Changes> members = new HashMap<>();

    private static final class Changes {
        final ArrayDeque<Long> atMillis = new ArrayDeque<>();
        boolean isFlapping;
    }

    /** Records that a member joined, left, stopped or recovered. */
    public Transition changed(MemberId member, long nowMillis) {
        if (members.size() >= MAX_MEMBERS && !members.containsKey(member)) {
            return Transition.NONE;
        }
        Changes changes = members.computeIfAbsent(member, id -> new Changes());
        changes.atMillis.addLast(nowMillis);
        while (changes.atMillis.size() > CHANGES) {
            changes.atMillis.removeFirst();
        }
        boolean many = changes.atMillis.size() == CHANGES
                && nowMillis - changes.atMillis.getFirst() <= WITHIN_MILLIS;
        if (many && !changes.isFlapping) {
            changes.isFlapping = true;
            return Transition.BEGINS;
        }
        return Transition.NONE;
    }

    /**
     * Reports whether flapping ends now. Called every second for each watched member; a member
     * without recent changes is forgotten.
     */
    public Transition expire(MemberId member, long nowMillis) {
        Changes changes = members.get(member);
        if (changes == null || nowMillis - changes.atMillis.getLast() < WITHIN_MILLIS) {
            return Transition.NONE;
        }
        members.remove(member);
        return changes.isFlapping ? Transition.ENDS : Transition.NONE;
    }

    /** Reports whether a member flaps now. */
    public boolean isFlapping(MemberId member) {
        Changes changes = members.get(member);
        return changes != null && changes.isFlapping;
    }

    /** Returns the members with recent changes. */
    public Iterable<MemberId> watched() {
        return List.copyOf(members.keySet());
    }
}
