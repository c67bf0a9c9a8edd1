package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.ReportingBounds;
import dev.komainu.central.access.Scope;
import dev.komainu.central.alert.AlertBoard;
import dev.komainu.central.alert.AlertKind;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.change.Change;
import dev.komainu.central.enrolment.PartKind;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.indices.Told;
import dev.komainu.central.ingest.ForeignReports;
import dev.komainu.central.ingest.ForeignReports.Name;
import dev.komainu.central.order.OrderKeys;
import dev.komainu.central.order.OrderRecord;
import dev.komainu.central.order.Orders;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.SignedOrder;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/**
 * Tests of what a thief can do with the certificate or the token of one host: nothing in another's
 * name. Each attack is refused, counted and told, over real TLS at a complete service, while the
 * agent under attack reports with a real reporter and loses no record.
 */
class StolenCredentialTest {

    /** The kind of what was stolen. */
    enum Stolen {
        CERTIFICATE,
        TOKEN
    }

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final AtomicInteger HOSTS = new AtomicInteger();
    private static final int RECORDS = 60;

    @TempDir
    private static Path directory;

    private static TlsCentre centre;

    @BeforeAll
    static void start() {
        centre = new TlsCentre(directory.resolve("central"), Clock.systemUTC());
    }

    @AfterAll
    static void stop() {
        centre.close();
    }

    /**
     * The holder of a credential of its own host, and of nothing else.
     *
     * @param name name of the credential in counts and alerts
     */
    private record Thief(PartClient client, String host, String source, String name) {

        PartClient.Answer asItself(int sequence, TelemetryRecord... records) throws Exception {
            return client.report(source + "/7/" + sequence, records);
        }

        /** Returns its counted reports in foreign names. */
        ForeignReports.Count counted() {
            return centre.bean(ForeignReports.class).all().get(name);
        }
    }

    private static Thief thief(Stolen stolen) throws Exception {
        String host = "thief-" + HOSTS.incrementAndGet();
        return thief(stolen, PartKind.AGENT, "agent@" + host, host);
    }

    private static Thief thief(Stolen stolen, PartKind kind, String source, String host)
            throws Exception {
        if (stolen == Stolen.CERTIFICATE) {
            return new Thief(
                    centre.enrolled(kind, source, host, "203.0.113.66/32"),
                    host,
                    source,
                    "part:" + source);
        }
        ApiTokens.Created token = centre.bean(ApiTokens.class)
                .create(
                        "of " + host,
                        List.of(Scope.INGEST),
                        Duration.ofHours(1),
                        "admin",
                        null,
                        ReportingBounds.of(source, host, "203.0.113.66/32"));
        return new Thief(
                centre.stranger().withToken(token.secret()),
                host,
                source,
                "token:" + token.token().name());
    }

    /** Returns the agent under attack: one host with one address. */
    private static HonestAgent victim() throws Exception {
        int number = HOSTS.incrementAndGet();
        String host = "victim-" + number;
        return new HonestAgent(centre, host, directory.resolve(host), "192.0.2." + number + "/32");
    }

    private static String address(HonestAgent victim) {
        return "192.0.2." + host(victim).substring("victim-".length());
    }

    private static String host(HonestAgent agent) {
        return agent.source().substring("agent@".length());
    }

    private static ServiceSighting sighting(
            String service, String node, String kind, String... addresses) {
        return new ServiceSighting(
                service,
                node,
                service,
                kind,
                "2.4.62",
                List.of(addresses).stream().map(Endpoint::parse).toList(),
                new ServiceSighting.ServerProcess(77L, "/usr/sbin/" + kind),
                List.of(new Setting("MaxRequestWorkers", "150", "/etc/apache2/apache2.conf:7")),
                System.currentTimeMillis() * 1_000);
    }

    private static SourceStatus status(String node, String key) {
        long now = System.currentTimeMillis() * 1_000;
        return new SourceStatus(
                node,
                SourceStatus.Kind.AGENT,
                "0.1.0",
                now,
                now,
                new SourceStatus.Use(1, 0),
                List.of("lo"),
                List.of(),
                List.of(),
                key,
                null);
    }

    private static long lastSecond() {
        return System.currentTimeMillis() / 1_000 - 1;
    }

    private static double total(Name name) {
        return centre.bean(MeterRegistry.class)
                .counter("komainu.ingest.foreign", "name", name.label())
                .count();
    }

    /** The attack under way while the victim reports. */
    @FunctionalInterface
    private interface Attack {
        void on(HonestAgent victim) throws Exception;
    }

