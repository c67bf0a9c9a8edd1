package dev.komainu.organizer.page;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The outcomes of pushes that are not yet reported to the members that sent them: the last
 * {@value #MAX_OUTCOMES} of each member. Guarded by the lock of its owner.
 */
final class PushOutcomes {

    private static final int MAX_OUTCOMES = 256;

    private final Map<String, Unreported> byMember = new HashMap<>();

    private static final class Unreported {
        private final Deque<Long> used = new ArrayDeque<>();
        private final Deque<Long> unused = new ArrayDeque<>();

        boolean isEmpty() {
            return used.isEmpty() && unused.isEmpty();
        }
    }

    void used(String member, long number) {
        unreported(member).used.add(number);
    }

    void unused(String member, long number) {
        unreported(member).unused.add(number);
    }

    private Unreported unreported(String member) {
        Unreported unreported = byMember.computeIfAbsent(member, one -> new Unreported());
        if (unreported.used.size() + unreported.unused.size() >= MAX_OUTCOMES) {
            (unreported.used.isEmpty() ? unreported.unused : unreported.used).remove();
        }
        return unreported;
    }

    /** Removes and returns the outcomes for the next request to a member. */
    PageRequestHint takeHint(String member, List<Long> stored) {
        Unreported of = byMember.get(member);
        if (of == null) {
            return new PageRequestHint(List.of(), List.of(), stored);
        }
        PageRequestHint hint = new PageRequestHint(takeSome(of.used), takeSome(of.unused), stored);
        if (of.isEmpty()) {
            byMember.remove(member);
        }
        return hint;
    }

    private static List<Long> takeSome(Deque<Long> byMember) {
        List<Long> some = new ArrayList<>();
        while (some.size() < PageRequestHint.MAX_NUMBERS && !byMember.isEmpty()) {
            some.add(byMember.remove());
        }
        return some;
    }
}
