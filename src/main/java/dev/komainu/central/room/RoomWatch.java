package dev.komainu.central.room;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The threads that check the places twice a second, and ten times when there is no room, one for
 * each place, since a disk or a server that hangs blocks its thread; and the states. Any thread may
 * read.
 *
 * <p>It starts first and stops last, before the database of control data is closed.
 */
public final class RoomWatch implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(RoomWatch.class);
    private static final long EVERY_MILLIS = 500;
    private static final long FULL_MILLIS = 100;
    private static final Duration LAST = Duration.ofSeconds(5);

    private final List<WatchedPlace> places;
    private final @Nullable Reserve reserve;
    /** Guarded by this. */
    private boolean running;
    /** Number of requests; guarded by this. */
    private long requests;

    /** Guarded by this. */
    private final List<Thread> threads = new ArrayList<>();

    /**
     * Creates the watch.
     *
     * @param reserve the reserve for which writes wait while this runs; absent: none
     */
    public RoomWatch(List<? extends WatchedPlace> places, @Nullable Reserve reserve) {
        this.places = List.copyOf(places);
        this.reserve = reserve;
    }

    List<WatchedPlace> places() {
        return places;
    }

    /** Returns the states of all places that were measured. */
    public List<RoomState> states() {
        return places.stream().map(WatchedPlace::state).filter(Objects::nonNull).toList();
    }

    /** Returns the place because of which batches are refused; empty when there is room. */
    public Optional<RoomState> refusing() {
        for (WatchedPlace place : places) {
            RoomState state = place.state();
            if (state != null && state.refusesBatches()) {
                return Optional.of(state);
            }
        }
        return Optional.empty();
    }

    /** Requests a check now, because a write failed. Returns at once. */
    public synchronized void request() {
        requests++;
        notifyAll();
    }

    private void run(WatchedPlace place) {
        long done = 0;
        while (true) {
            try {
                place.check();
            } catch (RuntimeException e) {
                LOG.warn("Room: {} not checked: {}", place.name(), e.toString());
            }
            synchronized (this) {
                try {
                    if (running && requests == done) {
                        RoomState state = place.state();
                        wait(state != null && state.full() ? FULL_MILLIS : EVERY_MILLIS);
                    }
                } catch (InterruptedException e) {
                    return; // never interrupted by this service
                }
                done = requests;
                if (!running) {
                    return;
                }
            }
        }
    }

    @Override
    public synchronized void start() {
        if (!running) {
            running = true;
            for (WatchedPlace place : places) {
                threads.add(Thread.ofPlatform()
                        .name("room-" + place.name())
                        .daemon()
                        .start(() -> run(place)));
            }
        }
    }

    @Override
    public void stop() {
        List<Thread> ending;
        synchronized (this) {
            running = false;
            ending = List.copyOf(threads);
            threads.clear();
            notifyAll();
        }
        if (reserve != null) {
            reserve.end();
        }
        try {
            for (Thread thread : ending) {
                thread.join(LAST);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    /** Starts before all others that have a phase, and stops after them. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
