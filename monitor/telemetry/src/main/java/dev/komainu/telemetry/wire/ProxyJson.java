package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ProxyWindow.Buffers;
import dev.komainu.telemetry.record.ProxyWindow.Pools;
import dev.komainu.telemetry.record.ProxyWindow.Tier;
import java.util.Locale;

/** JSON of the proxy's exchanges and windows. */
final class ProxyJson {

    private static final String OUTCOMES =
            "hit, stale, revalidated, collapsed, miss, pass, tunnel, error";

    private ProxyJson() {}

    static void writeExchange(ProxyExchange it, JsonObjectWriter out) {
        out.text("service", it.service());
        out.int64("atMicros", it.atMicros());
        out.text("client", it.client().toString());
        out.text("method", it.method());
        out.text("target", it.target());
        out.int64("status", it.status());
        out.text("outcome", it.outcome().name().toLowerCase(Locale.ROOT));
        out.text("origin", it.origin());
        out.int64("responseMicros", it.responseMicros());
        out.int64("totalMicros", it.totalMicros());
        out.int64OrAbsent("originMicros", it.originMicros());
        out.int64("receivedBytes", it.receivedBytes());
        out.int64("sentBytes", it.sentBytes());
    }

    static ProxyExchange readExchange(JsonObjectReader in) throws MalformedBatchException {
        return new ProxyExchange(
                in.text("service"),
                in.int64("atMicros"),
                in.endpoint("client"),
                in.text("method"),
                in.text("target"),
                in.count32("status"),
                in.oneOf(
                        "outcome",
                        label -> CacheOutcome.valueOf(label.toUpperCase(Locale.ROOT)),
                        OUTCOMES),
                in.textOrAbsent("origin"),
                in.int64("responseMicros"),
                in.int64("totalMicros"),
                in.int64OrAbsent("originMicros"),
                in.count("receivedBytes"),
                in.count("sentBytes"));
    }

    static void writeWindow(ProxyWindow it, JsonObjectWriter out) {
        out.text("service", it.service());
        out.int64("fromMicros", it.fromMicros());
        out.int64("lengthMicros", it.lengthMicros());
        out.int64("requests", it.requests());
        out.int64("responses", it.responses());
        out.int64("hits", it.hits());
        out.int64("stale", it.stale());
        out.int64("revalidated", it.revalidated());
        out.int64("collapsed", it.collapsed());
        out.int64("misses", it.misses());
        out.int64("passes", it.passes());
        out.int64("errors", it.errors());
        out.int64("originRequests", it.originRequests());
        out.int64("originFailures", it.originFailures());
        out.int64("clientConnections", it.clientConnections());
        out.int64("idleClientConnections", it.idleClientConnections());
        out.int64("originConnections", it.originConnections());
        out.int64("idleOriginConnections", it.idleOriginConnections());
        out.int64("inFlight", it.inFlight());
        out.int64("refusedConnections", it.refusedConnections());
        out.int64("cacheBytes", it.cacheBytes());
        out.int64("cacheBudgetBytes", it.cacheBudgetBytes());
        out.int64("cacheObjects", it.cacheObjects());
        out.int64("evictions", it.evictions());
        out.int64("sentBytes", it.sentBytes());
        out.int64("receivedFromOriginBytes", it.receivedFromOriginBytes());
        out.int64("exchangesNotListed", it.exchangesNotListed());
        out.distribution("hitResponse", it.hitResponse());
        out.distribution("missResponse", it.missResponse());
        out.distribution("originResponse", it.originResponse());
        Pools pools = it.pools();
        if (pools != null) {
            out.int64("poolsWholeBytes", pools.wholeBytes());
            out.int64("poolsProtectedBytes", pools.protectedBytes());
            out.int64("poolsTargetBytes", pools.targetBytes());
            out.int64("poolsProtectedUnreferencedBytes", pools.protectedUnreferencedBytes());
            out.int64("poolsNormalBytes", pools.normalBytes());
            out.int64("poolsNormalUnreferencedBytes", pools.normalUnreferencedBytes());
            out.int64("poolsProtectedHits", pools.protectedHits());
            out.int64("poolsProtectedMisses", pools.protectedMisses());
            out.int64("poolsNormalHits", pools.normalHits());
            out.int64("poolsNormalMisses", pools.normalMisses());
        }
        Tier tier = it.tier();
        if (tier != null) {
            out.int64("tierBytes", tier.bytes());
            out.int64("tierLimitBytes", tier.limitBytes());
            out.int64("tierRecords", tier.records());
            out.int64("tierFound", tier.found());
            out.int64("tierNotFound", tier.notFound());
            out.int64("tierWritten", tier.written());
            out.int64("tierPeakMicros", tier.peakMicros());
            out.int64("tierProtectedBytes", tier.protectedBytes());
        }
        Buffers buffers = it.buffers();
        if (buffers != null) {
            out.int64("buffersBudgetBytes", buffers.budgetBytes());
            out.int64("buffersInUseBytes", buffers.inUseBytes());
            out.int64("buffersIdleBytes", buffers.idleBytes());
            out.int64("buffersWaiting", buffers.waiting());
        }
    }

    static ProxyWindow readWindow(JsonObjectReader in) throws MalformedBatchException {
        return new ProxyWindow(
                in.text("service"),
                in.int64("fromMicros"),
                in.int64("lengthMicros"),
                in.count("requests"),
                in.count("responses"),
                in.count("hits"),
                in.count("stale"),
                in.count("revalidated"),
                in.count("collapsed"),
                in.count("misses"),
                in.count("passes"),
                in.count("errors"),
                in.count("originRequests"),
                in.count("originFailures"),
                in.count("clientConnections"),
                in.count("idleClientConnections"),
                in.count("originConnections"),
                in.count("idleOriginConnections"),
                in.count("inFlight"),
                in.count("refusedConnections"),
                in.count("cacheBytes"),
                in.count("cacheBudgetBytes"),
                in.count("cacheObjects"),
                in.count("evictions"),
                in.count("sentBytes"),
                in.count("receivedFromOriginBytes"),
                in.count("exchangesNotListed"),
                in.distribution("hitResponse"),
                in.distribution("missResponse"),
                in.distribution("originResponse"),
                in.has("poolsWholeBytes")
                        ? new Pools(
                                in.count("poolsWholeBytes"),
                                in.count("poolsProtectedBytes"),
                                in.count("poolsTargetBytes"),
                                in.count("poolsProtectedUnreferencedBytes"),
                                in.count("poolsNormalBytes"),
                                in.count("poolsNormalUnreferencedBytes"),
                                in.count("poolsProtectedHits"),
                                in.count("poolsProtectedMisses"),
                                in.count("poolsNormalHits"),
                                in.count("poolsNormalMisses"))
                        : null,
                in.has("tierBytes")
                        ? new Tier(
                                in.count("tierBytes"),
                                in.count("tierLimitBytes"),
                                in.count("tierRecords"),
                                in.count("tierFound"),
                                in.count("tierNotFound"),
                                in.count("tierWritten"),
                                in.count("tierPeakMicros"),
                                in.count("tierProtectedBytes"))
                        : null,
                in.has("buffersBudgetBytes")
                        ? new Buffers(
                                in.count("buffersBudgetBytes"),
                                in.count("buffersInUseBytes"),
                                in.count("buffersIdleBytes"),
                                in.count("buffersWaiting"))
                        : null);
    }
}
