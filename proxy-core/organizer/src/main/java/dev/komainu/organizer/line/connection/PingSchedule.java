package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.LineSettings;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The repeating timer of a connection's {@link PingMonitor}, until it is stopped. On the
 * connection's event loop.
 */
public final class PingSchedule {

    private final PingMonitor monitor;
    private final long everyNanos;
    private final String awaited;
    private @Nullable Future<?> timer;

    /**
     * Creates a schedule that is not started.
     *
     * @param awaited name of the peer's first message; for operators
     */
    public PingSchedule(LineSettings settings, String awaited) {
        this.awaited = awaited;
        this.monitor = new PingMonitor(settings, System.nanoTime());
        this.everyNanos = settings.pingEvery().toNanos();
    }

    public PingMonitor monitor() {
        return monitor;
    }

    /**
     * Starts the timer.
     *
     * @return whether it was not started before
     */
    public boolean start(EventLoop loop, Runnable tick) {
        if (timer != null) {
            return false;
        }
        timer = loop.scheduleWithFixedDelay(tick, everyNanos, everyNanos, TimeUnit.NANOSECONDS);
        return true;
    }

    public void stop() {
        Future<?> running = timer;
        if (running != null) {
            running.cancel(false);
        }
    }

    /**
     * Runs one tick.
     *
     * @param ready whether the peer's first message came
     * @param ping gets the payload of the ping to be sent
     * @param lost gets the reason for which the connection counts as lost
     */
    public void tick(boolean ready, LongConsumer ping, Consumer<String> lost) {
        long now = System.nanoTime();
        switch (monitor.tick(now, ready)) {
            case PING -> ping.accept(now);
            case LOST ->
                lost.accept(
                        ready
                                ? "nothing received for " + monitor.silentMillis(now) + " ms"
                                : "no " + awaited + " within the connect timeout");
            case WAIT -> {
                // A ping is on its way.
            }
        }
    }
}
