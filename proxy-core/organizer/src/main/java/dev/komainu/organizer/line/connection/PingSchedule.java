package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.LineSettings;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Feels a connection's {@link PingMonitor} now and again until it is stopped. On the connection's
 * event loop.
 */
public final class PingSchedule {

    private final PingMonitor pulse;
    private final long everyNanos;
    private final String awaited;
    private @Nullable Future<?> beats;

    /** @param awaited what comes first from a peer that is there; for people */
    public PingSchedule(LineSettings settings, String awaited) {
        this.awaited = awaited;
        this.pulse = new PingMonitor(settings, System.nanoTime());
        this.everyNanos = settings.pingEvery().toNanos();
    }

    public PingMonitor pulse() {
        return pulse;
    }

    /** @return whether it had not begun before */
    public boolean begin(EventLoop loop, Runnable beat) {
        if (beats != null) {
            return false;
        }
        beats = loop.scheduleWithFixedDelay(beat, everyNanos, everyNanos, TimeUnit.NANOSECONDS);
        return true;
    }

    public void stop() {
        Future<?> known = beats;
        if (known != null) {
            known.cancel(false);
        }
    }

    /**
     * One beat.
     *
     * @param ready whether the peer's first word came
     * @param ping told what to say
     * @param lost told why
     */
    public void beat(boolean ready, LongConsumer ping, Consumer<String> lost) {
        long now = System.nanoTime();
        switch (pulse.beat(now, ready)) {
            case PING -> ping.accept(now);
            case LOST ->
                lost.accept(
                        ready
                                ? "nothing heard for " + pulse.silentMillis(now) + " ms"
                                : "no " + awaited + " within the time to connect");
            case WAIT -> {
                // A ping is on its way.
            }
        }
    }
}
