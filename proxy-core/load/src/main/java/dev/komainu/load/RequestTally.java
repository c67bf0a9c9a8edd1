package dev.komainu.load;

import dev.komainu.load.browser.CacheIndicator;
import dev.komainu.load.browser.RequestFailure;
import dev.komainu.load.browser.RequestOutcome;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The counts and times of a set of requests. Over a whole load, {@code requested = answered +
 * failed + in progress}. For one step or slice this is approximate, because a page's objects are
 * counted as requested with the page, and their outcomes at their own instants. {@code answered =
 * hits + misses + unknown}. Responses with status 500 and above are answered and also count as
 * errors; their times are included, because the visitor waited for them, too. Not thread-safe.
 */
final class RequestTally {

    /** Longer than any timeout: 1 h. */
    private static final long MAX_MICROS = 3_600_000_000L;

    /** A request later than this is late: the load was not the configured one. */
    private static final long LATE_NANOS = 5_000_000;

    /** Upper limits of the size classes, in bytes; the last is open. */
    private static final long[] SIZE_LIMITS = {
        1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, Long.MAX_VALUE
    };

    private final int digits;
    private long requested;
    private long late;
    private long latestNanos;
    private long turnedAway;
    private long errors;
    private long postponed;
    private long bodyBytes;
    private long connections;
    private final Map<RequestFailure, Long> failures = new EnumMap<>(RequestFailure.class);
    private final Map<CacheIndicator, Histogram> responses = new EnumMap<>(CacheIndicator.class);
    private final Map<CacheIndicator, Histogram> lastByteTimes =
            new EnumMap<>(CacheIndicator.class);
    private final List<SizeClass> sizes = new ArrayList<>();

    /** Objects up to a size, with their times from the instant of the request to the last byte. */
    record SizeClass(long upToBytes, Histogram wholeMicros) {}

    /**
     * Creates an empty tally.
     *
     * @param digits significant digits of times, 1 to 5
     */
    RequestTally(int digits) {
        this.digits = digits;
        if (digits > 2) {
            for (long limit : SIZE_LIMITS) {
                sizes.add(new SizeClass(limit, histogram()));
            }
        }
    }

    private Histogram histogram() {
        Histogram histogram = new Histogram(1, MAX_MICROS, digits);
        histogram.setAutoResize(false);
        return histogram;
    }

    void requested(int objects, long lateNanos) {
        requested += objects;
        latestNanos = Math.max(latestNanos, lateNanos);
        if (lateNanos > LATE_NANOS) {
            late += objects;
        }
    }

    void addTurnedAway() {
        turnedAway++;
    }

    void add(RequestOutcome outcome) {
        switch (outcome) {
            case RequestOutcome.Postponed postponedOutcome -> postponed++;
            case RequestOutcome.Failed failed -> failures.merge(failed.reason(), 1L, Long::sum);
            case RequestOutcome.Answered response -> {
                long responseMicros = micros(response.firstByteNanos() - response.dueNanos());
                long lastByteMicros = micros(response.lastByteNanos() - response.dueNanos());
                responses
                        .computeIfAbsent(response.indicator(), indicator -> histogram())
                        .recordValue(responseMicros);
                lastByteTimes
                        .computeIfAbsent(response.indicator(), indicator -> histogram())
                        .recordValue(lastByteMicros);
                bodyBytes += response.bytes();
                errors += response.status() >= 500 ? 1 : 0;
                connections += response.connected() ? 1 : 0;
                for (SizeClass size : sizes) {
                    if (response.bytes() <= size.upToBytes()) {
                        size.wholeMicros().recordValue(lastByteMicros);
                        break;
                    }
                }
            }
        }
    }

    private static long micros(long nanos) {
        return Math.clamp(nanos / 1_000, 1, MAX_MICROS);
    }

    long requested() {
        return requested;
    }

    /**
     * Returns the number of objects requested more than 5 ms after their instant: this machine was
     * too busy for this load.
     */
    long late() {
        return late;
    }

    long latestMicros() {
        return latestNanos / 1_000;
    }

    long turnedAway() {
        return turnedAway;
    }

    /**
     * Returns the number of 503 responses after which the request was retried; they do not count as
     * answered.
     */
    long postponed() {
        return postponed;
    }

    long errors() {
        return errors;
    }

    long bodyBytes() {
        return bodyBytes;
    }

    /** Returns the number of responses for which a connection was established. */
    long connections() {
        return connections;
    }

    long failed(RequestFailure failure) {
        return failures.getOrDefault(failure, 0L);
    }

    long failed() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }

    long answered(CacheIndicator indicator) {
        Histogram histogram = responses.get(indicator);
        return histogram == null ? 0 : histogram.getTotalCount();
    }

    long answered() {
        return responses.values().stream().mapToLong(Histogram::getTotalCount).sum();
    }

    /**
     * Returns T_r: from the instant of the request to the first byte, in µs; empty without
     * responses.
     */
    Histogram responseMicros(CacheIndicator indicator) {
        Histogram histogram = responses.get(indicator);
        return histogram == null ? histogram() : histogram;
    }

    /** Returns T_r of all responses. */
    Histogram responseMicros() {
        return sum(responses);
    }

    /** Returns the times from the instant of the request to the last byte, in µs. */
    Histogram wholeMicros() {
        return sum(lastByteTimes);
    }

    private Histogram sum(Map<CacheIndicator, Histogram> parts) {
        Histogram sum = histogram();
        parts.values().forEach(sum::add);
        return sum;
    }

    /**
     * Returns the times to the last byte by the size of the body; empty where only counts are
     * stored.
     */
    List<SizeClass> sizes() {
        return sizes;
    }
}
