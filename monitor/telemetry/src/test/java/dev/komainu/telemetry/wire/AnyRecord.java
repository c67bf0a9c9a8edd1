package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ClientPaths;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.ConnectionParts;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.Failures;
import dev.komainu.telemetry.record.Handshake;
import dev.komainu.telemetry.record.HostParts;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.record.TimesGrid;
import dev.komainu.telemetry.record.TlsFacts;
import dev.komainu.telemetry.record.WindowParts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * Random records from a seed: every kind, every optional field present and absent, extreme values.
 */
public final class AnyRecord {

    private static final String[] TEXTS = {
        "", "web-01:80", "GET", "/a/ü/狛犬", "a\"b\\c\n\t\u0000", "<script>", "x".repeat(256), "😀"
    };

    private final Random random;

    public AnyRecord(long seed) {
        random = new Random(seed);
    }

    public Batch batch(int most) {
        List<TelemetryRecord> records = new ArrayList<>();
        for (int n = random.nextInt(most + 1); n > 0; n--) {
            records.add(next());
        }
        return new Batch(new BatchId("agent@" + text(), number(), number()), records);
    }

    public TelemetryRecord next() {
        return switch (random.nextInt(11)) {
            case 0 -> connection();
            case 1 -> window();
            case 2 -> host();
            case 3 -> sighting();
            case 4 -> exchange();
            case 5 -> proxyWindow();
            case 6 -> log();
            case 7 -> outcome();
            case 8 -> cluster();
            case 9 -> windowParts();
            default -> status();
        };
    }

