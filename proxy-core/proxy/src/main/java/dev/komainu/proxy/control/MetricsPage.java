package dev.komainu.proxy.control;

import dev.komainu.proxy.report.ProxySnapshot;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.telemetry.metrics.MetricFamily;
import dev.komainu.telemetry.metrics.PublishedMetrics;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** The metrics of the proxy; base units: seconds and bytes. */
final class MetricsPage {

    private final PublishedMetrics.Meters<PublishedFigures> meters;

    private MetricsPage(PublishedMetrics.Meters<PublishedFigures> meters) {
        this.meters = meters;
    }

    /** Returns the metrics over these figures. */
    static PublishedMetrics<PublishedFigures> over(Supplier<PublishedFigures> figures) {
        return new PublishedMetrics<>("komainu_proxy_", figures, meters -> {
            MetricsPage page = new MetricsPage(meters);
            page.requests();
            page.bytesAndLimits();
            page.now();
            page.configuration();
            PartitionMetrics.declare(meters);
            TlsMetrics.declare(meters);
            meters.families(f -> OriginMetrics.of(f.snapshot().origins().servers()));
            meters.families(f -> ConnectionMetrics.of(f.snapshot().clients().reclaim()));
            meters.families(f -> BufferMetrics.of(f.snapshot().clients().buffers()));
            meters.families(DiskMetrics::of);
            meters.families(MetricsPage::times);
        });
    }

    private void requests() {
        counter("requests", "Complete request heads, refused ones included.", c -> c.requests);
        counter("responses", "Responses started.", c -> c.responses);
        outcome("hit", c -> c.hits);
        outcome("stale", c -> c.stale);
        outcome("revalidated", c -> c.revalidated);
        outcome("collapsed", c -> c.collapsed);
        outcome("miss", c -> c.misses);
        outcome("pass", c -> c.passes);
        outcome("tunnel", c -> c.tunnels);
        outcome("error", c -> c.errors);
        outcome("abandoned", c -> c.abandoned);
        broken("target", c -> c.tunnelsReset);
        broken("client", c -> c.tunnelsLeft);
        broken("fault", c -> c.tunnelsFailed);
        counter(
                "malformed_requests",
                "Heads and bodies refused as malformed; included in the errors.",
                c -> c.malformed);
        counter(
                "head_timeouts",
                "Connections closed by the timeout of a request head.",
                c -> c.headTimeouts);
        counter("slow_bodies", "Uploads aborted below the minimum rate.", c -> c.slowBodies);
        counter(
                "stalled_writes",
                "Connections reset because their client accepted no byte of a response in time.",
                c -> c.stalledWrites);
        counter(
                "http2_floods",
                "HTTP/2 connections closed for too many useless frames or cancelled requests.",
                c -> c.floods);
        counter(
                "origin_requests",
                "Requests sent to origins, retries included.",
                c -> c.origin.requests);
        counter(
                "origin_failures",
                "Origin requests without a complete response.",
                c -> c.origin.failures);
        counter(
                "origin_shortages",
                "Origin connections not begun: this host had no free descriptor or local port.",
                c -> c.origin.shortages);
        counter(
                "member_requests",
                "Requests of members of the cluster; included in the requests.",
                c -> c.memberRequests);
        owner("hit", c -> c.peerHits);
        owner("miss", c -> c.peerMisses);
        owner("unreached", c -> c.ownersUnreached);
        owner("silent", c -> c.ownersSilent);
        owner("refused", c -> c.ownersRefused);
        counter(
                "owner_copies",
                "Owners' hits and misses that were also stored here.",
                c -> c.peerCopies);
    }

    private void bytesAndLimits() {
        counter("sent_bytes", "Bytes written to clients' sockets.", c -> c.sentBytes);
        counter("received_bytes", "Bytes of requests, heads and bodies.", c -> c.receivedBytes);
        counter(
                "hit_sent_bytes",
                "Bytes sent for hits, stale and revalidated responses; included in the bytes sent.",
                c -> c.hitBytes);
        counter(
                "origin_received_bytes",
                "Bytes received from origins.",
                c -> c.origin.receivedBytes);
        meters.counter(
                "refused_connections",
                "Connections closed on accept because of a limit.",
                f -> f.snapshot().clients().refused());
        meters.counter(
                "refused_connections_per_client",
                "Connections refused because of the limit per client; included in the refused ones.",
                f -> f.snapshot().clients().refusedPerClient());
        meters.counter(
                "cache_evictions",
                "Stored responses evicted for room.",
                f -> f.snapshot().cache().evictions());
        meters.counter(
                "cache_no_room",
                "Responses not stored because no room could be made.",
                f -> f.snapshot().cache().noRoom());
        counter("log_lines", "Lines written to the access log.", c -> c.logLines);
        dropped("overflow", c -> c.logOverflows);
        dropped("disk", c -> c.logLostToDisk);
        counter(
                "exchanges_not_listed",
                "Exchanges counted but not reported one by one.",
                c -> c.exchangesNotListed);
    }

