package dev.komainu.load;

import dev.komainu.load.browser.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What came of the wishes, by the step of the load in which they were to be there, and by slices of a few seconds.
 *
 * <p>All times count from the instant of the wish, not from when a connection was free for it or the load had time: a server
 * that stands still for a second is seen to have made everybody of that second wait (no coordinated omission). Safe for all
 * threads.
 */
final class Measured {

    private final long begunNanos;
    private final Phases phases;
    private final int sliceSeconds;
    // Guarded by this.
    private final List<Tally> steps = new ArrayList<>();
    private final List<Tally> slices = new ArrayList<>();
    private final Tally all = new Tally(3);
    private long under;

    /** @param sliceSeconds 1 or more */
    Measured(long begunNanos, Phases phases, int sliceSeconds) {
        this.begunNanos = begunNanos;
        this.phases = phases;
        this.sliceSeconds = sliceSeconds;
        phases.steps().forEach(step -> steps.add(new Tally(3)));
    }

    /** So many objects are wished for now. */
    synchronized void wished(long wishedNanos, int objects, long lateNanos) {
        under += objects;
        both(wishedNanos, tally -> tally.wished(objects, lateNanos));
    }

    /** A visitor found no room: as many came as were to be here at once. */
    synchronized void turnedAway(long wishedNanos) {
        both(wishedNanos, Tally::turnAway);
    }

    synchronized void told(Outcome outcome) {
        under--;
        both(outcome.wishedNanos(), tally -> tally.told(outcome));
    }

    /** Objects of a page that nobody wishes for any more, because its document did not come. */
    synchronized void unwished(long wishedNanos, int objects) {
        under -= objects;
        both(wishedNanos, tally -> tally.wished(-objects, 0));
    }

    private void both(long wishedNanos, Consumer<Tally> what) {
        double second = Math.max(0, (wishedNanos - begunNanos) / 1e9);
        what.accept(steps.get(phases.stepAt(second)));
        int slice = (int) (second / sliceSeconds);
        while (slices.size() <= slice) {
            slices.add(new Tally(2));
        }
        what.accept(slices.get(slice));
        what.accept(all);
    }

    /** Under the lock: {@code by} must not keep what it is shown. */
    synchronized void show(Consumer<Measured> by) {
        by.accept(this);
    }

    Phases phases() {
        return phases;
    }

    int sliceSeconds() {
        return sliceSeconds;
    }

    /** For {@link #show} only. */
    List<Tally> steps() {
        return steps;
    }

    /** For {@link #show} only. */
    List<Tally> slices() {
        return slices;
    }

    /** For {@link #show} only. */
    Tally all() {
        return all;
    }

    /** Objects wished for and not told. */
    synchronized long under() {
        return under;
    }

    /** Whether anything was answered at all. */
    synchronized boolean anythingCame() {
        return all.answered() > 0;
    }
}
