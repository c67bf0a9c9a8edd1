package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.IdentityConcerns;
import dev.komainu.central.access.IdentityConcerns.Concern;
import dev.komainu.central.access.ReportingBounds;
import dev.komainu.central.access.Scope;
import dev.komainu.central.enrolment.EnrolmentCodes;
import dev.komainu.central.enrolment.Part;
import dev.komainu.central.enrolment.PartKind;
import dev.komainu.central.enrolment.Parts;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.identity.Authority;
import dev.komainu.central.identity.ServerTls;
import dev.komainu.settings.Cidr;
import dev.komainu.telemetry.identity.EnrolmentCode;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.identity.PartNames;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/**
 * Tests of the enrolment of parts over real TLS: what a code allows, what a certificate may say,
 * and what happens after a renewal, a revocation and a restored database.
 */
@ExtendWith(OutputCaptureExtension.class)
class EnrolmentTest {

    /** The system's clock with an offset: TLS checks certificates by the system's. */
    private static final class AheadClock extends Clock {

        private volatile Duration ahead = Duration.ZERO;

        @Override
        public Instant instant() {
            return Instant.now().plus(ahead);
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private static final AtomicInteger HOSTS = new AtomicInteger();
    private static final AheadClock CLOCK = new AheadClock();

    @TempDir
    private static Path data;

    private static ServletWebServerApplicationContext service;

    @BeforeAll
    static void start() {
        service = (ServletWebServerApplicationContext) new SpringApplicationBuilder(
                        CentralApplication.class)
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean(
                                "aheadClock",
                                Clock.class,
                                () -> CLOCK,
                                definition -> definition.setPrimary(true)))
                .run(
                        "--komainu.data=" + data.resolve("central"),
                        "--komainu.bootstrap-tokens=" + data.resolve("tokens"),
                        "--komainu.tls.mode=always",
                        "--server.port=0");
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private static <T> T bean(Class<T> type) {
        return service.getBean(type);
    }

    /** Returns the name of a host that no other test has. */
    private static String newHost() {
        return "host-" + HOSTS.incrementAndGet();
    }

    private static PartClient stranger() throws Exception {
        return PartClient.without(
                service.getWebServer().getPort(),
                Files.readString(data.resolve("central/authority/authority.pem")));
    }

    private static String code(@Nullable String node, int uses, String... networks) {
        return code(List.of(PartKind.AGENT, PartKind.PROXY), node, uses, networks);
    }

    private static String code(
            List<PartKind> kinds, @Nullable String node, int uses, String... networks) {
        return bean(EnrolmentCodes.class)
                .create(
                        new EnrolmentCodes.Limits(
                                kinds,
                                node,
                                List.of(networks).stream().map(Cidr::parse).toList(),
                                uses,
                                Duration.ofMinutes(10)),
                        "admin")
                .secret();
    }

    private static PartClient.Answer apply(PartClient part, String secret, String host)
            throws Exception {
        return part.enrol(part.application(secret, "agent", "agent@" + host, host));
    }

    private static PartClient enrolled(String host) throws Exception {
        PartClient part = stranger();
        return part.with(apply(part, code(null, 1), host).expect(201).json());
    }

    private static Part stored(String host) {
        return bean(Parts.class).list().stream()
                .filter(part ->
                        part.bounds().source().equals("agent@" + host) && part.revoked() == null)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void enrolledPart_reportsForItsHostAndNoOther() throws Exception {
        String host = newHost();
        PartClient part = enrolled(host);

        assertThat(part.sight("agent@" + host, 1, host)
                        .expect(200)
                        .json()
                        .get("records")
                        .asInt())
                .isOne();
        assertThat(bean(Fleet.class).service(host + ":80")).isNotNull();
        assertThat(part.sight("agent@victim", 1, "victim").expect(403).problem())
                .isEqualTo("foreign-source");
        assertThat(part.sight("agent@" + host, 2, "victim")
                        .expect(200)
                        .json()
                        .get("records")
                        .asInt())
                .isZero();
        Part stored = stored(host);
        assertThat(stored.lastSeen()).isNotNull();
        assertThat(stored.lastAddress()).isEqualTo("127.0.0.1");
    }

    @Test
    void partWithoutACertificate_isAStranger() throws Exception {
        assertThat(stranger().sight("agent@a", 1, "a").status()).isEqualTo(401);
    }

    @Test
    void code_unknownOrUsedUpOrExpired_isRefusedWithItsReason_onBothSides(CapturedOutput output)
            throws Exception {
        String secret = code(null, 1);
        apply(stranger(), secret, newHost()).expect(201);
        PartClient late = stranger();
        String expired = code(null, 1);

        assertThat(apply(late, "no-such-secret", "a").expect(403).problem())
                .isEqualTo("enrolment-code-unknown");
        assertThat(apply(late, secret, newHost()).expect(403).problem())
                .isEqualTo("enrolment-code-used");
        CLOCK.ahead = Duration.ofMinutes(11);
        try {
            PartClient.Answer answer = apply(late, expired, newHost()).expect(403);
            assertThat(answer.problem()).isEqualTo("enrolment-code-expired");
            assertThat(answer.body()).contains("this service's clock");
        } finally {
            CLOCK.ahead = Duration.ZERO;
        }
        for (String reason : List.of(
                "enrolment-code-unknown", "enrolment-code-used", "enrolment-code-expired")) {
            assertThat(bean(MeterRegistry.class)
                            .counter("komainu.enrolments.refused", "reason", reason)
                            .count())
                    .isPositive();
            assertThat(output.getAll())
                    .containsPattern("Enrolment of agent@\\S+ from 127.0.0.1 refused: .*" + reason);
        }
    }

    @Test
    void code_ofOneUse_usedByManyAtOnce_enrolsOne() throws Exception {
        String secret = code(null, 1);
        List<Callable<Integer>> attempts = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            attempts.add(() -> apply(stranger(), secret, newHost()).status());
        }

        try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
            List<Integer> statuses = new ArrayList<>();
            for (Future<Integer> each : threads.invokeAll(attempts)) {
                statuses.add(each.get());
            }
            assertThat(statuses).containsOnly(201, 403).containsOnlyOnce(201);
        }
    }

