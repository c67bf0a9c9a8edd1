package dev.komainu.load;

import dev.komainu.load.browser.RequestOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The outcomes of the requests, by the step of the load in which they were due, and by slices of a
 * few seconds.
 *
 * <p>All times are measured from the instant at which the request was due, not from when a
 * connection or the load itself was ready for it. The delays of a server that stops for a second
 * are therefore part of the times of all requests due in this second (no coordinated omission).
 * Thread-safe.
 */
final class LoadMeasurements {

    private final long startNanos;
    private final LoadPhases phases;
    private final int sliceSeconds;
    // Guarded by this.
    private final List<RequestTally> steps = new ArrayList<>();
    private final List<RequestTally> slices = new ArrayList<>();
    private final RequestTally all = new RequestTally(3);
    private long inProgress;

    /**
     * Creates empty measurements.
     *
     * @param sliceSeconds 1 or more
     */
    LoadMeasurements(long startNanos, LoadPhases phases, int sliceSeconds) {
        this.startNanos = startNanos;
        this.phases = phases;
        this.sliceSeconds = sliceSeconds;
        phases.steps().forEach(step -> steps.add(new RequestTally(3)));
    }

    /** Counts objects requested now. */
    synchronized void requested(long dueNanos, int objects, long lateNanos) {
        inProgress += objects;
        update(dueNanos, tally -> tally.requested(objects, lateNanos));
    }

    /** Counts a visitor that was not sent because of the limit of simultaneous visitors. */
    synchronized void turnedAway(long dueNanos) {
        update(dueNanos, RequestTally::addTurnedAway);
    }

    synchronized void add(RequestOutcome outcome) {
        inProgress--;
        update(outcome.dueNanos(), tally -> tally.add(outcome));
    }

    /** Subtracts objects of a page that are not requested, because its document failed. */
    synchronized void cancelRequests(long dueNanos, int objects) {
        inProgress -= objects;
        update(dueNanos, tally -> tally.requested(-objects, 0));
    }

    private void update(long dueNanos, Consumer<RequestTally> change) {
        double second = Math.max(0, (dueNanos - startNanos) / 1e9);
        change.accept(steps.get(phases.stepAt(second)));
        int slice = (int) (second / sliceSeconds);
        while (slices.size() <= slice) {
            slices.add(new RequestTally(2));
        }
        change.accept(slices.get(slice));
        change.accept(all);
    }

    /** Passes the measurements to a reader under the lock: {@code reader} must not keep them. */
    synchronized void read(Consumer<LoadMeasurements> reader) {
        reader.accept(this);
    }

    LoadPhases phases() {
        return phases;
    }

    int sliceSeconds() {
        return sliceSeconds;
    }

    /** For {@link #read} only. */
    List<RequestTally> steps() {
        return steps;
    }

    /** For {@link #read} only. */
    List<RequestTally> slices() {
        return slices;
    }

    /** For {@link #read} only. */
    RequestTally all() {
        return all;
    }

    /** Returns the number of requested objects without an outcome. */
    synchronized long inProgress() {
        return inProgress;
    }

    /** Reports whether any response was received. */
    synchronized boolean hasResponses() {
        return all.answered() > 0;
    }
}
