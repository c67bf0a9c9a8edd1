package dev.komainu.central.store;

import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ProxyWindow.Pools;
import dev.komainu.telemetry.record.ProxyWindow.Tier;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The sum of one proxy's windows. Among the values that describe an instant, connections and
 * exchanges in progress keep their highest value (a peak must stay visible in a long step); the
 * sizes of the cache, its pools, its disk and the buffers keep their last value.
 */
final class ProxySum implements Summation<ProxyWindow> {

    @Override
    public String service(ProxyWindow window) {
        return window.service();
    }

    @Override
    public long fromMicros(ProxyWindow window) {
        return window.fromMicros();
    }

    @Override
    public long lengthMicros(ProxyWindow window) {
        return window.lengthMicros();
    }

    @Override
    public @Nullable ProxyWindow windowOf(TelemetryRecord record) {
        return record instanceof ProxyWindow window ? window : null;
    }

    /**
     * Returns the later window: a proxy reports under one name, so there are not two windows of the
     * same time.
     */
    @Override
    public ProxyWindow beside(ProxyWindow one, ProxyWindow other) {
        return other;
    }

    /** Always false: a proxy counts its own work and loses nothing. */
    @Override
    public boolean isLossy(ProxyWindow window) {
        return false;
    }

    @Override
    public ProxyWindow sum(List<Part<ProxyWindow>> parts, long fromMicros, long lengthMicros) {
        ProxyWindow last = parts.getLast().window();
        return new ProxyWindow(
                last.service(),
                fromMicros,
                lengthMicros,
                Summation.total(parts, ProxyWindow::requests),
                Summation.total(parts, ProxyWindow::responses),
                Summation.total(parts, ProxyWindow::hits),
                Summation.total(parts, ProxyWindow::stale),
                Summation.total(parts, ProxyWindow::revalidated),
                Summation.total(parts, ProxyWindow::collapsed),
                Summation.total(parts, ProxyWindow::misses),
                Summation.total(parts, ProxyWindow::passes),
                Summation.total(parts, ProxyWindow::errors),
                Summation.total(parts, ProxyWindow::originRequests),
                Summation.total(parts, ProxyWindow::originFailures),
                Summation.highest(parts, ProxyWindow::clientConnections),
                Summation.highest(parts, ProxyWindow::idleClientConnections),
                Summation.highest(parts, ProxyWindow::originConnections),
                Summation.highest(parts, ProxyWindow::idleOriginConnections),
                Summation.highest(parts, ProxyWindow::inFlight),
                Summation.total(parts, ProxyWindow::refusedConnections),
                last.cacheBytes(),
                last.cacheBudgetBytes(),
                last.cacheObjects(),
                Summation.total(parts, ProxyWindow::evictions),
                Summation.total(parts, ProxyWindow::sentBytes),
                Summation.total(parts, ProxyWindow::receivedFromOriginBytes),
                Summation.total(parts, ProxyWindow::exchangesNotListed),
                Summation.merged(parts, ProxyWindow::hitResponse),
                Summation.merged(parts, ProxyWindow::missResponse),
                Summation.merged(parts, ProxyWindow::originResponse),
                pools(parts, lastPresent(parts, ProxyWindow::pools)),
                tier(parts, lastPresent(parts, ProxyWindow::tier)),
                lastPresent(parts, ProxyWindow::buffers));
    }

    private static @Nullable Pools pools(List<Part<ProxyWindow>> parts, @Nullable Pools last) {
        return last == null
                ? null
                : new Pools(
                        last.wholeBytes(),
                        last.protectedBytes(),
                        last.targetBytes(),
                        last.protectedUnreferencedBytes(),
                        last.normalBytes(),
                        last.normalUnreferencedBytes(),
                        total(parts, ProxyWindow::pools, Pools::protectedHits),
                        total(parts, ProxyWindow::pools, Pools::protectedMisses),
                        total(parts, ProxyWindow::pools, Pools::normalHits),
                        total(parts, ProxyWindow::pools, Pools::normalMisses));
    }

    private static @Nullable Tier tier(List<Part<ProxyWindow>> parts, @Nullable Tier last) {
        return last == null
                ? null
                : new Tier(
                        last.bytes(),
                        last.limitBytes(),
                        last.records(),
                        total(parts, ProxyWindow::tier, Tier::found),
                        total(parts, ProxyWindow::tier, Tier::notFound),
                        total(parts, ProxyWindow::tier, Tier::written),
                        total(parts, ProxyWindow::tier, Tier::peakMicros),
                        last.protectedBytes());
    }

    /**
     * Returns the part from the last window that contains it; a last window without the part does
     * not hide an earlier one.
     */
    private static <T> @Nullable T lastPresent(
            List<Part<ProxyWindow>> parts, Function<ProxyWindow, @Nullable T> of) {
        for (Part<ProxyWindow> part : parts.reversed()) {
            T value = of.apply(part.window());
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    /** Returns the sum over the windows that contain the part. */
    private static <T> long total(
            List<Part<ProxyWindow>> parts,
            Function<ProxyWindow, @Nullable T> of,
            ToLongFunction<T> count) {
        return Summation.total(parts, window -> {
            T part = of.apply(window);
            return part == null ? 0 : count.applyAsLong(part);
        });
    }
}
