package dev.komainu.load;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The outcomes of the visitors, and the punctuality of the load itself: {@code came = successful
 * sessions + refused + timedOut + broken + turnedAway} after all have left, while {@code answers}
 * counts requests. Thread-safe.
 */
final class LoadCounts {

    /** A visitor later than this is late: the load was not the configured one. */
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

    void answered(VisitorSession.Response response) {
        answers.increment();
        bodyBytes.add(response.bytes());
        if (response.status() >= 500) {
            serverErrors.increment();
        }
    }

    void failed(IOException cause) {
        switch (cause) {
            case ConnectException e -> refused.increment();
            case SocketTimeoutException e -> timedOut.increment();
            default -> broken.increment();
        }
    }

    void turnedAway() {
        turnedAway.increment();
    }

    /**
     * Returns one line; {@code late} counts visitors sent more than 5 ms after their instant,
     * {@code latestMicros} is the longest delay.
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
