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
 * Counts and times of some wishes. Of a whole load {@code wished = answered + failed + under way};
 * of a step or slice nearly so, because a page's objects are counted as wished with it and told
 * where their own wish fell. {@code answered = hits + misses + unknown}. Answers with status 500
 * and above are answered, and counted as errors too; their times count with the others', because
 * the visitor waited for them as well. Not safe for threads.
 */
final class RequestTally {

    /** Longer than any patience: 1 h. */
    private static final long LONGEST_MICROS = 3_600_000_000L;

    /** Later than this the load was not the one asked for. */
    private static final long LATE_NANOS = 5_000_000;

    /** Upper ends of the size classes, in bytes; the last is open. */
    private static final long[] CLASSES = {
        1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, Long.MAX_VALUE
    };

    private final int digits;
    private long wished;
    private long late;
    private long latestNanos;
    private long turnedAway;
    private long errors;
    private long postponed;
    private long bodyBytes;
    private long connections;
    private final Map<RequestFailure, Long> failures = new EnumMap<>(RequestFailure.class);
    private final Map<CacheIndicator, Histogram> responses = new EnumMap<>(CacheIndicator.class);
    private final Map<CacheIndicator, Histogram> wholes = new EnumMap<>(CacheIndicator.class);
    private final List<SizeClass> sizes = new ArrayList<>();

    /** Objects up to a size: how long each took from the wish to its last byte. */
    record SizeClass(long upToBytes, Histogram wholeMicros) {}

    /** @param digits significant ones of times, 1 to 5 */
    RequestTally(int digits) {
        this.digits = digits;
        if (digits > 2) {
            for (long most : CLASSES) {
                sizes.add(new SizeClass(most, histogram()));
            }
        }
    }

    private Histogram histogram() {
        Histogram made = new Histogram(1, LONGEST_MICROS, digits);
        made.setAutoResize(false);
        return made;
    }

    void wished(int objects, long lateNanos) {
        wished += objects;
        latestNanos = Math.max(latestNanos, lateNanos);
        if (lateNanos > LATE_NANOS) {
            late += objects;
        }
    }

    void turnAway() {
        turnedAway++;
    }

    void told(RequestOutcome outcome) {
        switch (outcome) {
            case RequestOutcome.Postponed again -> postponed++;
            case RequestOutcome.Failed failed -> failures.merge(failed.why(), 1L, Long::sum);
            case RequestOutcome.Answered answer -> {
                long response = micros(answer.firstByteNanos() - answer.wishedNanos());
                long whole = micros(answer.lastByteNanos() - answer.wishedNanos());
                responses.computeIfAbsent(answer.sign(), sign -> histogram()).recordValue(response);
                wholes.computeIfAbsent(answer.sign(), sign -> histogram()).recordValue(whole);
                bodyBytes += answer.bytes();
                errors += answer.status() >= 500 ? 1 : 0;
                connections += answer.connected() ? 1 : 0;
                for (SizeClass size : sizes) {
                    if (answer.bytes() <= size.upToBytes()) {
                        size.wholeMicros().recordValue(whole);
                        break;
                    }
                }
            }
        }
    }

    private static long micros(long nanos) {
        return Math.clamp(nanos / 1_000, 1, LONGEST_MICROS);
    }

    long wished() {
        return wished;
    }

    /**
     * Objects wished for more than 5 ms after their time: then this machine was too busy for this
     * load.
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

    /** Answers of 503 after which a visitor asked again: not among the answered. */
    long postponed() {
        return postponed;
    }

    long errors() {
        return errors;
    }

    long bodyBytes() {
        return bodyBytes;
    }

    /** Answers for which a connection had to be made. */
    long connections() {
        return connections;
    }

    long failed(RequestFailure why) {
        return failures.getOrDefault(why, 0L);
    }

    long failed() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }

    long answered(CacheIndicator sign) {
        Histogram known = responses.get(sign);
        return known == null ? 0 : known.getTotalCount();
    }

    long answered() {
        return responses.values().stream().mapToLong(Histogram::getTotalCount).sum();
    }

    /**
     * T_r: from the wish to the first byte of the answer, in µs; without any answer it is empty.
     */
    Histogram responseMicros(CacheIndicator sign) {
        Histogram known = responses.get(sign);
        return known == null ? histogram() : known;
    }

    /** The same of all answers. */
    Histogram responseMicros() {
        return sum(responses);
    }

    /** From the wish to the last byte, in µs. */
    Histogram wholeMicros() {
        return sum(wholes);
    }

    private Histogram sum(Map<CacheIndicator, Histogram> parts) {
        Histogram sum = histogram();
        parts.values().forEach(sum::add);
        return sum;
    }

    /** Whole times by the size of the body; empty where only counts are kept. */
    List<SizeClass> sizes() {
        return sizes;
    }
}
