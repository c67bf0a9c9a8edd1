package dev.komainu.telemetry.identity;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The choice among the addresses of the central services for one kind of request.
 *
 * <pre>
 * what happens                          what follows
 * an address answers                    it stays in use
 * it fails                              the others are asked at once, in the part's order
 * one has asked for a wait              it is not asked before
 * the first one is not in use           after {@link #RETURN_AFTER} it is asked before the one in use; if it answers, it is in use again
 * </pre>
 *
 * <p>One thread asks; {@link #inUse} and {@link #changes} may be called from any thread.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
public final class CentralRoute {

    /** Shortest time between two attempts to return to the first address. */
    public static final Duration RETURN_AFTER = Duration.ofMinutes(5);

    /** All parts of an address that failed left it together; they return within this time. */
    private static final Duration RETURN_SPREAD = Duration.ofMinutes(1);

    /** An address in the part's order, with what is known about it. */
    private static final class Stop {

        private final URI address;
        /** Why the last request failed; null: it has answered, or was not asked yet. */
        private @Nullable String failure;
        /** The wait that its last response asked for; zero: none. */
        private Duration asked = Duration.ZERO;
        /** Time from which on it may be asked, as {@link System#nanoTime}. */
        private long askAt;

        private Stop(URI address, long now) {
            this.address = address;
            this.askAt = now;
        }
    }

    private final List<Stop> stops;
    private final LongSupplier nanos;
    private final RandomGenerator random;
    private long returnAt;
    private volatile Stop used;
    private volatile long changes;

    /**
     * Begins at the first address of a part.
     *
     * @param part name of the part
     */
    public CentralRoute(CentralAddresses addresses, String part) {
        this(addresses, part, System::nanoTime, new SplittableRandom());
    }

    /**
     * Begins at the first address of a part, with a given clock.
     *
     * @param nanos supplies the time, as {@link System#nanoTime}
     * @param random spreads the returns to the first address
     */
    public CentralRoute(
            CentralAddresses addresses, String part, LongSupplier nanos, RandomGenerator random) {
        this.nanos = nanos;
        this.random = random;
        long now = nanos.getAsLong();
        stops = addresses.preferredBy(part).stream()
                .map(address -> new Stop(address, now))
                .toList();
        used = stops.getFirst();
    }

    /**
     * Reports whether another address may answer better than with this status: that no central
     * service judges, or that a gateway reaches none.
     */
    public static boolean isElsewhere(int status) {
        return status == 502 || status == 503 || status == 504;
    }

    /** Returns all addresses in the part's order. */
    public List<URI> all() {
        return stops.stream().map(stop -> stop.address).toList();
    }

    /**
     * Returns the addresses to ask now, one after the other until one answers; none when all have
     * asked for a wait. A single address is always returned: its caller waits as it asks.
     */
    public List<URI> next() {
        long now = nanos.getAsLong();
        List<Stop> ordered = new ArrayList<>();
        if (used != stops.getFirst() && now - returnAt >= 0) {
            ordered.add(stops.getFirst());
        }
        ordered.add(used);
        ordered.addAll(stops);
        return ordered.stream()
                .distinct()
                .filter(stop -> stops.size() == 1 || now - stop.askAt >= 0)
                .map(stop -> stop.address)
                .toList();
    }

    /**
     * Reports whether a request only finds out whether an address answers again: others do, so it
     * need not be waited for long.
     */
    public boolean isProbe(URI address) {
        return used.failure == null && !address.equals(used.address);
    }

    /**
     * Notes that an address answered: it is in use from now on.
     *
     * @return whether another one was
     */
    public boolean answered(URI address) {
        Stop stop = stop(address);
        stop.failure = null;
        stop.asked = Duration.ZERO;
        if (stop == used) {
            return false;
        }
        if (used == stops.getFirst()) {
            scheduleReturn();
        }
        used = stop;
        changes++;
        return true;
    }

    /**
     * Notes that a request to an address failed.
     *
     * @param reason why, in words
     * @param after wait that the response asks for; zero: none
     */
    public void failed(URI address, String reason, Duration after) {
        Stop stop = stop(address);
        stop.failure = reason;
        stop.asked = after;
        stop.askAt = nanos.getAsLong() + after.toNanos();
        if (stop == stops.getFirst()) {
            scheduleReturn();
        }
    }

    private void scheduleReturn() {
        returnAt = nanos.getAsLong()
                + RETURN_AFTER.toNanos()
                + random.nextLong(RETURN_SPREAD.toNanos());
    }

    private Stop stop(URI address) {
        return stops.stream()
                .filter(stop -> stop.address.equals(address))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(address + " is not of this route"));
    }

    /** Returns the time until one of the addresses may be asked, in whole ms; zero: now. */
    public Duration untilNext() {
        long now = nanos.getAsLong();
        long shortest = stops.stream().mapToLong(stop -> stop.askAt - now).min().orElse(0);
        return Duration.ofMillis(Math.ceilDiv(Math.max(0, shortest), 1_000_000));
    }

    /** Returns the shortest wait that an address asked for when it failed last; zero: none did. */
    public Duration asked() {
        return stops.stream()
                .map(stop -> stop.asked)
                .filter(Duration::isPositive)
                .min(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    /** Returns why each address failed last, with its name where there are several. */
    public String failures() {
        return stops.stream()
                .filter(stop -> stop.failure != null)
                .map(stop -> stops.size() == 1
                        ? String.valueOf(stop.failure)
                        : stop.address + ": " + stop.failure)
                .collect(Collectors.joining("; "));
    }

    /** Returns the address in use: the last one that answered, at first the part's first one. */
    public URI inUse() {
        return used.address;
    }

    /** Returns how often another address came into use. */
    public long changes() {
        return changes;
    }
}