    @Test
    void code_forOtherKindsOrAnotherHost_isRefused() throws Exception {
        String host = newHost();
        PartClient part = stranger();
        String secret = code(host, 1);

        assertThat(apply(part, secret, "other").expect(403).problem())
                .isEqualTo("enrolment-outside-code");
        assertThat(part.enrol(part.application(secret, "organizer", "organizer@c/" + host, host))
                        .expect(403)
                        .body())
                .contains("kind: organizer (expected: agent or proxy)");
        assertThat(part.enrol(part.application(secret, "proxy", "agent@" + host, host))
                        .expect(403)
                        .body())
                .contains("source: agent@" + host + " (expected: one of kind proxy)");
        apply(part, secret, host).expect(201);
    }

    @Test
    void proofOfAnotherKey_isRefused_andTheCodeStaysUsable() throws Exception {
        String host = newHost();
        String secret = code(null, 1);
        PartClient part = stranger();
        Map<String, Object> forged = part.application(secret, "agent", "agent@" + host, host);
        forged.put("publicKey", stranger().publicKey());

        assertThat(part.enrol(forged).expect(400).problem()).isEqualTo("proof-wrong");
        forged.put("publicKey", "AAAA");
        assertThat(part.enrol(forged).expect(400).problem()).isEqualTo("proof-wrong");
        apply(part, secret, host).expect(201);
    }

    @Test
    void mistakesInFields_areAllNamed() throws Exception {
        PartClient.Answer answer = stranger()
                .enrol(Map.of("kind", "router", "addresses", List.of("192.0.2.1", "x")))
                .expect(400);

        assertThat(answer.body())
                .contains("secret", "kind: router", "source", "addresses[1]", "publicKey", "proof");
    }

    @Test
    void hostOfAnotherPart_needsACodeThatNamesIt_whichReplacesThePart() throws Exception {
        String host = newHost();
        PartClient before = enrolled(host);
        PartClient thief = stranger();

        PartClient.Answer refused = apply(thief, code(null, 1), host).expect(409);
        assertThat(refused.problem()).isEqualTo("source-taken");
        String proxy = "proxy@" + host + ":7680";
        assertThat(thief.enrol(thief.application(code(null, 1), "proxy", proxy, host))
                        .expect(409)
                        .body())
                .contains("agent@" + host + " has this source or host");

        PartClient after = stranger();
        after = after.with(apply(after, code(host, 1), host).expect(201).json());
        after.sight("agent@" + host, 1, host).expect(200);
        assertThat(before.sight("agent@" + host, 2, host).expect(401).problem())
                .isEqualTo("certificate-revoked");
    }

