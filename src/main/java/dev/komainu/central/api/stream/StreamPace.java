package dev.komainu.central.api.stream;

import dev.komainu.central.limit.RequestLimit;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The times of one event stream: when a comment is due because no event came, and when the caller's
 * login is checked again. Belongs to the stream's thread.
 */
final class StreamPace {

    private final long heartbeatNanos;
    private final LongSupplier nanoTime;
    private long writtenAt;
    private long checkedAt;

    StreamPace(Duration heartbeat, LongSupplier nanoTime) {
        this.heartbeatNanos = heartbeat.toNanos();
        this.nanoTime = nanoTime;
        this.writtenAt = nanoTime.getAsLong();
        this.checkedAt = writtenAt;
    }

    /** Returns the longest wait for an event before something else is due. */
    Duration patience() {
        long now = nanoTime.getAsLong();
        long heartbeat = writtenAt + heartbeatNanos - now;
        long check = checkedAt + RequestLimit.STREAM_CHECK.time().toNanos() - now;
        // One millisecond more than the rest, so that what is due afterwards is really due.
        return Duration.ofNanos(Math.max(0, Math.min(heartbeat, check))).plusMillis(1);
    }

    /** Reports whether the login must be checked now; the next check is due one period later. */
    boolean checkDue() {
        long now = nanoTime.getAsLong();
        if (now - checkedAt < RequestLimit.STREAM_CHECK.time().toNanos()) {
            return false;
        }
        checkedAt = now;
        return true;
    }

    boolean heartbeatDue() {
        return nanoTime.getAsLong() - writtenAt >= heartbeatNanos;
    }

    void written() {
        writtenAt = nanoTime.getAsLong();
    }
}