    private void now() {
        gauge(
                "client_connections",
                "Open client connections.",
                s -> s.counters().clientConnections);
        gauge(
                "idle_client_connections",
                "Client connections without an exchange.",
                s -> s.clients().idleClients());
        gauge(
                "origin_connections",
                "Open origin connections.",
                s -> s.counters().origin.connections);
        gauge(
                "idle_origin_connections",
                "Origin connections parked for reuse.",
                s -> s.counters().origin.idleConnections);
        gauge(
                "exchanges_in_flight",
                "Exchanges that wait for an origin.",
                s -> s.counters().inFlight);
        gauge(
                "fetches_in_flight",
                "Shared origin fetches in progress.",
                s -> s.origins().fetchesInFlight());
        gauge("cache_bytes", "Bytes accounted for by the cache.", s -> s.cache().cacheBytes());
        part("bodies", s -> s.cache().cacheParts().bodies());
        part("heap", s -> s.cache().cacheParts().heap());
        part("moving", s -> s.cache().cacheParts().moving());
        gauge("cache_budget_bytes", "Limit of the cache.", s -> s.cache().cacheBudgetBytes());
        gauge("cache_objects", "Stored responses.", s -> s.cache().cacheObjects());
        gauge(
                "read_ahead_budget_bytes",
                "Limit of the bytes held by responses that are not stored.",
                s -> s.origins().readAhead().budgetBytes());
        gauge(
                "read_ahead_reserved_bytes",
                "Bytes reserved by these responses.",
                s -> s.origins().readAhead().reservedBytes());
        gauge(
                "passing",
                "Responses in progress that are not stored.",
                s -> s.origins().readAhead().pairs());
        gauge(
                "passing_held_up",
                "Of these, responses whose client reads more slowly than the origin sends.",
                s -> s.origins().readAhead().heldUp());
    }

    private void configuration() {
        gauge(
                "start_time_seconds",
                "Start of the process since the epoch.",
                s -> s.startedMicros() / 1e6);
        meters.counter(
                "reloads",
                "Successful reloads of the configuration.",
                f -> f.snapshot().reloads().done());
        meters.counter(
                "reloads_refused",
                "Reloads refused because of errors; they changed nothing.",
                f -> f.snapshot().reloads().refused());
        gauge(
                "configuration_generation",
                "The configuration in force: 1 at the start, one more with each reload.",
                s -> s.reloads().generation());
        gauge(
                "last_reload_time_seconds",
                "Time of the last reload, since the epoch; 0: never.",
                s -> s.reloads().lastMicros() / 1e6);
    }

    private static List<MetricFamily> times(PublishedFigures f) {
        return List.of(
                MetricFamily.histogram(
                        "hit_response_seconds",
                        "Time to first byte of responses from memory.",
                        f.snapshot().times().hitResponse()),
                MetricFamily.histogram(
                        "miss_response_seconds",
                        "Time to first byte of all other responses.",
                        f.snapshot().times().missResponse()),
                MetricFamily.histogram(
                        "origin_response_seconds",
                        "Time to an origin's first byte.",
                        f.snapshot().times().originResponse()));
    }

    private void counter(
            String name, String help, ToLongFunction<LoopTally> value, String... labels) {
        meters.counter(name, help, f -> value.applyAsLong(f.counters()), labels);
    }

    private void gauge(
            String name, String help, ToDoubleFunction<ProxySnapshot> value, String... labels) {
        meters.gauge(name, help, f -> value.applyAsDouble(f.snapshot()), labels);
    }

    private void outcome(String outcome, ToLongFunction<LoopTally> value) {
        String help = "Exchanges by the outcome of the cache.";
        counter("exchanges", help, value, "outcome", outcome);
    }

    private void broken(String by, ToLongFunction<LoopTally> value) {
        String help = "Tunnels over HTTP/2 that were aborted, by the aborting side.";
        counter("broken_tunnels", help, value, "by", by);
    }

    private void owner(String outcome, ToLongFunction<LoopTally> value) {
        String help = "Objects requested from their owner, another member, by outcome.";
        counter("owner_requests", help, value, "outcome", outcome);
    }

    private void dropped(String reason, ToLongFunction<LoopTally> value) {
        counter("log_dropped_lines", "Lines lost, by reason.", value, "reason", reason);
    }

    private void part(String part, ToDoubleFunction<ProxySnapshot> bytes) {
        String help =
                "Bytes of the cache by part; moving: being received, or dropped and still being sent.";
        gauge("cache_part_bytes", help, bytes, "part", part);
    }
}
