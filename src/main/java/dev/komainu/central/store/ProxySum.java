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
                new ProxyWindow.Exchanges(
                        Summation.total(parts, window -> window.exchanges().requests()),
                        Summation.total(parts, window -> window.exchanges().responses()),
                        Summation.highest(parts, window -> window.exchanges().inFlight()),
                        Summation.total(parts, window -> window.exchanges().sentBytes()),
                        Summation.total(parts, window -> window.exchanges().exchangesNotListed())),
                new ProxyWindow.Outcomes(
                        Summation.total(parts, window -> window.outcomes().hits()),
                        Summation.total(parts, window -> window.outcomes().stale()),
                        Summation.total(parts, window -> window.outcomes().revalidated()),
                        Summation.total(parts, window -> window.outcomes().collapsed()),
                        Summation.total(parts, window -> window.outcomes().misses()),
                        Summation.total(parts, window -> window.outcomes().passes()),
                        Summation.total(parts, window -> window.outcomes().errors())),
                new ProxyWindow.Origins(
                        Summation.total(parts, window -> window.origins().originRequests()),
                        Summation.total(parts, window -> window.origins().originFailures()),
                        Summation.total(
                                parts, window -> window.origins().receivedFromOriginBytes())),
                new ProxyWindow.Connections(
                        Summation.highest(
                                parts, window -> window.connections().clientConnections()),
                        Summation.highest(
                                parts, window -> window.connections().idleClientConnections()),
                        Summation.highest(
                                parts, window -> window.connections().originConnections()),
                        Summation.highest(
                                parts, window -> window.connections().idleOriginConnections()),
                        Summation.total(parts, window -> window.connections().refusedConnections()),
                        lastPresent(parts, window -> window.connections().buffers())),
                new ProxyWindow.Cache(
                        last.cache().cacheBytes(),
                        last.cache().cacheBudgetBytes(),
                        last.cache().cacheObjects(),
                        Summation.total(parts, window -> window.cache().evictions()),
                        pools(parts, lastPresent(parts, window -> window.cache().pools())),
                        tier(parts, lastPresent(parts, window -> window.cache().tier()))),
                new ProxyWindow.Times(
                        Summation.merged(parts, window -> window.times().hitResponse()),
                        Summation.merged(parts, window -> window.times().missResponse()),
                        Summation.merged(parts, window -> window.times().originResponse())));
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
                        total(parts, window -> window.cache().pools(), Pools::protectedHits),
                        total(parts, window -> window.cache().pools(), Pools::protectedMisses),
                        total(parts, window -> window.cache().pools(), Pools::normalHits),
                        total(parts, window -> window.cache().pools(), Pools::normalMisses));
    }

    private static @Nullable Tier tier(List<Part<ProxyWindow>> parts, @Nullable Tier last) {
        return last == null
                ? null
                : new Tier(
                        last.bytes(),
                        last.limitBytes(),
                        last.records(),
                        total(parts, window -> window.cache().tier(), Tier::found),
                        total(parts, window -> window.cache().tier(), Tier::notFound),
                        total(parts, window -> window.cache().tier(), Tier::written),
                        total(parts, window -> window.cache().tier(), Tier::peakMicros),
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