    /** Runs an attack between the victim's records, and checks that all of them arrive once. */
    private static void whileReporting(Attack attack) throws Exception {
        try (HonestAgent victim = victim()) {
            victim.send(RECORDS);
            attack.on(victim);
            victim.send(RECORDS);
            victim.assertNothingLost();
        }
    }

    private static void seen(HonestAgent victim) {
        Fleet fleet = centre.bean(Fleet.class);
        Awaitility.await(victim.service())
                .atMost(LIMIT)
                .until(() -> fleet.service(victim.service()) != null
                        && fleet.sources().stream()
                                .anyMatch(source -> source.name().equals(victim.source())));
    }

    @ParameterizedTest
    @EnumSource(Stolen.class)
    void batchesInTheNameOfAnother_areRefused(Stolen stolen) throws Exception {
        Thief thief = thief(stolen);
        double before = total(Name.SOURCE);

        whileReporting(victim -> {
            PartClient.Answer answer = thief.client()
                    .report(
                            victim.source() + "/7/1",
                            HonestAgent.connection(
                                    victim.service(), System.currentTimeMillis() * 1_000, 99))
                    .expect(403);
            assertThat(answer.problem()).isEqualTo("foreign-source");
            assertThat(answer.body())
                    .contains(victim.source() + " (expected: " + thief.source() + ")");
            assertThat(thief.counted().name()).isEqualTo(Name.SOURCE);
            assertThat(thief.counted().last()).isEqualTo(victim.source());
        });

        assertThat(total(Name.SOURCE)).isEqualTo(before + 1);
    }

    @ParameterizedTest
    @EnumSource(Stolen.class)
    void batchNamesTakenBeforehand_areRefused_theOwnersBatchesAreNoDuplicates(Stolen stolen)
            throws Exception {
        Thief thief = thief(stolen);
        String host = "named-" + HOSTS.incrementAndGet();
        String source = "agent@" + host;
        PartClient owner = centre.enrolled(PartKind.AGENT, source, host);

        for (int sequence = 1; sequence <= 20; sequence++) {
            assertThat(thief.client()
                            .report(source + "/7/" + sequence, status(host, null))
                            .status())
                    .isEqualTo(403);
        }

        for (int sequence = 1; sequence <= 20; sequence++) {
            JsonNode receipt = owner.report(source + "/7/" + sequence, status(host, null))
                    .expect(200)
                    .json();
            assertThat(receipt.get("duplicate").asBoolean()).isFalse();
            assertThat(receipt.get("records").asInt()).isOne();
        }
        assertThat(thief.counted().count()).isEqualTo(20);
    }

