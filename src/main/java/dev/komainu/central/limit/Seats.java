package dev.komainu.central.limit;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The seats of something that callers do at the same time, with a limit for all, one for each
 * caller, and some seats only for administrators. Thread-safe.
 */
public final class Seats {

    private final int all;
    private final int perCaller;
    private final int forAdministrators;

    /** The seats of each caller; guarded by this. */
    private final Map<String, Integer> taken = new HashMap<>();

    /** The sum of {@link #taken}; guarded by this. */
    private int sum;

    /**
     * Creates the seats. If there are fewer than twice the administrators' seats, half of them are
     * the administrators'.
     */
    public Seats(int all, int perCaller, int forAdministrators) {
        this.all = all;
        this.perCaller = perCaller;
        this.forAdministrators = Math.min(forAdministrators, all / 2);
    }

    /** The result of an attempt to take a seat. */
    public enum Attempt {
        TAKEN,
        ALL_TAKEN,
        CALLERS_TAKEN
    }

    /** Takes a seat; the caller must {@link #leave} it if it was taken. */
    public synchronized Attempt take(String caller, boolean administrator) {
        if (sum >= (administrator ? all : all - forAdministrators)) {
            return Attempt.ALL_TAKEN;
        }
        int own = taken.getOrDefault(caller, 0);
        if (own >= perCaller) {
            return Attempt.CALLERS_TAKEN;
        }
        taken.put(caller, own + 1);
        sum++;
        return Attempt.TAKEN;
    }

    public synchronized void leave(String caller) {
        int own = Optional.ofNullable(taken.get(caller)).orElseThrow();
        if (own == 1) {
            taken.remove(caller);
        } else {
            taken.put(caller, own - 1);
        }
        sum--;
    }

    /** Returns the number of seats taken. */
    public synchronized int taken() {
        return sum;
    }
}
