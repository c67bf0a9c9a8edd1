package dev.komainu.proxy.peak;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Peak or off-peak, why, and since when. The first of these that says something counts:
 *
 * <pre>
 *   ORDERED   an administrator's word, until its end
 *   PRESSED   {@link LoadDemand}: the load is here
 *   EXPECTED  {@link PeakHistory}: a usual peak is about to come, or is late; not any more once it came and went
 *   QUIET     nothing of it
 * </pre>
 *
 * A peak lasts {@code leave} at least, what lies between two of them {@code enter}; only orders
 * change it sooner. A learned peak that does not come ends with its grace; for as long as it may
 * still come, the demand is judged at once. One thread.
 */
public final class PeakDecision {

    /** Who decided. */
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
     * An administrator's word.
     *
     * @param untilMillis since the epoch
     */
    public record Order(boolean peak, long untilMillis) {}

    private final PeakHistory rhythm;
    private PeakSettings settings;
    private LoadDemand demand;
    private @Nullable Order order;
    private Now now;
    private long pressedSince;
    /** The expected beginning of the usual peak that came already, or was done without. */
    private long came = Long.MIN_VALUE;

    public PeakDecision(PeakSettings settings, PeakHistory rhythm, long startMillis) {
        this.settings = settings;
        this.rhythm = rhythm;
        this.demand = new LoadDemand(settings);
        this.now = new Now(false, Ground.QUIET, "the start", startMillis);
    }

    /** Other limits from now on. */
    public void ruleBy(PeakSettings next) {
        settings = next;
        demand = new LoadDemand(next, demand);
    }

    /** Absent: decide by yourself again. */
    public void order(@Nullable Order next) {
        order = next;
    }

    public @Nullable Order order() {
        return order;
    }

    /** One second more. @return whether it switched between peak and off-peak */
    public boolean take(SecondReading second) {
        long at = second.atMillis();
        List<PeakHistory.Expected> usual = settings.learn() ? rhythm.expected(at) : List.of();
        boolean armed = usual.stream().anyMatch(next -> isArmed(next, at));
        if (settings.learn()) {
            rhythm.arrivals(at, second.arrivals());
        }
        if (demand.take(second, armed)) {
            turned(at, usual);
        }
        Order word = order;
        if (word != null && word.untilMillis() <= at) {
            order = null;
            word = null;
        }
        Now next = judged(at, usual, word);
        boolean switches = next.peak() != now.peak();
        if (switches
                && next.ground() != Ground.ORDERED
                && now.ground() != Ground.ORDERED
                && tooSoon(at)) {
            return false;
        }
        if (switches || next.ground() != now.ground()) {
            now = new Now(
                    next.peak(), next.ground(), next.reason(), switches ? at : now.sinceMillis());
        }
        return switches;
    }

    private boolean isArmed(PeakHistory.Expected next, long at) {
        return next.atMillis() != came
                && at >= next.armedFromMillis()
                && at <= next.armedToMillis();
    }

    private void turned(long at, List<PeakHistory.Expected> usual) {
        if (demand.isPressed()) {
            pressedSince = at;
            return;
        }
        // Looked for before this one is learned.
        for (PeakHistory.Expected each : usual) {
            if (pressedSince >= each.armedFromMillis() && pressedSince <= each.armedToMillis()) {
                came = each.atMillis();
            }
        }
        if (settings.learn()) {
            rhythm.pressed(pressedSince, at);
        }
    }

    private Now judged(long at, List<PeakHistory.Expected> usual, @Nullable Order word) {
        if (word != null) {
            return new Now(word.peak(), Ground.ORDERED, "by order", at);
        }
        if (demand.isPressed()) {
            return new Now(true, Ground.PRESSED, demand.reason(), at);
        }
        for (PeakHistory.Expected each : usual) {
            if (each.atMillis() != came
                    && at >= each.heldFromMillis()
                    && at <= each.heldToMillis()) {
                return new Now(
                        true,
                        Ground.EXPECTED,
                        "a usual peak "
                                + (at < each.atMillis()
                                        ? "begins in " + (each.atMillis() - at) / 1000 + " s"
                                        : "is late by " + (at - each.atMillis()) / 1000 + " s")
                                + " (learned, spread " + each.spreadMillis() / 1000 + " s)",
                        at);
            }
        }
        return new Now(false, Ground.QUIET, now.peak() ? quiet() : now.reason(), at);
    }

    private String quiet() {
        return now.ground() == Ground.EXPECTED ? "the usual peak did not come" : demand.reason();
    }

    private boolean tooSoon(long at) {
        return at - now.sinceMillis()
                < (now.peak() ? settings.leave() : settings.enter()).toMillis();
    }

    public Now now() {
        return now;
    }

    public LoadDemand demand() {
        return demand;
    }

    /** The usual peak that is waited for, or comes next; absent when none is known. */
    public PeakHistory.@Nullable Expected next(long atMillis) {
        if (!settings.learn()) {
            return null;
        }
        for (PeakHistory.Expected each : rhythm.expected(atMillis)) {
            if (each.atMillis() != came && each.heldToMillis() >= atMillis) {
                return each;
            }
        }
        return null;
    }
}
