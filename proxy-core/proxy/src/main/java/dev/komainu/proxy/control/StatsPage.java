package dev.komainu.proxy.control;

import dev.komainu.intermediary.upstream.ServerFigures;
import dev.komainu.proxy.peak.PeakView;
import dev.komainu.proxy.report.ProxySnapshot;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.tls.TlsFigures;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The page {@code /control/v1/stats}: one flat JSON object, except for the pools, the origins,
 * {@code reclaim} and {@code buffers}. Counters are cumulative since {@code startedMicros}.
 */
final class StatsPage {

    private StatsPage() {}

    /**
     * Returns the page's members.
     *
     * @param tls null without TLS listeners
     * @param peak null without a disk tier
     */
    static Map<String, Object> of(
            ProxySnapshot f, @Nullable TlsFigures tls, @Nullable PeakView peak) {
        LoopTally c = f.counters();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("service", f.service());
        all.put("startedMicros", f.startedMicros());
        all.put("atMicros", f.atMicros());
        all.put("requests", c.requests);
        all.put("responses", c.responses);
        all.put("hits", c.hits);
        all.put("stale", c.stale);
        all.put("revalidated", c.revalidated);
        all.put("collapsed", c.collapsed);
        all.put("misses", c.misses);
        all.put("passes", c.passes);
        all.put("tunnels", c.tunnels);
        all.put("errors", c.errors);
        all.put("abandoned", c.abandoned);
        all.put("malformed", c.malformed);
        all.put("originRequests", c.origin.requests);
        all.put("originFailures", c.origin.failures);
        all.put("originShortages", c.origin.shortages);
        all.put("clientConnections", c.clientConnections);
        all.put("idleClientConnections", f.clients().idleClients());
        all.put("originConnections", c.origin.connections);
        all.put("idleOriginConnections", c.origin.idleConnections);
        all.put("inFlight", c.inFlight);
        all.put("fetchesInFlight", f.origins().fetchesInFlight());
        all.put("refusedConnections", f.clients().refused());
        all.put("cacheBytes", f.cache().cacheBytes());
        all.put("cacheBodyBytes", f.cache().cacheParts().bodies());
        all.put("cacheHeapBytes", f.cache().cacheParts().heap());
        all.put("cacheMovingBytes", f.cache().cacheParts().moving());
        all.put("cacheBudgetBytes", f.cache().cacheBudgetBytes());
        all.put("cachePolicy", f.cache().cachePolicy().text());
        all.put("cacheObjects", f.cache().cacheObjects());
        all.put("cachePartition", PartitionPage.of(f.cache().partition(), c.pools));
        all.put("sweepLookUps", c.sweepLookUps);
        all.put("sweepingClients", c.sweepingClients);
        all.put("evictions", f.cache().evictions());
        all.put("sentBytes", c.sentBytes);
        all.put("receivedFromOriginBytes", c.origin.receivedBytes);
        if (tls != null) {
            all.put("tlsEngine", tls.engine());
            all.put("tlsHandshakes", c.handshakes);
            all.put("tlsResumed", c.resumed12 + c.resumed13);
            all.put("tlsFailures", c.handshakeFailures + c.handshakeTimeouts);
        }
        if (f.cache().disk() != null) {
            DiskPage.into(all, f.cache().disk(), c.diskHits);
        }
        if (peak != null) {
            DiskPage.into(all, peak);
        }
        all.put("configurationGeneration", f.reloads().generation());
        all.put("reloads", f.reloads().done());
        all.put("reloadsRefused", f.reloads().refused());
        all.put(
                "lastReloadMicros",
                f.reloads().lastMicros() == 0 ? null : f.reloads().lastMicros());
        all.put("reclaim", ReclaimMembers.of(f.clients().reclaim()));
        all.put("readAheadBudgetBytes", f.origins().readAhead().budgetBytes());
        all.put("readAheadReservedBytes", f.origins().readAhead().reservedBytes());
        all.put("passing", f.origins().readAhead().pairs());
        all.put("passingHeldUp", f.origins().readAhead().heldUp());
        all.put("buffers", BufferMetrics.members(f.clients().buffers()));
        all.put("origins", f.origins().servers().stream().map(StatsPage::origin).toList());
        durations(all, "hitResponse", f.times().hitResponse());
        durations(all, "missResponse", f.times().missResponse());
        durations(all, "originResponse", f.times().originResponse());
        return all;
    }

    private static Map<String, Object> origin(ServerFigures server) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("server", server.server());
        members.put("up", server.up());
        members.put("open", server.open());
        members.put("waiting", server.waiting());
        members.put("requests", server.requests());
        members.put("failures", server.failures());
        members.put("ejections", server.ejections());
        return members;
    }

    private static void durations(Map<String, Object> all, String name, Histogram values) {
        boolean any = values.getTotalCount() > 0;
        all.put(name + "P50Micros", any ? values.getValueAtPercentile(50) : null);
        all.put(name + "P99Micros", any ? values.getValueAtPercentile(99) : null);
    }
}
