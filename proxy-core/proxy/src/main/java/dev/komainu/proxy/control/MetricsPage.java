package dev.komainu.proxy.control;

import dev.komainu.proxy.peak.PeakView;
import dev.komainu.proxy.report.ProxySnapshot;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.tls.TlsFigures;
import java.math.BigDecimal;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The metrics page in Prometheus' text format, version 0.0.4; base units: seconds and bytes. */
final class MetricsPage {

    private static final double[] BOUNDS = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
        10
    };

    private final StringBuilder out = new StringBuilder(8192);

    private MetricsPage() {}

    /**
     * Returns the page.
     *
     * @param tls null without TLS listeners
     * @param peak null without a disk tier
     */
    static String of(ProxySnapshot figures, @Nullable TlsFigures tls, @Nullable PeakView peak) {
        MetricsPage page = new MetricsPage();
        page.write(figures);
        page.out.append(PartitionMetrics.of(figures));
        page.out.append(TlsMetrics.of(figures.counters(), tls));
        if (figures.cache().disk() != null) {
            page.out.append(DiskMetrics.of(figures.cache().disk(), figures.counters().diskHits));
        }
        if (peak != null) {
            page.out.append(DiskMetrics.of(peak));
        }
        return page.out.toString();
    }

    private void write(ProxySnapshot f) {
        LoopTally c = f.counters();
        counter("requests", "Complete request heads, refused ones included.", c.requests);
        counter("responses", "Responses started.", c.responses);
        head("exchanges", "Exchanges by the outcome of the cache.", "counter");
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
                "Tunnels over HTTP/2 that were aborted, by the aborting side.",
                "counter");
        broken("target", c.tunnelsReset);
        broken("client", c.tunnelsLeft);
        broken("fault", c.tunnelsFailed);
        counter(
                "malformed_requests",
                "Heads and bodies refused as malformed; included in the errors.",
                c.malformed);
        counter(
                "head_timeouts",
                "Connections closed by the timeout of a request head.",
                c.headTimeouts);
        counter("slow_bodies", "Uploads aborted below the minimum rate.", c.slowBodies);
        counter(
                "stalled_writes",
                "Connections reset because their client accepted no byte of a response in time.",
                c.stalledWrites);
        counter(
                "http2_floods",
                "HTTP/2 connections closed for too many useless frames or cancelled requests.",
                c.floods);
        counter(
                "origin_requests",
                "Requests sent to origins, retries included.",
                c.origin.requests);
        counter(
                "origin_failures",
                "Origin requests without a complete response.",
                c.origin.failures);
        counter(
                "origin_shortages",
                "Origin connections not begun: this host had no free descriptor or local port.",
                c.origin.shortages);
        counter(
                "member_requests",
                "Requests of members of the cluster; included in the requests.",
                c.memberRequests);
        head(
                "owner_requests",
                "Objects requested from their owner, another member, by outcome.",
                "counter");
        owner("hit", c.peerHits);
        owner("miss", c.peerMisses);
        owner("unreached", c.ownersUnreached);
        owner("silent", c.ownersSilent);
        owner("refused", c.ownersRefused);
        counter(
                "owner_copies",
                "Owners' hits and misses that were also stored here.",
                c.peerCopies);
        counter("sent_bytes", "Bytes written to clients' sockets.", c.sentBytes);
        counter("received_bytes", "Bytes of requests, heads and bodies.", c.receivedBytes);
        counter(
                "hit_sent_bytes",
                "Bytes sent for hits, stale and revalidated responses; included in the bytes sent.",
                c.hitBytes);
        counter("origin_received_bytes", "Bytes received from origins.", c.origin.receivedBytes);
        counter(
                "refused_connections",
                "Connections closed on accept because of a limit.",
                f.clients().refused());
        counter(
                "refused_connections_per_client",
                "Connections refused because of the limit per client; included in the refused ones.",
                f.clients().refusedPerClient());
        counter(
                "cache_evictions",
                "Stored responses evicted for room.",
                f.cache().evictions());
        counter(
                "cache_no_room",
                "Responses not stored because no room could be made.",
                f.cache().noRoom());
        counter("log_lines", "Lines written to the access log.", c.logLines);
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
        gauge("client_connections", "Open client connections.", (double) c.clientConnections);
        gauge("idle_client_connections", "Client connections without an exchange.", (double)
                f.clients().idleClients());
        gauge("origin_connections", "Open origin connections.", (double) c.origin.connections);
        gauge("idle_origin_connections", "Origin connections parked for reuse.", (double)
                c.origin.idleConnections);
        gauge("exchanges_in_flight", "Exchanges that wait for an origin.", (double) c.inFlight);
        gauge("fetches_in_flight", "Shared origin fetches in progress.", (double)
                f.origins().fetchesInFlight());
        gauge("cache_bytes", "Bytes accounted for by the cache.", (double)
                f.cache().cacheBytes());
        head(
                "cache_part_bytes",
                "Bytes of the cache by part; moving: being received, or dropped and still being sent.",
                "gauge");
        part("bodies", f.cache().cacheParts().bodies());
        part("heap", f.cache().cacheParts().heap());
        part("moving", f.cache().cacheParts().moving());
        gauge("cache_budget_bytes", "Limit of the cache.", (double) f.cache().cacheBudgetBytes());
        gauge("cache_objects", "Stored responses.", (double) f.cache().cacheObjects());
        gauge(
                "start_time_seconds",
                "Start of the process since the epoch.",
                f.startedMicros() / 1e6);
        counter(
                "reloads",
                "Successful reloads of the configuration.",
                f.reloads().done());
        counter(
                "reloads_refused",
                "Reloads refused because of errors; they changed nothing.",
                f.reloads().refused());
        gauge(
                "configuration_generation",
                "The configuration in force: 1 at the start, one more with each reload.",
                (double) f.reloads().generation());
        gauge(
                "last_reload_time_seconds",
                "Time of the last reload, since the epoch; 0: never.",
                f.reloads().lastMicros() / 1e6);
        out.append(OriginMetrics.of(f.origins().servers()));
        out.append(ConnectionMetrics.of(f.clients().reclaim()));
        out.append(BufferMetrics.of(f.clients().buffers()));
        gauge(
                "read_ahead_budget_bytes",
                "Limit of the bytes held by responses that are not stored.",
                (double) f.origins().readAhead().budgetBytes());
        gauge("read_ahead_reserved_bytes", "Bytes reserved by these responses.", (double)
                f.origins().readAhead().reservedBytes());
        gauge(
                "passing",
                "Responses in progress that are not stored.",
                f.origins().readAhead().pairs());
        gauge(
                "passing_held_up",
                "Of these, responses whose client reads more slowly than the origin sends.",
                f.origins().readAhead().heldUp());
        histogram(
                "hit_response_seconds",
                "Time to first byte of responses from memory.",
                f.times().hitResponse());
        histogram(
                "miss_response_seconds",
                "Time to first byte of all other responses.",
                f.times().missResponse());
        histogram(
                "origin_response_seconds",
                "Time to an origin's first byte.",
                f.times().originResponse());
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