    private long number() {
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> Long.MAX_VALUE;
            case 2 -> Long.MIN_VALUE;
            case 3 -> random.nextInt(200);
            default -> 1_763_000_000_000_000L + random.nextInt();
        };
    }

    private double real() {
        return switch (random.nextInt(5)) {
            case 0 -> 0.0;
            case 1 -> -0.0;
            case 2 -> Double.MIN_VALUE;
            case 3 -> random.nextGaussian() * 1e9;
            default -> random.nextDouble();
        };
    }

    private int small() {
        return random.nextInt(5) == 0 ? Integer.MIN_VALUE : random.nextInt(1000);
    }

    private String text() {
        return TEXTS[random.nextInt(TEXTS.length)];
    }

    private <T> T maybe(Supplier<T> value) {
        return random.nextBoolean() ? value.get() : null;
    }

    private <T> List<T> some(Supplier<T> value) {
        List<T> all = new ArrayList<>();
        for (int n = random.nextInt(4); n > 0; n--) {
            all.add(value.get());
        }
        return all;
    }

    public Endpoint endpoint() {
        byte[] address = new byte[random.nextBoolean() ? 4 : 16];
        random.nextBytes(address);
        return Endpoint.of(address, random.nextInt(65_536));
    }

    public Distribution distribution() {
        Histogram recorder = Distribution.newRecorder();
        for (int n = random.nextInt(20); n > 0; n--) {
            Distribution.record(recorder, random.nextLong(2 * Distribution.MAX_MICROS));
        }
        return Distribution.of(recorder);
    }

    private DirectionTotals totals() {
        return new DirectionTotals(
                number(), number(), number(), number(), number(), number(), number());
    }

    private <E> E one(E[] of) {
        return of[random.nextInt(of.length)];
    }

    private HttpExchange httpExchange() {
        return new HttpExchange(
                maybe(this::text),
                maybe(this::text),
                maybe(this::small),
                number(),
                maybe(this::number),
                maybe(this::number),
                maybe(this::number),
                maybe(this::number),
                maybe(this::number),
                maybe(this::number));
    }

    private TimesGrid.Cell cell() {
        return new TimesGrid.Cell(
                random.nextInt(TimesGrid.STEPS), random.nextInt(TimesGrid.STEPS), number());
    }

    public AccessLogWindow log() {
        return new AccessLogWindow(
                text(),
                number(),
                number(),
                text(),
                text(),
                new AccessLogWindow.Counts(number(), number(), number(), number()),
                real(),
                number(),
                new AccessLogWindow.Durations(random.nextBoolean(), number(), distribution()));
    }

    public ConnectionRecord connection() {
        return new ConnectionRecord(
                maybe(this::text),
                endpoint(),
                endpoint(),
                new ConnectionRecord.Times(number(), number(), number(), maybe(this::number)),
                one(ConnectionState.values()),
                new Handshake(
                        maybe(this::number),
                        maybe(this::number),
                        maybe(this::number),
                        small(),
                        maybe(this::number),
                        maybe(this::number)),
                totals(),
                totals(),
                some(this::httpExchange),
                small(),
                maybe(() -> new TlsFacts(
                        maybe(this::text),
                        maybe(this::text),
                        maybe(this::text),
                        maybe(this::number))));
    }

    public ServiceWindow window() {
        return new ServiceWindow(
                text(),
                number(),
                number(),
                new ServiceWindow.Connections(
                        number(), number(), number(), number(), number(), number(), number()),
                new ServiceWindow.Exchanges(number(), number(), number()),
                new ServiceWindow.Concurrency(real(), number(), real()),
                new ServiceWindow.Packets(
                        totals(), totals(), number(), number(), number(), number()),
                new ServiceWindow.Times(
                        distribution(),
                        distribution(),
                        distribution(),
                        new ServiceWindow.RoundTrips(
                                distribution(), distribution(), distribution(), distribution()),
                        new TimesGrid(some(this::cell))),
                maybe(() ->
                        new Failures(number(), number(), number(), number(), number(), number())),
                maybe(() -> new ClientPaths(number(), number(), distribution(), distribution())));
    }

    public HostSample host() {
        return new HostSample(
                text(),
                number(),
                number(),
                new HostSample.Resources(
                        some(() -> new HostSample.CpuShare(
                                real(), real(), real(), real(), real(), maybe(this::real))),
                        new HostSample.Memory(
                                number(), number(), number(), number(), number(), number()),
                        some(() -> new HostSample.InterfaceRates(
                                text(),
                                real(),
                                real(),
                                maybe(this::number),
                                real(),
                                real(),
                                real(),
                                real(),
                                new HostSample.InterfaceRates.Queue(
                                        maybe(this::number), real(), number()))),
                        some(() -> new HostSample.DiskRates(
                                text(), real(), real(), real(), real(), real(), real(), real()))),
                new HostSample.KernelRates(
                        real(),
                        real(),
                        real(),
                        real(),
                        maybe(this::real),
                        real(),
                        real(),
                        maybe(this::real)),
                new HostSample.Network(
                        new HostSample.Sockets(
                                number(),
                                number(),
                                number(),
                                number(),
                                number(),
                                new HostSample.Sockets.Rates(
                                        real(), real(), real(), real(), real(), real()),
                                maybe(this::number)),
                        some(() -> new HostSample.Listener(
                                endpoint(), number(), number(), maybe(this::text)))),
                maybe(() -> new HostSample.Pressure(
                        real(), real(), real(), maybe(this::real), maybe(this::real))),
                new HostSample.Totals(
                        small(),
                        small(),
                        real(),
                        real(),
                        real(),
                        maybe(() -> new HostSample.FileHandles(number(), number()))),
                some(() -> new HostSample.ServerProcesses(
                        text(),
                        new HostSample.ServerProcesses.Use(small(), small(), number(), real()),
                        new HostSample.ServerProcesses.OpenFiles(
                                maybe(this::number), maybe(this::number)),
                        new HostSample.ServerProcesses.AcceptQueue(
                                maybe(this::number), maybe(this::number), maybe(this::real)),
                        maybe(() -> new HostSample.Work(real(), real(), real(), maybe(this::real))),
                        maybe(() -> new HostSample.Waits(
                                real(),
                                maybe(this::real),
                                small(),
                                maybe(this::real),
                                maybe(this::real))),
                        maybe(this::group),
                        maybe(() ->
                                new HostSample.Ports(number(), number(), maybe(this::endpoint))),
                        details())),
                number(),
                maybe(() -> new HostSample.Departures(some(() -> new HostSample.DepartedServer(
                        text(), small(), maybe(this::small), maybe(this::text))))),
                maybe(this::parts));
    }

    private HostParts parts() {
        return new HostParts(
                number(),
                maybe(this::text),
                maybe(this::real),
                some(() -> new HostParts.Fan(text(), small())),
                some(() -> new HostParts.MemoryModule(text(), number(), maybe(this::text))),
                some(() -> new HostParts.Drive(
                        text(),
                        maybe(this::text),
                        number(),
                        maybe(this::number),
                        maybe(this::number),
                        maybe(this::small))),
                some(() -> new HostParts.Card(
                        text(),
                        maybe(this::text),
                        maybe(this::number),
                        maybe(this::number),
                        small(),
                        maybe(this::number),
                        some(() -> new HostParts.CardErrors(text(), number())))),
                some(() -> new HostParts.Volume(
                        text(),
                        text(),
                        text(),
                        number(),
                        number(),
                        number(),
                        number(),
                        small(),
                        maybe(this::number),
                        small())),
                maybe(this::small),
                number(),
                some(() -> new HostParts.Sensor(text(), real(), maybe(this::real))),
                maybe(this::number),
                some(() -> new HostParts.Array(text(), text(), small(), small())),
                some(() ->
                        new HostParts.MemoryErrors(text(), number(), number(), number(), number())),
                some(() ->
                        new HostParts.CpuEvents(small(), number(), number(), maybe(this::number))),
                maybe(this::number));
    }

    private HostSample.ServerProcesses.Details details() {
        return new HostSample.ServerProcesses.Details(
                maybe(() -> new HostSample.ThreadStates(
                        real(),
                        maybe(this::small),
                        maybe(this::real),
                        maybe(this::real),
                        maybe(this::real),
                        maybe(this::real),
                        maybe(this::real))),
                maybe(() -> new HostSample.PeakUse(
                        real(), maybe(this::real), maybe(this::real), maybe(this::real))),
                maybe(() -> new HostSample.Links(
                        number(),
                        number(),
                        maybe(this::number),
                        maybe(this::number),
                        maybe(this::number))),
                maybe(() -> new HostSample.OtherUse(
                        real(),
                        maybe(this::text),
                        maybe(this::number),
                        maybe(this::text),
                        maybe(this::real))),
                maybe(() -> new HostSample.LoggedResponses(real(), real(), real(), real())));
    }

    private HostSample.ControlGroup group() {
        return new HostSample.ControlGroup(
                maybe(this::real),
                maybe(this::real),
                maybe(this::real),
                maybe(this::number),
                maybe(this::number),
                maybe(this::real),
                maybe(this::real),
                maybe(this::real),
                maybe(this::number),
                maybe(this::number));
    }

    public ServiceSighting sighting() {
        return new ServiceSighting(
                text(),
                maybe(this::text),
                text(),
                text(),
                maybe(this::text),
                some(this::endpoint),
                new ServiceSighting.ServerProcess(maybe(this::number), maybe(this::text)),
                some(() -> new ServiceSighting.Setting(text(), text(), text())),
                number(),
                maybe(this::text),
                some(() -> new ServiceSighting.ReportedLabel(text(), text(), text())));
    }

    public ProxyExchange exchange() {
        return new ProxyExchange(
                text(),
                number(),
                endpoint(),
                text(),
                text(),
                small(),
                one(ProxyExchange.CacheOutcome.values()),
                maybe(this::text),
                number(),
                number(),
                maybe(this::number),
                number(),
                number());
    }

    public ProxyWindow proxyWindow() {
        return new ProxyWindow(
                text(),
                number(),
                number(),
                new ProxyWindow.Exchanges(number(), number(), number(), number(), number()),
                new ProxyWindow.Outcomes(
                        number(), number(), number(), number(), number(), number(), number()),
                new ProxyWindow.Origins(number(), number(), number()),
                new ProxyWindow.Connections(
                        number(),
                        number(),
                        number(),
                        number(),
                        number(),
                        maybe(() ->
                                new ProxyWindow.Buffers(number(), number(), number(), number()))),
                new ProxyWindow.Cache(
                        number(),
                        number(),
                        number(),
                        number(),
                        maybe(() -> new ProxyWindow.Pools(
                                number(), number(), number(), number(), number(), number(),
                                number(), number(), number(), number())),
                        maybe(() -> new ProxyWindow.Tier(
                                number(), number(), number(), number(), number(), number(),
                                number(), number()))),
                new ProxyWindow.Times(distribution(), distribution(), distribution()));
    }

    public SourceStatus status() {
        return new SourceStatus(
                text(),
                one(SourceStatus.Kind.values()),
                text(),
                number(),
                number(),
                new SourceStatus.Use(number(), real()),
                some(this::text),
                some(() -> new SourceStatus.Drops(text(), number())),
                some(() -> new SourceStatus.Trouble(text(), text(), maybe(this::text))),
                maybe(this::text),
                maybe(this::number));
    }

    public ClusterView cluster() {
        return new ClusterView(
                text(),
                text(),
                text(),
                number(),
                number(),
                new ClusterView.Peers(
                        small(),
                        some(() -> new ClusterView.Member(
                                text(),
                                text(),
                                number(),
                                random.nextBoolean(),
                                random.nextBoolean(),
                                random.nextBoolean(),
                                text(),
                                text(),
                                number(),
                                new ClusterView.Member.Load(
                                        number(), number(), number(), number()))),
                        some(() -> new ClusterView.Line(
                                text(),
                                maybe(this::text),
                                new ClusterView.Line.Use(
                                        small(), small(), small(), number(), number()),
                                number(),
                                new ClusterView.Line.Traffic(
                                        number(), number(), number(), number()),
                                text(),
                                maybe(this::number)))),
                new ClusterView.Routing(
                        text(),
                        some(() -> new ClusterView.Route(
                                text(), text(), small(), small(), random.nextBoolean(), text())),
                        some(() -> new ClusterView.Conflict(
                                text(), some(this::text), some(this::text)))),
                some(() -> new ClusterView.Server(text(), text())),
                some(() -> new ClusterView.Count(text(), number())),
                some(() -> new ClusterView.Event(
                        number(), number(), text(), maybe(this::text), text())));
    }

    public WindowParts windowParts() {
        long[] keys = random.longs(random.nextInt(5)).distinct().toArray();
        Long[] sorted = Arrays.stream(keys).boxed().toArray(Long[]::new);
        Arrays.sort(sorted, Long::compareUnsigned);
        ConnectionParts.Builder parts = new ConnectionParts.Builder();
        for (long key : sorted) {
            int[] cells = random.ints(random.nextInt(6), 0, ConnectionParts.gridCellOf(9, 9))
                    .distinct()
                    .sorted()
                    .toArray();
            parts.part(key, cells.length);
            for (int cell : cells) {
                parts.cell(cell, number() & Long.MAX_VALUE);
            }
            int steps = random.nextInt(3);
            parts.steps(steps);
            for (int step = 0; step < steps; step++) {
                parts.step(random.nextInt(1_000_000), random.nextBoolean());
            }
        }
        return new WindowParts(text(), number(), number(), number(), parts.build());
    }

    public OrderOutcome outcome() {
        return new OrderOutcome(
                text(),
                text(),
                text(),
                one(OrderOutcome.State.values()),
                text(),
                text(),
                new OrderOutcome.Change(
                        maybe(this::text),
                        maybe(this::text),
                        maybe(this::text),
                        random.nextBoolean()),
                number(),
                number());
    }
}