    @Test
    void codeThatNamesAHost_doesNotGiveTheSourceOfAnotherHost() throws Exception {
        String victim = newHost();
        PartClient honest = enrolled(victim);
        String host = newHost();
        PartClient thief = stranger();

        PartClient.Answer refused = thief.enrol(
                        thief.application(code(host, 1), "agent", "agent@" + victim, host))
                .expect(409);

        assertThat(refused.problem()).isEqualTo("source-taken");
        assertThat(refused.body()).contains("expected: a source of the host " + host);
        honest.sight("agent@" + victim, 1, victim).expect(200);
    }

    @Test
    void oneCodeForTheTwoPartsOfAHost_enrolsBoth() throws Exception {
        String host = newHost();
        String secret = code(null, 2);
        apply(stranger(), secret, host).expect(201);
        PartClient proxy = stranger();

        proxy.enrol(proxy.application(secret, "proxy", "proxy@" + host + ":7680", host))
                .expect(201);
    }

    @Test
    void addresses_areThoseOfTheHost_withoutThoseOfOtherParts() throws Exception {
        String secret = code(null, 2);
        String first = newHost();
        PartClient one = stranger();
        Map<String, Object> fields = one.application(secret, "agent", "agent@" + first, first);
        fields.put("addresses", List.of("198.51.100.7", "127.0.0.1", "2001:db8::7"));
        assertThat(one.enrol(fields).expect(201).json().get("networks").toString())
                .contains("198.51.100.7/32", "2001:db8:0:0:0:0:0:7/128")
                .doesNotContain("127.0.0.1");
        String second = newHost();
        PartClient two = stranger();
        fields = two.application(secret, "agent", "agent@" + second, second);
        fields.put("addresses", List.of("198.51.100.7", "198.51.100.8"));

        JsonNode identity = two.enrol(fields).expect(201).json();

        assertThat(identity.get("networks").toString()).isEqualTo("[\"198.51.100.8/32\"]");
        assertThat(identity.get("leftOut").toString()).isEqualTo("[\"198.51.100.7\"]");
    }

    @Test
    void addressesOfAHostWithAToken_areLeftOut() throws Exception {
        bean(ApiTokens.class)
                .create(
                        "of a host",
                        List.of(Scope.INGEST),
                        Duration.ofHours(1),
                        "system",
                        null,
                        ReportingBounds.of(
                                "agent@local", "local", "198.51.100.50/32 203.0.113.128/25"));
        String host = newHost();
        PartClient part = stranger();
        Map<String, Object> fields =
                part.application(code(null, 1), "agent", "agent@" + host, host);
        fields.put("addresses", List.of("198.51.100.50", "203.0.113.129"));

        JsonNode identity = part.enrol(fields).expect(201).json();

        assertThat(identity.get("leftOut").toString()).isEqualTo("[\"198.51.100.50\"]");
        assertThat(identity.get("networks").toString()).isEqualTo("[\"203.0.113.129/32\"]");
    }

    @Test
    void networksOfTheCode_goBeforeThoseOfThePart() throws Exception {
        String host = newHost();
        PartClient part = stranger();
        Map<String, Object> fields =
                part.application(code(null, 1, "198.18.7.0/24"), "agent", "agent@" + host, host);
        fields.put("addresses", List.of("198.51.100.99"));

        assertThat(part.enrol(fields).expect(201).json().get("networks").toString())
                .isEqualTo("[\"198.18.7.0/24\"]");
    }

    @Test
    void lostResponse_sameKeyAgain_isTheSamePart() throws Exception {
        String host = newHost();
        String secret = code(null, 1);
        PartClient part = stranger();
        JsonNode first = apply(part, secret, host).expect(201).json();

        JsonNode second = apply(part, secret, host).expect(201).json();

        assertThat(second.get("part")).isEqualTo(first.get("part"));
        part.with(second).sight("agent@" + host, 1, host).expect(200);
        assertThat(apply(stranger(), secret, host).expect(403).problem())
                .isEqualTo("enrolment-code-used");
        assertThat(usesOf(stored(host).code())).isOne();
    }

    private static int usesOf(String code) {
        return bean(JdbcClient.class)
                .sql("select used from enrolment_codes where id = ?")
                .param(code)
                .query(Integer.class)
                .single();
    }

    @Test
    void lostResponse_sameKeyAgain_afterTheCodesEndOrTheRevocation_isRefused() throws Exception {
        String host = newHost();
        String secret = code(null, 1);
        PartClient part = stranger();
        apply(part, secret, host).expect(201);
        CLOCK.ahead = Duration.ofMinutes(11);
        try {
            assertThat(apply(part, secret, host).expect(403).problem())
                    .isEqualTo("enrolment-code-expired");
        } finally {
            CLOCK.ahead = Duration.ZERO;
        }

        bean(Parts.class).revoke(stored(host).id(), "admin");

        assertThat(apply(part, secret, host).expect(403).problem())
                .isEqualTo("enrolment-code-used");
    }