    @ParameterizedTest
    @EnumSource(Stolen.class)
    void factsAboutAnothersServer_areLeftOut(Stolen stolen) throws Exception {
        Thief thief = thief(stolen);
        SomeRecords some = new SomeRecords(1);
        double services = total(Name.SERVICE);
        double nodes = total(Name.NODE);

        whileReporting(victim -> {
            String host = host(victim);
            victim.send(status(host, null));
            victim.send(sighting(victim.service(), host, "nginx", address(victim) + ":80"));
            seen(victim);
            long now = System.currentTimeMillis() * 1_000;

            JsonNode receipt = thief.asItself(
                            1,
                            sighting(victim.service(), host, "apache"),
                            sighting(victim.service(), thief.host(), "apache"),
                            status(host, "x".repeat(43)),
                            some.host(host, now),
                            some.window(
                                    victim.service(),
                                    now / SomeRecords.SECOND * SomeRecords.SECOND),
                            Told.packets(victim.service(), lastSecond(), Map.of("rps", 1e4)),
                            HonestAgent.connection(victim.service(), now, 99))
                    .expect(200)
                    .json();

            assertThat(receipt.get("records").asInt()).isZero();
            assertThat(receipt.get("refused").asInt()).isEqualTo(7);
            Fleet fleet = centre.bean(Fleet.class);
            assertThat(fleet.service(victim.service()).kind()).isEqualTo("nginx");
            assertThat(fleet.service(victim.service()).reportedBy())
                    .containsExactly(victim.source());
        });

        assertThat(total(Name.SERVICE)).isEqualTo(services + 5);
        assertThat(total(Name.NODE)).isEqualTo(nodes + 2);
        assertThat(thief.counted().count()).isEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource(Stolen.class)
    void addressesOfAnother_areLeftOut(Stolen stolen) throws Exception {
        Thief thief = thief(stolen);
        double addresses = total(Name.ADDRESS);
        double services = total(Name.SERVICE);

        whileReporting(victim -> {
            String address = address(victim) + ":80";
            victim.send(status(host(victim), null));
            victim.send(sighting(victim.service(), host(victim), "nginx", address));
            seen(victim);

            // Its own service at the victim's address would get the victim's windows.
            JsonNode receipt = thief.asItself(
                            1,
                            sighting(thief.host() + ":80", thief.host(), "nginx", address),
                            sighting(address, null, "nginx", address),
                            Told.packets(address, lastSecond(), Map.of("rps", 1.0)))
                    .expect(200)
                    .json();

            assertThat(receipt.get("records").asInt()).isOne();
            Fleet fleet = centre.bean(Fleet.class);
            assertThat(fleet.service(thief.host() + ":80").addresses()).isEmpty();
            assertThat(fleet.serviceAt(address, null)).isEqualTo(victim.service());
            assertThat(fleet.canonical(victim.source(), address)).isEqualTo(victim.service());
        });

        assertThat(total(Name.ADDRESS)).isEqualTo(addresses + 1);
        assertThat(total(Name.SERVICE)).isEqualTo(services + 2);
    }

    /** Gives an order to the victim, which has sent everything and does not ask now. */
    private static OrderRecord order(HonestAgent victim) {
        victim.send(status(host(victim), centre.bean(OrderKeys.class).publicText()));
        victim.send(sighting(victim.service(), host(victim), "apache", address(victim) + ":80"));
        seen(victim);
        victim.assertNothingLost();
        Orders.Outcome given = centre.bean(Orders.class)
                .give(
                        new Change.Wish(
                                victim.service(),
                                "More workers",
                                "MaxRequestWorkers",
                                "150",
                                "400",
                                null,
                                null,
                                null),
                        List.of(),
                        "admin",
                        null);
        assertThat(given).isInstanceOf(Orders.Outcome.Given.class);
        return ((Orders.Outcome.Given) given).order();
    }

    private static OrderOutcome done(OrderRecord order, String node, String service) {
        long now = System.currentTimeMillis() * 1_000;
        return new OrderOutcome(
                order.code(),
                node,
                service,
                OrderOutcome.State.DONE,
                "done",
                "",
                new OrderOutcome.Change("/etc/apache2/apache2.conf", "150", "400", false),
                now - 1_000_000,
                now);
    }

    @ParameterizedTest
    @EnumSource(Stolen.class)
    void ordersOfAnother_areNotHandedOut_theirOwnerGetsThem(Stolen stolen) throws Exception {
        Thief thief = thief(stolen);

        whileReporting(victim -> {
            OrderRecord order = order(victim);

            PartClient.Answer asVictim = thief.client()
                    .report(victim.source() + "/7/1", status(host(victim), null))
                    .expect(403);
            JsonNode own = thief.asItself(
                            1,
                            status(host(victim), centre.bean(OrderKeys.class).publicText()),
                            status(thief.host(), centre.bean(OrderKeys.class).publicText()))
                    .expect(200)
                    .json();

            assertThat(asVictim.body()).doesNotContain("orders");
            assertThat(own.path("orders"))
                    .isEmpty(); // left out of the response when there are none
            assertThat(own.get("refused").asInt()).isOne();
            // An order that was handed out is sent again after ten seconds only: this one was not.
            victim.send(1);
            Awaitility.await("the order")
                    .atMost(LIMIT)
                    .until(() -> !victim.orders().isEmpty());
            assertThat(SignedOrder.verified(
                                    victim.orders().remove(),
                                    SignedOrder.key(centre.bean(OrderKeys.class).publicText()))
                            .id())
                    .isEqualTo(order.code());
        });
    }

    @ParameterizedTest
    @EnumSource(Stolen.class)
    void outcomeOfAnOrderOfAnother_isLeftOut_theOwnersCounts(Stolen stolen) throws Exception {
        Thief thief = thief(stolen);
        double orders = total(Name.ORDER);

        whileReporting(victim -> {
            OrderRecord order = order(victim);

            JsonNode receipt = thief.asItself(
                            1,
                            done(order, host(victim), victim.service()),
                            done(order, thief.host(), thief.host() + ":80"))
                    .expect(200)
                    .json();

            assertThat(receipt.get("records").asInt()).isZero();
            assertThat(state(order)).isEqualTo(OrderRecord.State.OPEN);
            assertThat(thief.counted().name()).isEqualTo(Name.ORDER);
            assertThat(thief.counted().last()).isEqualTo(order.code());
            victim.send(done(order, host(victim), victim.service()));
            Awaitility.await("the owner's outcome")
                    .atMost(LIMIT)
                    .until(() -> state(order) == OrderRecord.State.DONE);
        });

        assertThat(total(Name.ORDER)).isEqualTo(orders + 1);
    }

    private static OrderRecord.State state(OrderRecord order) {
        return centre.bean(Orders.class).find(order.id()).orElseThrow().state();
    }

    @ParameterizedTest
    @EnumSource(Stolen.class)
    void statesOfAnothersServers_areNotTold(Stolen stolen) throws Exception {
        String host = "thief-" + HOSTS.incrementAndGet();
        Thief thief = thief(stolen, PartKind.ORGANIZER, "organizer@shop/" + host, host);

        whileReporting(victim -> {
            String address = address(victim) + ":80";
            victim.send(sighting(victim.service(), host(victim), "nginx", address));
            Awaitility.await("both servers are assessed").atMost(LIMIT).untilAsserted(() -> {
                victim.send(Told.packets(victim.service(), lastSecond(), Map.of("rps", 5.0)));
                thief.client()
                        .report(
                                thief.source() + "/7/" + System.nanoTime(),
                                sighting(host + ":80", host, "nginx", "127.0.0.1:80"),
                                Told.packets(host + ":80", lastSecond(), Map.of("rps", 5.0)))
                        .expect(200);
                assertThat(centre.bean(Assessor.class).find(victim.service())).isPresent();
                assertThat(centre.bean(Assessor.class).find(host + ":80")).isPresent();
            });

            JsonNode judged = thief.asItself(
                            1,
                            view(
                                    host,
                                    "127.0.0.1:80",
                                    victim.service(),
                                    address,
                                    "[::ffff:" + address(victim) + "]:80"))
                    .expect(200)
                    .json()
                    .get("judged");

            assertThat(judged.propertyNames()).containsExactly("127.0.0.1:80");
        });
    }

    private static ClusterView view(String member, String... servers) {
        return new ClusterView(
                "shop",
                member,
                member,
                1_000_000,
                System.currentTimeMillis() * 1_000,
                new ClusterView.Peers(1, List.of(), List.of()),
                new ClusterView.Routing("d", List.of(), List.of()),
                List.of(servers).stream()
                        .map(server -> new ClusterView.Server(server, "up"))
                        .toList(),
                List.of(),
                List.of());
    }

    @ParameterizedTest
    @EnumSource(Stolen.class)
    void viewOfAnotherMember_isLeftOut(Stolen stolen) throws Exception {
        String host = "thief-" + HOSTS.incrementAndGet();
        Thief thief = thief(stolen, PartKind.ORGANIZER, "organizer@shop/" + host, host);
        Thief agent = thief(stolen);
        ClusterView forged = view("web1");

        for (Thief each : List.of(thief, agent)) {
            ClusterView own = new ClusterView(
                    forged.cluster(),
                    forged.member(),
                    each.host(),
                    forged.startedMicros(),
                    forged.atMicros(),
                    forged.peers(),
                    forged.routing(),
                    forged.servers(),
                    forged.counts(),
                    forged.events());
            assertThat(each.asItself(1, own).expect(200).json().get("records").asInt())
                    .isZero();
            assertThat(each.counted().name()).isEqualTo(Name.MEMBER);
        }
    }

    @ParameterizedTest
    @EnumSource(Stolen.class)
    void eachKindOfForeignName_isToldByAnAlertThatNamesTheCredential(Stolen stolen)
            throws Exception {
        Thief thief = thief(stolen);
        thief.client().report("agent@victim/7/1", status("victim", null)).expect(403);

        Awaitility.await("the alert")
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(centre.bean(AlertBoard.class).firing())
                        .filteredOn(alert -> alert.kind() == AlertKind.FOREIGN_REPORT)
                        .anySatisfy(alert -> {
                            assertThat(alert.subject()).isEqualTo(thief.name());
                            assertThat(alert.text().en())
                                    .contains("the source agent@victim", "revoke it");
                        }));
    }

    @ParameterizedTest
    @EnumSource(Stolen.class)
    void routesOfPeople_areClosedForParts(Stolen stolen) throws Exception {
        Thief thief = thief(stolen);

        for (String path : List.of(
                "/api/v1/services",
                "/api/v1/orders",
                "/api/v1/parts",
                "/api/v1/tokens",
                "/api/v1/audit",
                "/api/v1/stream")) {
            assertThat(thief.client().get(path).status()).as(path).isEqualTo(403);
        }
    }
}
