package dev.komainu.central.store;

import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.Handshake;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Plausible records with few different values, so that filters match some and not others. */
public final class SomeRecords {

    public static final long SECOND = 1_000_000;

    /** 2026-11-21 00:00:00 UTC. */
    public static final long START = 1_795_219_200L * SECOND;

    private final Random random;

    public SomeRecords(long seed) {
        random = new Random(seed);
    }

    public static Batch batch(String source, long sequence, TelemetryRecord... records) {
        return new Batch(new BatchId(source, 1, sequence), List.of(records));
    }

    public Batch batch(String source, long sequence, int records, long from, long length) {
        List<TelemetryRecord> all = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            long at = from + random.nextLong(length);
            all.add(
                    switch (random.nextInt(6)) {
                        case 0 -> connection(at);
                        case 1 -> exchange(at);
                        case 2 -> window("web:" + random.nextInt(2), at / SECOND * SECOND);
                        case 3 -> proxyWindow("proxy:" + random.nextInt(2), at / SECOND * SECOND);
                        case 4 -> host("node" + random.nextInt(2), at);
                        default -> random.nextBoolean() ? sighting(at) : status(at);
                    });
        }
        return new Batch(new BatchId(source, 1, sequence), all);
    }

    public ConnectionRecord connection(long end) {
        return connection(null, end);
    }

    /** Returns a connection of a service from this port of a client. */
    public ConnectionRecord connection(String service, int port, long end) {
        ConnectionRecord it = connection(service, end);
        return new ConnectionRecord(
                service,
                new Endpoint(it.client().address(), port),
                it.server(),
                it.times(),
                it.state(),
                it.handshake(),
                it.up(),
                it.down(),
                it.exchanges(),
                0,
                null);
    }

    /** @param service absent: one of two */
    ConnectionRecord connection(@Nullable String service, long end) {
        List<HttpExchange> exchanges = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            Long response = random.nextInt(4) == 0 ? null : random.nextLong(1_000_000);
            exchanges.add(new HttpExchange(
                    "GET",
                    "/page/" + random.nextInt(20) + "%_'",
                    200,
                    end - 5,
                    end - 4,
                    end - 1,
                    response,
                    3L));
        }
        long duration = random.nextLong(2_000_000);
        return new ConnectionRecord(
                service == null ? "web:" + random.nextInt(2) : service,
                Endpoint.parse(
                        "192.0.2." + random.nextInt(5) + ":" + (1024 + random.nextInt(1000))),
                Endpoint.parse("[2001:db8::1]:80"),
                new ConnectionRecord.Times(end - duration, end, duration, null),
                ConnectionState.values()[random.nextInt(3)],
                Handshake.UNSEEN,
                totals(),
                totals(),
                exchanges,
                0,
                null);
    }

    private DirectionTotals totals() {
        return new DirectionTotals(
                random.nextInt(100),
                random.nextInt(100_000),
                random.nextInt(100_000),
                random.nextInt(100_000),
                random.nextInt(3),
                0,
                0);
    }

    public ProxyExchange exchange(long at) {
        return new ProxyExchange(
                "proxy:" + random.nextInt(2),
                at,
                Endpoint.parse("192.0.2." + random.nextInt(5) + ":9"),
                "GET",
                "host/" + random.nextInt(20),
                200,
                CacheOutcome.values()[random.nextInt(3)],
                null,
                random.nextLong(1_000_000),
                5,
                null,
                7,
                8);
    }

    public Distribution distribution() {
        Histogram recorder = Distribution.newRecorder();
        for (int i = random.nextInt(10); i > 0; i--) {
            Distribution.record(recorder, random.nextLong(1_000_000));
        }
        return Distribution.of(recorder);
    }

    public ServiceWindow window(String service, long from) {
        return new ServiceWindow(
                service,
                from,
                SECOND,
                new ServiceWindow.Connections(
                        random.nextInt(100), random.nextInt(100), random.nextInt(3), 0, 0, 0, 0),
                new ServiceWindow.Exchanges(random.nextInt(100), random.nextInt(100), 0),
                new ServiceWindow.Concurrency(
                        random.nextInt(64) / 4.0, random.nextInt(64), random.nextInt(64) / 4.0),
                new ServiceWindow.Packets(totals(), totals(), 0, random.nextInt(1000), 0, 0),
                new ServiceWindow.Times(distribution(), distribution(), distribution()),
                null);
    }

    public ProxyWindow proxyWindow(String service, long from) {
        int n = random.nextInt(100);
        return new ProxyWindow(
                service,
                from,
                SECOND,
                new ProxyWindow.Exchanges(n, n, n, n, n),
                new ProxyWindow.Outcomes(n, n, n, n, n, n, n),
                new ProxyWindow.Origins(n, n, n),
                new ProxyWindow.Connections(
                        n,
                        n,
                        n,
                        n,
                        n,
                        random.nextBoolean() ? new ProxyWindow.Buffers(n, n, n, n) : null),
                new ProxyWindow.Cache(
                        n,
                        n,
                        n,
                        n,
                        random.nextBoolean()
                                ? new ProxyWindow.Pools(n, n, n, n, n, n, n, n, n, n)
                                : null,
                        random.nextBoolean() ? new ProxyWindow.Tier(n, n, n, n, n, n, n, n) : null),
                new ProxyWindow.Times(distribution(), distribution(), distribution()));
    }

    public HostSample host(String node, long at) {
        return new HostSample(
                node,
                at,
                10 * SECOND,
                new HostSample.Resources(
                        List.of(new HostSample.CpuShare(0.5, 0.25, 0, 0, 0.25)),
                        new HostSample.Memory(6, 5, 4, 3, 2, 1),
                        List.of(),
                        List.of()),
                new HostSample.KernelRates(1, 2, 3, 4, null, 5, 6),
                new HostSample.Network(
                        new HostSample.Sockets(
                                1,
                                2,
                                3,
                                4,
                                5,
                                new HostSample.Sockets.Rates(6, 7, 8, 9, 10, 11),
                                null),
                        List.of()),
                null,
                new HostSample.Totals(random.nextInt(100), 2, 1.5, 0, 0, null),
                List.of(),
                0);
    }

    public ServiceSighting sighting(long at) {
        return new ServiceSighting(
                "web:0",
                "node0",
                "nginx :80",
                "nginx",
                "1.22",
                List.of(),
                new ServiceSighting.ServerProcess(1L, "/usr/sbin/nginx"),
                List.of(),
                at);
    }

    public SourceStatus status(long at) {
        return new SourceStatus(
                "node0",
                SourceStatus.Kind.AGENT,
                "0.1",
                1,
                at,
                new SourceStatus.Use(random.nextInt(100), 0.1),
                List.of(),
                List.of(),
                List.of());
    }
}