    @Test
    void partThatDiesBeforeTheResponse_enrolsWithTheSameCode_asTheSamePart() throws Exception {
        String host = newHost();
        String source = "agent@" + host;
        String secret = code(null, 1);
        String code = "#" + secret + "." + bean(ServerTls.class).fingerprint();
        Path own = data.resolve(host);
        PartNames names = new PartNames(PartNames.Kind.AGENT, source, host);
        String id;
        try (BreakingRelay relay = new BreakingRelay(
                service.getWebServer().getPort(),
                () -> bean(Parts.class).list().stream()
                        .anyMatch(part -> part.bounds().source().equals(source)))) {
            EnrolmentCode first = EnrolmentCode.parse("https://localhost:" + relay.port() + code);
            try (PartIdentity died = PartIdentity.open(own, first.central(), names, first)) {
                assertThat(died.source()).isNull();
                id = stored(host).id();
            }
        }
        assertThat(apply(stranger(), secret, host).expect(403).problem())
                .isEqualTo("enrolment-code-used");

        EnrolmentCode again = EnrolmentCode.parse(
                "https://localhost:" + service.getWebServer().getPort() + code);
        try (PartIdentity enrolled = PartIdentity.open(own, again.central(), names, again)) {
            assertThat(enrolled.source()).isEqualTo(source);
        }
        assertThat(bean(Parts.class).list().stream()
                        .filter(part -> part.bounds().source().equals(source))
                        .map(Part::id))
                .containsExactly(id);
        assertThat(usesOf(stored(host).code())).isOne();
    }

    @Test
    void revoked_isRefusedAtOnce_andToldOnBothSides(CapturedOutput output) throws Exception {
        String host = newHost();
        PartClient part = enrolled(host);
        part.sight("agent@" + host, 1, host).expect(200);

        bean(Parts.class).revoke(stored(host).id(), "admin");

        PartClient.Answer answer = part.sight("agent@" + host, 2, host).expect(401);
        assertThat(answer.problem()).isEqualTo("certificate-revoked");
        assertThat(output.getAll())
                .contains("The certificate is revoked (certificate-revoked), from 127.0.0.1: agent@"
                        + host + ": revoked at ");
        assertThat(part.renew("x", stranger()).status()).isEqualTo(401);
    }

    private static PartClient organizer(String source, String host) throws Exception {
        PartClient part = stranger();
        return part.with(part.enrol(part.application(
                        code(List.of(PartKind.ORGANIZER), null, 1), "organizer", source, host))
                .expect(201)
                .json());
    }

    private static String revoke(String source) {
        Part part = bean(Parts.class).list().stream()
                .filter(each -> each.bounds().source().equals(source))
                .findFirst()
                .orElseThrow();
        bean(Parts.class).revoke(part.id(), "admin");
        return part.id();
    }

    @Test
    void organizer_hearsOfRevokedOrganizersOfItsCluster_andOfNoOthers() throws Exception {
        String host = newHost();
        String source = "organizer@shop-" + host + "/web1";
        String peer = "organizer@shop-" + host + "/web2";
        String foreign = "organizer@shop-" + host + "s/web2";
        PartClient organizer = organizer(source, host);
        organizer(peer, newHost());
        organizer(foreign, newHost());
        assertThat(organizer.sight(source, 1, host).expect(200).json().has("revoked"))
                .isFalse();

        String revoked = revoke(peer);
        revoke(foreign);

        assertThat(organizer.sight(source, 2, host).expect(200).json().get("revoked"))
                .singleElement()
                .satisfies(id -> assertThat(id.asString()).isEqualTo(revoked));
        String watched = newHost();
        assertThat(enrolled(watched)
                        .sight("agent@" + watched, 1, watched)
                        .expect(200)
                        .json()
                        .has("revoked"))
                .isFalse();
    }

    @Test
    void renewed_formerCertificateWorksUntilTheNewOneIsUsed_thenItIsTold() throws Exception {
        String host = newHost();
        String source = "agent@" + host;
        PartClient former = enrolled(host);
        String id = stored(host).id();
        PartClient next = stranger();

        next = next.with(former.renew(id, next).expect(200).json());

        former.sight(source, 1, host).expect(200);
        next.sight(source, 2, host).expect(200);
        former.sight(source, 3, host).expect(200); // the overlap of a minute
        CLOCK.ahead = Duration.ofMinutes(2);
        try {
            assertThat(former.sight(source, 4, host).expect(401).problem())
                    .isEqualTo("certificate-superseded");
            assertThat(bean(IdentityConcerns.class).all().get(source).concern())
                    .isEqualTo(Concern.TWO_SPEAK_AS_ONE);
            next.sight(source, 5, host).expect(200);
        } finally {
            CLOCK.ahead = Duration.ZERO;
        }
    }

