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
 * Adds up the windows of one proxy. Of what is counted "now", connections and exchanges under way
 * keep their highest value (a peak must stay visible in a long step), the sizes of the cache, its
 * pools, its disk and the buffers their last.
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

    /** A proxy counts under one name; should it ever tell twice, the later word holds. */
    @Override
    public ProxyWindow beside(ProxyWindow one, ProxyWindow other) {
        return other;
    }

    /** It counts what it does itself. */
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
                pools(parts, lastTold(parts, ProxyWindow::pools)),
                tier(parts, lastTold(parts, ProxyWindow::tier)),
                lastTold(parts, ProxyWindow::buffers));
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

    /** Of the last window that has it: what came before must not be lost with one that has not. */
    private static <T> @Nullable T lastTold(
            List<Part<ProxyWindow>> parts, Function<ProxyWindow, @Nullable T> of) {
        for (Part<ProxyWindow> part : parts.reversed()) {
            T told = of.apply(part.window());
            if (told != null) {
                return told;
            }
        }
        return null;
    }

    /** Of those that tell of it. */
    private static <T> long total(
            List<Part<ProxyWindow>> parts,
            Function<ProxyWindow, @Nullable T> of,
            ToLongFunction<T> count) {
        return Summation.total(parts, window -> {
            T told = of.apply(window);
            return told == null ? 0 : count.applyAsLong(told);
        });
    }
}
