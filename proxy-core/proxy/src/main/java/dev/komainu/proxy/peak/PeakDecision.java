package dev.komainu.proxy.peak;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decision between peak and off-peak, with its ground and start. The first of these grounds
 * that applies decides:
 *
 * <pre>
 *   ORDERED   an administrator's order, until its end
 *   PRESSED   {@link LoadDemand}: the load exceeds a limit
 *   EXPECTED  {@link PeakHistory}: a usual peak is about to start, or is late; not after it has started and ended
 *   QUIET     none of these
 * </pre>
 *
 * A peak lasts at least {@code leave}, the time between two peaks at least {@code enter}; only
 * orders change the state sooner. A learned peak that does not start ends with its grace period.
 * While it may still start, a sign of load takes effect at once. One thread.
 */
public final class PeakDecision {

    /** The ground of a decision. */
    public enum Ground {
        ORDERED,
        PRESSED,
        EXPECTED,
        QUIET
    }

    /**
     * The decision in force.
     *
     * @param sinceMillis since the epoch
     */
    public record Now(boolean peak, Ground ground, String reason, long sinceMillis) {}

    /**
     * An administrator's order.
     *
     * @param untilMillis since the epoch
     */
    public record Order(boolean peak, long untilMillis) {}

    private final PeakHistory history;
    private PeakSettings settings;
    private LoadDemand demand;
    private @Nullable Order order;
    private Now now;
    private long pressedSince;
    /** The expected start of the usual peak that already occurred or was skipped. */
    private long lastOccurredMillis = Long.MIN_VALUE;

    public PeakDecision(PeakSettings settings, PeakHistory history, long startMillis) {
        this.settings = settings;
        this.history = history;
        this.demand = new LoadDemand(settings);
        this.now = new Now(false, Ground.QUIET, "the start", startMillis);
    }

    /** Applies other limits. */
    public void reload(PeakSettings next) {
        settings = next;
        demand = new LoadDemand(next, demand);
    }

    /** Sets an administrator's order; null ends it. */
    public void order(@Nullable Order next) {
        order = next;
    }

    /** Returns the administrator's order in force; null: none. */
    public @Nullable Order order() {
        return order;
    }

    /** Evaluates one more second. Returns whether the state changed between peak and off-peak. */
    public boolean add(SecondReading second) {
        long atMillis = second.atMillis();
        List<PeakHistory.Expected> usual =
                settings.learn() ? history.expected(atMillis) : List.of();
        boolean armed = usual.stream().anyMatch(next -> isArmed(next, atMillis));
        if (settings.learn()) {
            history.arrivals(atMillis, second.arrivals());
        }
        if (demand.add(second, armed)) {
            onDemandChange(atMillis, usual);
        }
        Order activeOrder = order;
        if (activeOrder != null && activeOrder.untilMillis() <= atMillis) {
            order = null;
            activeOrder = null;
        }
        Now next = evaluate(atMillis, usual, activeOrder);
        boolean switches = next.peak() != now.peak();
        if (switches
                && next.ground() != Ground.ORDERED
                && now.ground() != Ground.ORDERED
                && tooSoon(atMillis)) {
            return false;
        }
        if (switches || next.ground() != now.ground()) {
            now = new Now(
                    next.peak(),
                    next.ground(),
                    next.reason(),
                    switches ? atMillis : now.sinceMillis());
        }
        return switches;
    }

    private boolean isArmed(PeakHistory.Expected next, long atMillis) {
        return next.atMillis() != lastOccurredMillis
                && atMillis >= next.armedFromMillis()
                && atMillis <= next.armedToMillis();
    }

    private void onDemandChange(long atMillis, List<PeakHistory.Expected> usual) {
        if (demand.isPressed()) {
            pressedSince = atMillis;
            return;
        }
        // Checked before this peak is learned.
        for (PeakHistory.Expected expected : usual) {
            if (pressedSince >= expected.armedFromMillis()
                    && pressedSince <= expected.armedToMillis()) {
                lastOccurredMillis = expected.atMillis();
            }
        }
        if (settings.learn()) {
            history.pressed(pressedSince, atMillis);
        }
    }

    private Now evaluate(
            long atMillis, List<PeakHistory.Expected> usual, @Nullable Order activeOrder) {
        if (activeOrder != null) {
            return new Now(activeOrder.peak(), Ground.ORDERED, "by order", atMillis);
        }
        if (demand.isPressed()) {
            return new Now(true, Ground.PRESSED, demand.reason(), atMillis);
        }
        for (PeakHistory.Expected expected : usual) {
            if (expected.atMillis() != lastOccurredMillis
                    && atMillis >= expected.heldFromMillis()
                    && atMillis <= expected.heldToMillis()) {
                return new Now(
                        true,
                        Ground.EXPECTED,
                        "a usual peak "
                                + (atMillis < expected.atMillis()
                                        ? "begins in " + (expected.atMillis() - atMillis) / 1000
                                                + " s"
                                        : "is late by " + (atMillis - expected.atMillis()) / 1000
                                                + " s")
                                + " (learned, spread " + expected.spreadMillis() / 1000 + " s)",
                        atMillis);
            }
        }
        return new Now(false, Ground.QUIET, now.peak() ? quietReason() : now.reason(), atMillis);
    }

    private String quietReason() {
        return now.ground() == Ground.EXPECTED ? "the usual peak did not come" : demand.reason();
    }

    private boolean tooSoon(long atMillis) {
        return atMillis - now.sinceMillis()
                < (now.peak() ? settings.leave() : settings.enter()).toMillis();
    }

    public Now now() {
        return now;
    }

    public LoadDemand demand() {
        return demand;
    }

    /** Returns the usual peak that is waited for or comes next; null when none is known. */
    public PeakHistory.@Nullable Expected next(long atMillis) {
        if (!settings.learn()) {
            return null;
        }
        for (PeakHistory.Expected expected : history.expected(atMillis)) {
            if (expected.atMillis() != lastOccurredMillis && expected.heldToMillis() >= atMillis) {
                return expected;
            }
        }
        return null;
    }
}
