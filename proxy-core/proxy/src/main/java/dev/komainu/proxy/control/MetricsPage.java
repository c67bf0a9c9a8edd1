package dev.komainu.proxy.control;

import dev.komainu.proxy.peak.PeakView;
import dev.komainu.proxy.report.ProxySnapshot;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.tls.TlsFigures;
import java.math.BigDecimal;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Prometheus' text format, version 0.0.4; base units: seconds and bytes. */
final class MetricsPage {

    private static final double[] BOUNDS = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
        10
    };

    private final StringBuilder out = new StringBuilder(8192);

    private MetricsPage() {}

    /**
     * @param tls absent when nobody comes in over TLS
     * @param peak absent without a disk tier
     */
    static String of(ProxySnapshot figures, @Nullable TlsFigures tls, @Nullable PeakView peak) {
        MetricsPage page = new MetricsPage();
        page.write(figures);
        page.out.append(PartitionMetrics.of(figures));
        page.out.append(TlsMetrics.of(figures.counters(), tls));
        if (figures.disk() != null) {
            page.out.append(DiskMetrics.of(figures.disk(), figures.counters().diskHits));
        }
        if (peak != null) {
            page.out.append(DiskMetrics.of(peak));
        }
        return page.out.toString();
    }

    private void write(ProxySnapshot f) {
        LoopTally c = f.counters();
        counter("requests", "Request heads read complete, refused ones included.", c.requests);
        counter("responses", "Answers begun.", c.responses);
        head("exchanges", "Exchanges by what the cache did.", "counter");
        outcome("hit", c.hits);
        outcome("stale", c.stale);
        outcome("revalidated", c.revalidated);
        outcome("collapsed", c.collapsed);
        outcome("miss", c.misses);
        outcome("pass", c.passes);
        outcome("tunnel", c.tunnels);
        outcome("error", c.errors);
        outcome("abandoned", c.abandoned);
        head(
                "broken_tunnels",
                "Tunnels over HTTP/2 that were cut in the middle, by whom.",
                "counter");
        broken("target", c.tunnelsReset);
        broken("client", c.tunnelsLeft);
        broken("fault", c.tunnelsFailed);
        counter(
                "malformed_requests",
                "Heads and bodies refused as malformed; among the errors.",
                c.malformed);
        counter(
                "head_timeouts",
                "Connections closed because a head did not come in time.",
                c.headTimeouts);
        counter("slow_bodies", "Uploads cut off because too few bytes of them came.", c.slowBodies);
        counter(
                "stalled_writes",
                "Connections reset because their client accepted no byte of an answer in time.",
                c.stalledWrites);
        counter(
                "http2_floods",
                "HTTP/2 connections closed for frames without a use, or requests taken back.",
                c.floods);
        counter(
                "origin_requests",
                "Requests sent to origins, retries included.",
                c.origin.requests);
        counter("origin_failures", "Origin requests without a complete answer.", c.origin.failures);
        counter(
                "member_requests",
                "Of the requests, those of members of the cluster.",
                c.memberRequests);
        head(
                "owner_requests",
                "Objects asked of the member that owns them, by what came of it.",
                "counter");
        owner("hit", c.peerHits);
        owner("miss", c.peerMisses);
        owner("unreached", c.ownersUnreached);
        owner("silent", c.ownersSilent);
        owner("refused", c.ownersRefused);
        counter(
                "owner_copies",
                "Of the hits and misses, those that were kept here, too.",
                c.peerCopies);
        counter("sent_bytes", "Bytes handed to clients' sockets.", c.sentBytes);
        counter("received_bytes", "Bytes of requests, heads and bodies.", c.receivedBytes);
        counter(
                "hit_sent_bytes",
                "Of the bytes sent, those of hits, stale and revalidated answers.",
                c.hitBytes);
        counter("origin_received_bytes", "Bytes received from origins.", c.origin.receivedBytes);
        counter("refused_connections", "Connections closed at accept for a limit.", f.refused());
        counter(
                "refused_connections_per_client",
                "Of the refused connections, those for the limit of their client.",
                f.refusedPerClient());
        counter("cache_evictions", "Stored answers dropped for room.", f.evictions());
        counter("cache_no_room", "Answers not stored because no room could be made.", f.noRoom());
        counter("log_lines", "Lines given to the access log.", c.logLines);
        head("log_dropped_lines", "Lines lost, by reason.", "counter");
        out.append("komainu_proxy_log_dropped_lines_total{reason=\"overflow\"} ")
                .append(c.logOverflows)
                .append('\n');
        out.append("komainu_proxy_log_dropped_lines_total{reason=\"disk\"} ")
                .append(c.logLostToDisk)
                .append('\n');
        counter(
                "exchanges_not_listed",
                "Exchanges counted but not reported one by one.",
                c.exchangesNotListed);
        gauge("client_connections", "Client connections open now.", c.clientConnections);
        gauge(
                "idle_client_connections",
                "Client connections without an exchange.",
                f.idleClients());
        gauge("origin_connections", "Origin connections open now.", c.origin.connections);
        gauge(
                "idle_origin_connections",
                "Origin connections parked for reuse.",
                c.origin.idleConnections);
        gauge("exchanges_in_flight", "Exchanges that wait for an origin now.", c.inFlight);
        gauge("fetches_in_flight", "Shared origin fetches under way now.", f.fetchesInFlight());
        gauge("cache_bytes", "Bytes the cache accounts for now.", f.cacheBytes());
        head(
                "cache_part_bytes",
                "The same by part; moving: arriving, or dropped and still being sent.",
                "gauge");
        part("bodies", f.cacheParts().bodies());
        part("heap", f.cacheParts().heap());
        part("moving", f.cacheParts().moving());
        gauge("cache_budget_bytes", "The cache's cap.", f.cacheBudgetBytes());
        gauge("cache_objects", "Stored answers now.", f.cacheObjects());
        gauge(
                "start_time_seconds",
                "Start of the process since the epoch.",
                f.startedMicros() / 1e6);
        counter(
                "reloads",
                "Reloads of the configuration that were done.",
                f.reloads().done());
        counter(
                "reloads_refused",
                "Reloads that changed nothing because of mistakes.",
                f.reloads().refused());
        gauge(
                "configuration_generation",
                "The configuration in force: 1 at the start, one more with each reload.",
                f.reloads().generation());
        gauge(
                "last_reload_time_seconds",
                "When the last reload was done, since the epoch; 0: never.",
                f.reloads().lastMicros() / 1e6);
        out.append(OriginMetrics.of(f.servers()));
        out.append(ConnectionMetrics.of(f.reclaim()));
        out.append(BufferMetrics.of(f.buffers()));
        gauge(
                "read_ahead_budget_bytes",
                "What answers that are not stored may hold.",
                f.readAhead().budgetBytes());
        gauge(
                "read_ahead_reserved_bytes",
                "What they hold now, at most.",
                f.readAhead().reservedBytes());
        gauge(
                "passing",
                "Answers that are not stored and under way now.",
                f.readAhead().pairs());
        gauge(
                "passing_held_up",
                "Of those, whose client takes less than comes.",
                f.readAhead().heldUp());
        histogram(
                "hit_response_seconds",
                "Time to first byte of answers from memory.",
                f.hitResponse());
        histogram(
                "miss_response_seconds",
                "Time to first byte of all other answers.",
                f.missResponse());
        histogram("origin_response_seconds", "Time to an origin's first byte.", f.originResponse());
    }

    private void head(String name, String help, String type) {
        String full = "komainu_proxy_" + name + (type.equals("counter") ? "_total" : "");
        out.append("# HELP ").append(full).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(full).append(' ').append(type).append('\n');
    }

    private void counter(String name, String help, long value) {
        head(name, help, "counter");
        out.append("komainu_proxy_")
                .append(name)
                .append("_total ")
                .append(value)
                .append('\n');
    }

    private void outcome(String outcome, long value) {
        out.append("komainu_proxy_exchanges_total{outcome=\"").append(outcome).append("\"} ");
        out.append(value).append('\n');
    }

    private void broken(String by, long count) {
        out.append("komainu_proxy_broken_tunnels_total{by=\"")
                .append(by)
                .append("\"} ")
                .append(count)
                .append('\n');
    }

    private void owner(String outcome, long value) {
        out.append("komainu_proxy_owner_requests_total{outcome=\"")
                .append(outcome)
                .append("\"} ");
        out.append(value).append('\n');
    }

    private void part(String part, long bytes) {
        out.append("komainu_proxy_cache_part_bytes{part=\"").append(part).append("\"} ");
        out.append(bytes).append('\n');
    }

    private void gauge(String name, String help, double value) {
        head(name, help, "gauge");
        out.append("komainu_proxy_").append(name).append(' ');
        out.append(value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value))
                .append('\n');
    }

    private void histogram(String name, String help, Histogram values) {
        head(name, help, "histogram");
        String full = "komainu_proxy_" + name;
        for (double bound : BOUNDS) {
            long count = values.getTotalCount() == 0
                    ? 0
                    : values.getCountBetweenValues(0, (long) (bound * 1e6));
            String le = BigDecimal.valueOf(bound).stripTrailingZeros().toPlainString();
            out.append(String.format(Locale.ROOT, "%s_bucket{le=\"%s\"} %d%n", full, le, count));
        }
        out.append(String.format(
                Locale.ROOT, "%s_bucket{le=\"+Inf\"} %d%n", full, values.getTotalCount()));
        double sum =
                values.getTotalCount() == 0 ? 0 : values.getMean() * values.getTotalCount() / 1e6;
        out.append(String.format(
                Locale.ROOT, "%s_sum %s%n%s_count %d%n", full, sum, full, values.getTotalCount()));
    }
}