    @Test
    void renewal_ofAnotherPart_isRefused() throws Exception {
        String host = newHost();
        String victim = newHost();
        PartClient part = enrolled(host);
        enrolled(victim);

        // The certificate decides, not the id in the signed text.
        assertThat(part.renew(stored(victim).id(), stranger()).expect(400).problem())
                .isEqualTo("proof-wrong");
    }

    @Test
    void renewal_whoseResponseWasLost_canBeRepeated() throws Exception {
        String host = newHost();
        PartClient former = enrolled(host);
        String id = stored(host).id();
        former.renew(id, stranger()).expect(200);
        PartClient next = stranger();

        next = next.with(former.renew(id, next).expect(200).json());

        next.sight("agent@" + host, 1, host).expect(200);
    }

    @Test
    void databaseOfBeforeTheEnrolment_takesThePartOver_withTheSameNames() throws Exception {
        String host = newHost();
        PartClient part = enrolled(host);
        String id = stored(host).id();
        bean(JdbcClient.class).sql("delete from parts where id = ?").param(id).update();

        part.sight("agent@" + host, 1, host).expect(200);

        assertThat(stored(host).id()).isEqualTo(id);
        assertThat(part.sight("agent@victim", 1, "victim").status()).isEqualTo(403);
    }

    @Test
    void databaseOfBeforeTheRenewal_acceptsTheNewerCertificate() throws Exception {
        String host = newHost();
        PartClient former = enrolled(host);
        Part before = stored(host);
        PartClient next = stranger();
        CLOCK.ahead = Duration.ofSeconds(5); // certificates have whole seconds
        try {
            next = next.with(former.renew(before.id(), next).expect(200).json());
        } finally {
            CLOCK.ahead = Duration.ZERO;
        }
        bean(JdbcClient.class)
                .sql("update parts set serial = ?, issued = ?, former_serial = null where id = ?")
                .params(before.serial(), before.issued().atOffset(ZoneOffset.UTC), before.id())
                .update();

        next.sight("agent@" + host, 1, host).expect(200);

        assertThat(stored(host).serial()).isNotEqualTo(before.serial());
    }

    @Test
    void authorityReplaced_partsOfTheFormerOneReportAndRenew() throws Exception {
        String host = newHost();
        PartClient part = enrolled(host);
        bean(Authority.class).replace();
        assertThat(bean(ServerTls.class).refresh()).isTrue();
        bean(SslBundleRegistry.class)
                .updateBundle(ServerTls.BUNDLE, bean(ServerTls.class).bundle());
        assertThat(bean(SslBundles.class).getBundleNames()).contains(ServerTls.BUNDLE);

        part.sight("agent@" + host, 1, host).expect(200);

        PartClient next = stranger();
        JsonNode identity = part.renew(stored(host).id(), next).expect(200).json();
        assertThat(PartClient.certificates(identity.get("authorities").asString()))
                .hasSize(2);
        next.with(identity).sight("agent@" + host, 2, host).expect(200);
    }

    @Test
    void strangerWhoDoesNotTrustTheAuthority_isCountedAndLogged() throws Exception {
        Path other = data.resolve("other-authority");
        PartClient part = PartClient.without(
                service.getWebServer().getPort(),
                Authority.pem(Authority.open(other, CLOCK).trusted()));

        assertThatThrownBy(() -> part.sight("agent@a", 1, "a")).isInstanceOf(IOException.class);

        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(bean(MeterRegistry.class)
                                .find("komainu.tls.handshakes.failed")
                                .tag("reason", reason -> !reason.equals("other"))
                                .counters())
                        .isNotEmpty());
    }

    @Test
    void guesses_mustWait() throws Exception {
        PartClient part = stranger();
        int status = 403;
        for (int i = 0; i < 30 && status == 403; i++) {
            status = apply(part, "guess-" + i, "a").status();
        }

        assertThat(status).isEqualTo(429);
        CLOCK.ahead = Duration.ofHours(2); // for the other tests, which enrol from this address
        try {
            apply(part, code(null, 1), newHost()).expect(201);
        } finally {
            CLOCK.ahead = Duration.ZERO;
        }
    }
}
