package dev.komainu.central.api.guard;

import dev.komainu.central.api.problem.BodyRefusedException;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.limit.BytesExhaustedException;
import dev.komainu.central.limit.BytesInHand;
import dev.komainu.central.limit.LimitedConnection;
import dev.komainu.central.limit.Refusal;
import dev.komainu.central.limit.Refusals;
import dev.komainu.central.limit.RequestLimit;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A request's body whose bytes are counted, taken from the budget of bytes in hand, and due within
 * a total time. Belongs to the request's thread.
 */
final class LimitedBody extends ServletInputStream {

    private final ServletInputStream in;
    private final int most;
    private final int heapPerByte;
    private final BytesInHand.Holding holding;
    private final Refusals refusals;
    private final @Nullable LimitedConnection connection;
    private final LongSupplier nanoTime;
    private final long begin;
    private Duration time = RequestLimit.STRANGER_BODY_TIME.time();
    private long count;

    /**
     * Creates the body.
     *
     * @param most maximum bytes
     * @param heapPerByte heap that a byte needs when it is parsed, taken from {@code holding}
     */
    LimitedBody(
            ServletInputStream in,
            int most,
            int heapPerByte,
            BytesInHand.Holding holding,
            Refusals refusals,
            @Nullable LimitedConnection connection,
            LongSupplier nanoTime) {
        this.in = in;
        this.most = most;
        this.heapPerByte = heapPerByte;
        this.holding = holding;
        this.refusals = refusals;
        this.connection = connection;
        this.nanoTime = nanoTime;
        this.begin = nanoTime.getAsLong();
    }

    /** Gives the body the time of an authenticated request. */
    void authenticated() {
        time = RequestLimit.CALLER_BODY_TIME.time();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        int n;
        try {
            if (connection != null && in.available() <= 0) {
                connection.awaitsBody();
            }
            n = in.read(into, from, length);
        } catch (SocketTimeoutException e) {
            throw late();
        } catch (IOException e) {
            throw connection != null && connection.cutFor() == Refusal.BODY_TIME ? late() : e;
        }
        if (n < 0) {
            complete();
            return n;
        }
        if (nanoTime.getAsLong() - begin > time.toNanos()) {
            throw late();
        }
        count += n;
        if (count > most) {
            throw refused(
                    Refusal.BODY_BYTES,
                    RequestBodyFilter.tooLarge("more than " + most + " bytes", most));
        }
        take((long) heapPerByte * n);
        if (in.isFinished()) {
            complete();
        }
        return n;
    }

    private void complete() {
        if (connection != null) {
            connection.bodyComplete();
        }
    }

    private void take(long bytes) throws BodyRefusedException {
        try {
            holding.take(bytes);
        } catch (BytesExhaustedException e) {
            throw e.permanent()
                    ? new BodyRefusedException(
                            RequestBodyFilter.tooLarge(String.valueOf(e.getMessage()), most), null)
                    : new BodyRefusedException(
                            Problem.of(503, "busy", "Not now", e.getMessage()),
                            Duration.ofSeconds(2));
        }
    }

    private BodyRefusedException late() {
        return refused(
                Refusal.BODY_TIME,
                Problem.of(
                        408,
                        "body-too-slow",
                        "The body came too slowly",
                        "body: " + count + " bytes after " + time.toSeconds()
                                + " s (expected: the complete body within this time)"));
    }

    private BodyRefusedException refused(Refusal reason, Problem problem) {
        refusals.count(reason);
        return new BodyRefusedException(problem, null);
    }

    @Override
    public boolean isFinished() {
        return in.isFinished();
    }

    @Override
    public boolean isReady() {
        return in.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
        throw new IllegalStateException("bodies are read by the request's thread");
    }
}
