package dev.komainu.load;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * What became of the visitors, and how punctual the load itself was: {@code came = stays that ended
 * well + refused + timedOut + broken + turnedAway} once all have left, while {@code answers} counts
 * requests. Written by any thread.
 */
final class LoadCounts {

    /** Later than this the load was not the one asked for. */
    private static final long LATE_NANOS = 5_000_000;

    private final LongAdder came = new LongAdder();
    private final LongAdder answers = new LongAdder();
    private final LongAdder serverErrors = new LongAdder();
    private final LongAdder bodyBytes = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder timedOut = new LongAdder();
    private final LongAdder broken = new LongAdder();
    private final LongAdder turnedAway = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final AtomicLong latest = new AtomicLong();

    void came(long lateNanos) {
        came.increment();
        latest.accumulateAndGet(lateNanos, Math::max);
        if (lateNanos > LATE_NANOS) {
            late.increment();
        }
    }

    void answered(VisitorSession.Answer answer) {
        answers.increment();
        bodyBytes.add(answer.bytes());
        if (answer.status() >= 500) {
            serverErrors.increment();
        }
    }

    void failed(IOException why) {
        switch (why) {
            case ConnectException e -> refused.increment();
            case SocketTimeoutException e -> timedOut.increment();
            default -> broken.increment();
        }
    }

    void turnedAway() {
        turnedAway.increment();
    }

    /**
     * One line; {@code late} are visitors sent more than 5 ms after their time,
     * {@code latestMicros} the worst.
     */
    String json() {
        return String.format(
                Locale.ROOT,
                "{\"came\":%d,\"answers\":%d,\"serverErrors\":%d,\"bodyBytes\":%d,\"refused\":%d,\"timedOut\":%d,"
                        + "\"broken\":%d,\"turnedAway\":%d,\"late\":%d,\"latestMicros\":%d}",
                came.sum(),
                answers.sum(),
                serverErrors.sum(),
                bodyBytes.sum(),
                refused.sum(),
                timedOut.sum(),
                broken.sum(),
                turnedAway.sum(),
                late.sum(),
                latest.get() / 1_000);
    }
}
