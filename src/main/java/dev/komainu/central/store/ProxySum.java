package dev.komainu.central.store;

import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Adds up the windows of one proxy. Of what is counted "now", connections and exchanges under way keep their highest
 * value (a peak must stay visible in a long step), the cache's size its last.
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
                Summation.merged(parts, ProxyWindow::originResponse));
    }
}
