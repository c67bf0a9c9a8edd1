package dev.komainu.organizer.page;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What became of pushes, until it is said to the members that made them; of each member the last
 * {@value #MOST}. Guarded by its owner's lock.
 */
final class PushOutcomes {

    private static final int MOST = 256;

    private final Map<String, Unsaid> all = new HashMap<>();

    private static final class Unsaid {
        private final Deque<Long> used = new ArrayDeque<>();
        private final Deque<Long> left = new ArrayDeque<>();

        boolean isEmpty() {
            return used.isEmpty() && left.isEmpty();
        }
    }

    void used(String member, long number) {
        to(member).used.add(number);
    }

    void left(String member, long number) {
        to(member).left.add(number);
    }

    private Unsaid to(String member) {
        Unsaid to = all.computeIfAbsent(member, one -> new Unsaid());
        if (to.used.size() + to.left.size() >= MOST) {
            (to.used.isEmpty() ? to.left : to.used).remove();
        }
        return to;
    }

    /** As much as is said at once; it counts as said. */
    PageRequestHint say(String member, List<Long> held) {
        Unsaid of = all.get(member);
        if (of == null) {
            return new PageRequestHint(List.of(), List.of(), held);
        }
        PageRequestHint word = new PageRequestHint(some(of.used), some(of.left), held);
        if (of.isEmpty()) {
            all.remove(member);
        }
        return word;
    }

    private static List<Long> some(Deque<Long> all) {
        List<Long> some = new ArrayList<>();
        while (some.size() < PageRequestHint.MOST && !all.isEmpty()) {
            some.add(all.remove());
        }
        return some;
    }
}
