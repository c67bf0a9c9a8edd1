package dev.komainu.central.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.access.ReportingBounds;
import dev.komainu.central.ingest.ForeignReports.Name;
import dev.komainu.central.store.SettableClock;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OwnReportsTest {

    private static final String VICTIMS = "f".repeat(32);
    private static final long AT = SomeRecords.START;
    private static final ReportingBounds WEB =
            ReportingBounds.of("agent@web", "web", "192.0.2.10/32");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ForeignReports foreign = new ForeignReports();
    private final OwnReports own = new OwnReports(
            foreign,
            List.of(new VictimsOrder()),
            registry,
            new SettableClock("2026-11-28T00:00:00Z"));
    private final SomeRecords some = new SomeRecords(1);

    /** One order that another source was given. */
    private static final class VictimsOrder implements OrderSource {
        @Override
        public List<String> ordersFor(String source) {
            return List.of();
        }

        @Override
        public boolean isOfAnother(String source, String order) {
            return order.equals(VICTIMS) && !source.equals("agent@victim");
        }
    }

    private List<TelemetryRecord> kept(@Nullable ReportingBounds bounds, TelemetryRecord... records)
            throws RefusedBatchException {
        Batch batch = SomeRecords.batch("agent@web", 1, records);
        return own.of(batch, new Sender("token:web", bounds, null, null)).records();
    }

    private static ServiceSighting sighting(
            String service, @Nullable String node, @Nullable String originSideOf, String... at) {
        return new ServiceSighting(
                service,
                node,
                service,
                "nginx",
                null,
                List.of(at).stream().map(Endpoint::parse).toList(),
                new ServiceSighting.ServerProcess(null, null),
                List.of(),
                AT,
                originSideOf);
    }

    private static OrderOutcome outcome(String node, String service) {
        return outcome("0123456789abcdef0123456789abcdef", node, service);
    }

    private static OrderOutcome outcome(String order, String node, String service) {
        return new OrderOutcome(
                order,
                node,
                service,
                OrderOutcome.State.DONE,
                "",
                "",
                new OrderOutcome.Change(null, null, null, false),
                AT,
                AT);
    }

    private HostSample sampleWith(String node, String service) {
        HostSample host = some.host(node, AT);
        return new HostSample(
                host.node(),
                host.atMicros(),
                host.intervalMicros(),
                host.resources(),
                host.kernel(),
                host.network(),
                host.pressure(),
                host.totals(),
                List.of(new HostSample.ServerProcesses(
                        service,
                        new HostSample.ServerProcesses.Use(1, 1, 1, 0.1),
                        new HostSample.ServerProcesses.OpenFiles(1L, 1_024L),
                        new HostSample.ServerProcesses.AcceptQueue(0L, 128L, null),
                        null,
                        null,
                        null,
                        null)),
                0);
    }

    private static SourceStatus status(String node) {
        return status(node, SourceStatus.Kind.AGENT);
    }

    private static SourceStatus status(String node, SourceStatus.Kind kind) {
        return new SourceStatus(
                node,
                kind,
                "0.1",
                1,
                AT,
                new SourceStatus.Use(1, 0.1),
                List.of(),
                List.of(),
                List.of());
    }

    @Test
    void recordsOfItsHostAndAddresses_kept() throws Exception {
        TelemetryRecord[] records = {
            sighting("web:80", "web", null, "192.0.2.10:80", "127.0.0.1:80"),
            sighting("192.0.2.10:81", null, null, "192.0.2.10:81"),
            some.window("web:80", AT),
            some.proxyWindow("web:8080", AT),
            sampleWith("web", "web:80"),
            status("web"),
            outcome("web", "web:80")
        };

        assertThat(kept(WEB, records)).containsExactly(records);
        assertThat(foreign.all()).isEmpty();
    }

    @Test
    void recordsAboutOthers_leftOutAndCounted() throws Exception {
        TelemetryRecord mine = some.window("web:80", AT);

        List<TelemetryRecord> kept = kept(
                WEB,
                sighting("victim:80", "web", null),
                sighting("web:80", "victim", null),
                sighting("web:80", "web", "victim:80"),
                some.window("victim:80", AT),
                some.proxyWindow("victim:80", AT),
                sampleWith("victim", "victim:80"),
                sampleWith("web", "victim:80"),
                status("victim"),
                outcome("victim", "web:80"),
                outcome("web", "victim:80"),
                mine);

        assertThat(kept).containsExactly(mine);
        assertThat(foreign.all()).containsOnlyKeys("token:web");
        ForeignReports.Count count = foreign.all().get("token:web");
        assertThat(count.count()).isEqualTo(10);
        assertThat(count.name()).isEqualTo(Name.SERVICE);
        assertThat(count.last()).isEqualTo("victim:80");
        assertThat(registry.counter("komainu.ingest.foreign", "name", "node").count())
                .isEqualTo(4);
    }

    @Test
    void addressesOfAnotherNetwork_leftOut_theRestOfTheSightingStays() throws Exception {
        ServiceSighting kept = (ServiceSighting)
                kept(WEB, sighting("web:80", "web", null, "192.0.2.10:80", "192.0.2.99:80"))
                        .getFirst();

        assertThat(kept.addresses()).containsExactly(Endpoint.parse("192.0.2.10:80"));
        assertThat(foreign.all().get("token:web").name()).isEqualTo(Name.ADDRESS);
    }

    @Test
    void outcomeOfAnothersOrder_leftOutAndCounted() throws Exception {
        OrderOutcome mine = outcome("web", "web:80");

        assertThat(kept(WEB, outcome(VICTIMS, "web", "web:80"), mine)).containsExactly(mine);
        assertThat(foreign.all().get("token:web").name()).isEqualTo(Name.ORDER);
        assertThat(foreign.all().get("token:web").last()).isEqualTo(VICTIMS);
    }

    @Test
    void statusOfAnotherKind_leftOut_soThatAProxyGetsNoOrders() throws Exception {
        ReportingBounds proxy = ReportingBounds.of("proxy@web:7680", "web", "");
        Batch batch = SomeRecords.batch(
                "proxy@web:7680",
                1,
                status("web", SourceStatus.Kind.AGENT),
                status("web", SourceStatus.Kind.PROXY));

        assertThat(own.of(batch, new Sender("token:proxy", proxy, null, null)).records())
                .containsExactly(status("web", SourceStatus.Kind.PROXY));
        assertThat(foreign.all().get("token:proxy").name()).isEqualTo(Name.KIND);
    }

    @Test
    void viewOfAMember_fromItsOrganizerOrAProxyOnly() throws Exception {
        assertThat(viewKept("organizer@shop/web1")).isTrue();
        assertThat(viewKept("proxy@web:7680")).isTrue();
        assertThat(viewKept("organizer@shop/web2")).isFalse();
        assertThat(viewKept("agent@web")).isFalse();
        assertThat(foreign.all().get("token:agent@web").name()).isEqualTo(Name.MEMBER);
        assertThat(foreign.all().get("token:agent@web").last()).isEqualTo("shop/web1");
    }

    private boolean viewKept(String source) throws RefusedBatchException {
        ClusterView view = new ClusterView(
                "shop",
                "web1",
                "web",
                AT,
                AT,
                new ClusterView.Peers(1, List.of(), List.of()),
                new ClusterView.Routing("d", List.of(), List.of()),
                List.of(),
                List.of(),
                List.of());
        Sender sender =
                new Sender("token:" + source, ReportingBounds.of(source, "web", ""), null, null);
        return !own.of(SomeRecords.batch(source, 1, view), sender).records().isEmpty();
    }

    @Test
    void batchOfAnotherSource_refusedWhole() {
        ReportingBounds other = ReportingBounds.of("agent@other", "web", "");

        assertThatThrownBy(() -> kept(other, some.window("web:80", AT)))
                .isInstanceOf(RefusedBatchException.class)
                .hasMessage("source: agent@web (expected: agent@other)");
        assertThat(foreign.all().get("token:web").name()).isEqualTo(Name.SOURCE);
    }

    @Test
    void senderWithoutBounds_reportsEverything() throws Exception {
        assertThat(kept(null, some.window("victim:80", AT), status("victim"))).hasSize(2);
    }

    @Test
    void manyCredentials_shareOneCountBeyondTheLimit() {
        IntStream.range(0, 1_200)
                .forEach(i -> foreign.add("token:" + i, Name.NODE, "x".repeat(300), AT));

        assertThat(foreign.all()).hasSize(1_001).containsKey("…");
        assertThat(foreign.all().get("…").count()).isEqualTo(200);
        assertThat(foreign.all().get("…").last()).hasSizeLessThan(120);
    }
}
