package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ProxyWindow.Buffers;
import dev.komainu.telemetry.record.ProxyWindow.Pools;
import dev.komainu.telemetry.record.ProxyWindow.Tier;
import java.io.IOException;

/** Wire fields of the proxy's reports: single exchanges and windows. */
final class ProxyFields {

    private ProxyFields() {}

    static void writeExchange(ProxyExchange it, FieldWriter out) throws IOException {
        out.text(1, it.service());
        out.int64(2, it.atMicros());
        out.endpoint(3, it.client());
        out.text(4, it.method());
        out.text(5, it.target());
        out.int32(6, it.status());
        out.int32(7, it.outcome().ordinal() + 1);
        out.textOrAbsent(8, it.origin());
        out.int64(9, it.responseMicros());
        out.int64(10, it.totalMicros());
        out.int64OrAbsent(11, it.originMicros());
        out.int64(12, it.receivedBytes());
        out.int64(13, it.sentBytes());
    }

    static ProxyExchange readExchange(FieldReader in) throws MalformedBatchException {
        String service = "";
        long at = 0;
        Endpoint client = null;
        String method = "";
        String target = "";
        int status = 0;
        int outcome = 0;
        String origin = null;
        long response = 0;
        long total = 0;
        Long originMicros = null;
        long received = 0;
        long sent = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> service = in.text();
                case 2 -> at = in.int64();
                case 3 -> client = in.endpoint();
                case 4 -> method = in.text();
                case 5 -> target = in.text();
                case 6 -> status = in.int32();
                case 7 -> outcome = in.int32();
                case 8 -> origin = in.text();
                case 9 -> response = in.int64();
                case 10 -> total = in.int64();
                case 11 -> originMicros = in.int64();
                case 12 -> received = in.int64();
                case 13 -> sent = in.int64();
                default -> in.skip();
            }
        }
        return new ProxyExchange(
                service,
                at,
                in.require(client, "client"),
                method,
                target,
                status,
                EnumNumbers.of(CacheOutcome.values(), outcome),
                origin,
                response,
                total,
                originMicros,
                received,
                sent);
    }

    static void writeWindow(ProxyWindow it, FieldWriter out) throws IOException {
        out.text(1, it.service());
        out.int64(2, it.fromMicros());
        out.int64(3, it.lengthMicros());
        out.int64(4, it.requests());
        out.int64(5, it.responses());
        out.int64(6, it.hits());
        out.int64(7, it.stale());
        out.int64(8, it.revalidated());
        out.int64(9, it.collapsed());
        out.int64(10, it.misses());
        out.int64(11, it.passes());
        out.int64(12, it.errors());
        out.int64(13, it.originRequests());
        out.int64(14, it.originFailures());
        out.int64(15, it.clientConnections());
        out.int64(16, it.idleClientConnections());
        out.int64(17, it.originConnections());
        out.int64(18, it.idleOriginConnections());
        out.int64(19, it.inFlight());
        out.int64(20, it.refusedConnections());
        out.int64(21, it.cacheBytes());
        out.int64(22, it.cacheBudgetBytes());
        out.int64(23, it.cacheObjects());
        out.int64(24, it.evictions());
        out.int64(25, it.sentBytes());
        out.int64(26, it.receivedFromOriginBytes());
        out.int64(27, it.exchangesNotListed());
        out.distribution(28, it.hitResponse());
        out.distribution(29, it.missResponse());
        out.distribution(30, it.originResponse());
        out.messageOrAbsent(31, it.pools(), ProxyFields::writePools);
        out.messageOrAbsent(32, it.tier(), ProxyFields::writeTier);
        out.messageOrAbsent(33, it.buffers(), ProxyFields::writeBuffers);
    }

    private static void writePools(Pools it, FieldWriter out) throws IOException {
        out.int64(1, it.wholeBytes());
        out.int64(2, it.protectedBytes());
        out.int64(3, it.targetBytes());
        out.int64(4, it.protectedUnreferencedBytes());
        out.int64(5, it.normalBytes());
        out.int64(6, it.normalUnreferencedBytes());
        out.int64(7, it.protectedHits());
        out.int64(8, it.protectedMisses());
        out.int64(9, it.normalHits());
        out.int64(10, it.normalMisses());
    }

    private static void writeTier(Tier it, FieldWriter out) throws IOException {
        out.int64(1, it.bytes());
        out.int64(2, it.limitBytes());
        out.int64(3, it.records());
        out.int64(4, it.found());
        out.int64(5, it.notFound());
        out.int64(6, it.written());
        out.int64(7, it.peakMicros());
        out.int64(8, it.protectedBytes());
    }

    private static void writeBuffers(Buffers it, FieldWriter out) throws IOException {
        out.int64(1, it.budgetBytes());
        out.int64(2, it.inUseBytes());
        out.int64(3, it.idleBytes());
        out.int64(4, it.waiting());
    }

    private static Pools readPools(FieldReader in) throws MalformedBatchException {
        long[] of = numbers(in, 10);
        return new Pools(of[1], of[2], of[3], of[4], of[5], of[6], of[7], of[8], of[9], of[10]);
    }

    private static Tier readTier(FieldReader in) throws MalformedBatchException {
        long[] of = numbers(in, 8);
        return new Tier(of[1], of[2], of[3], of[4], of[5], of[6], of[7], of[8]);
    }

    private static Buffers readBuffers(FieldReader in) throws MalformedBatchException {
        long[] of = numbers(in, 4);
        return new Buffers(of[1], of[2], of[3], of[4]);
    }

    /** Reads a message whose fields 1 to {@code last} are all int64. */
    private static long[] numbers(FieldReader in, int last) throws MalformedBatchException {
        long[] of = new long[last + 1];
        while (in.next()) {
            if (in.field() <= last) {
                of[in.field()] = in.int64();
            } else {
                in.skip();
            }
        }
        return of;
    }

    static ProxyWindow readWindow(FieldReader in) throws MalformedBatchException {
        String service = "";
        // Fields 2 to 27 are all int64, in the record's order.
        long[] of = new long[28];
        Distribution hitResponse = Distribution.empty();
        Distribution missResponse = Distribution.empty();
        Distribution originResponse = Distribution.empty();
        Pools pools = null;
        Tier tier = null;
        Buffers buffers = null;
        while (in.next()) {
            int field = in.field();
            switch (field) {
                case 1 -> service = in.text();
                case 28 -> hitResponse = in.distribution();
                case 29 -> missResponse = in.distribution();
                case 30 -> originResponse = in.distribution();
                case 31 -> pools = in.message("pools", ProxyFields::readPools);
                case 32 -> tier = in.message("tier", ProxyFields::readTier);
                case 33 -> buffers = in.message("buffers", ProxyFields::readBuffers);
                default -> {
                    if (field < of.length) {
                        of[field] = in.int64();
                    } else {
                        in.skip();
                    }
                }
            }
        }
        return new ProxyWindow(
                service,
                of[2],
                of[3],
                of[4],
                of[5],
                of[6],
                of[7],
                of[8],
                of[9],
                of[10],
                of[11],
                of[12],
                of[13],
                of[14],
                of[15],
                of[16],
                of[17],
                of[18],
                of[19],
                of[20],
                of[21],
                of[22],
                of[23],
                of[24],
                of[25],
                of[26],
                of[27],
                hitResponse,
                missResponse,
                originResponse,
                pools,
                tier,
                buffers);
    }
}
