package dev.komainu.load;

import dev.komainu.load.browser.RequestOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What came of the wishes, by the step of the load in which they were to be there, and by slices of
 * a few seconds.
 *
 * <p>All times count from the instant of the wish, not from when a connection was free for it or
 * the load had time: a server that stands still for a second is seen to have made everybody of that
 * second wait (no coordinated omission). Safe for all threads.
 */
final class LoadMeasurements {

    private final long begunNanos;
    private final LoadPhases phases;
    private final int sliceSeconds;
    // Guarded by this.
    private final List<RequestTally> steps = new ArrayList<>();
    private final List<RequestTally> slices = new ArrayList<>();
    private final RequestTally all = new RequestTally(3);
    private long under;

    /** @param sliceSeconds 1 or more */
    LoadMeasurements(long begunNanos, LoadPhases phases, int sliceSeconds) {
        this.begunNanos = begunNanos;
        this.phases = phases;
        this.sliceSeconds = sliceSeconds;
        phases.steps().forEach(step -> steps.add(new RequestTally(3)));
    }

    /** So many objects are wished for now. */
    synchronized void wished(long wishedNanos, int objects, long lateNanos) {
        under += objects;
        both(wishedNanos, tally -> tally.wished(objects, lateNanos));
    }

    /** A visitor found no room: as many came as were to be here at once. */
    synchronized void turnedAway(long wishedNanos) {
        both(wishedNanos, RequestTally::turnAway);
    }

    synchronized void told(RequestOutcome outcome) {
        under--;
        both(outcome.wishedNanos(), tally -> tally.told(outcome));
    }

    /** Objects of a page that nobody wishes for any more, because its document did not come. */
    synchronized void unwished(long wishedNanos, int objects) {
        under -= objects;
        both(wishedNanos, tally -> tally.wished(-objects, 0));
    }

    private void both(long wishedNanos, Consumer<RequestTally> what) {
        double second = Math.max(0, (wishedNanos - begunNanos) / 1e9);
        what.accept(steps.get(phases.stepAt(second)));
        int slice = (int) (second / sliceSeconds);
        while (slices.size() <= slice) {
            slices.add(new RequestTally(2));
        }
        what.accept(slices.get(slice));
        what.accept(all);
    }

    /** Under the lock: {@code by} must not keep what it is shown. */
    synchronized void show(Consumer<LoadMeasurements> by) {
        by.accept(this);
    }

    LoadPhases phases() {
        return phases;
    }

    int sliceSeconds() {
        return sliceSeconds;
    }

    /** For {@link #show} only. */
    List<RequestTally> steps() {
        return steps;
    }

    /** For {@link #show} only. */
    List<RequestTally> slices() {
        return slices;
    }

    /** For {@link #show} only. */
    RequestTally all() {
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
