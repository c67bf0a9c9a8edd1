package dev.komainu.central.clickhouse;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A response that is closed when its sender pauses for too long: Java's client limits only the time
 * until the first byte. Used by one thread.
 */
final class PromptStream extends FilterInputStream {

    private final long nanos;

    PromptStream(InputStream in, Duration longestPause) {
        super(in);
        this.nanos = longestPause.toNanos();
    }

    /** An alarm that closes the stream, unless it is completed before. */
    private CompletableFuture<@Nullable Void> alarm() {
        CompletableFuture<@Nullable Void> alarm = new CompletableFuture<>();
        var unused = alarm.orTimeout(nanos, TimeUnit.NANOSECONDS).whenComplete((done, late) -> {
            if (late != null) {
                closeLate();
            }
        });
        return alarm;
    }

    private void closeLate() {
        try {
            in.close();
        } catch (IOException e) {
            // The reader sees the end of the stream as an error.
        }
    }

    @Override
    public int read() throws IOException {
        CompletableFuture<@Nullable Void> alarm = alarm();
        try {
            return in.read();
        } finally {
            alarm.complete(null);
        }
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        CompletableFuture<@Nullable Void> alarm = alarm();
        try {
            return in.read(into, offset, length);
        } finally {
            alarm.complete(null);
        }
    }
}
