package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.enrolment.Part;
import dev.komainu.central.enrolment.Parts;
import dev.komainu.central.identity.Authority;
import dev.komainu.central.identity.ServerTls;
import dev.komainu.telemetry.kit.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.SslBundleRegistry;

/**
 * Tests of agents that report all the time while certificates change: their own, the service's, the
 * authority's, and while the service is restored from an older copy. Every record is stored once,
 * and no part is enrolled twice.
 */
class IdentityChangesTest {

    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final Pattern RECEIVED = Pattern.compile("\"received\":\"([^\"]+)\"");

    @TempDir
    Path directory;

    private final List<HonestAgent> agents = new ArrayList<>();
    private final ScheduledExecutorService visitors = Executors.newScheduledThreadPool(3);
    private TlsCentre centre;

    private void start(String... settings) {
        centre = new TlsCentre(directory.resolve("central"), Clock.systemUTC(), settings);
    }

    @AfterEach
    void stop() {
        visitors.shutdownNow();
        agents.forEach(HonestAgent::close);
        centre.close();
    }

    /** Enrols an agent, which sends a batch of ten records twice a second from now on. */
    private HonestAgent agent(String host) throws IOException {
        HonestAgent agent = new HonestAgent(centre, host, directory.resolve(host));
        agents.add(agent);
        ScheduledFuture<?> unused =
                visitors.scheduleAtFixedRate(() -> agent.send(10), 0, 500, TimeUnit.MILLISECONDS);
        return agent;
    }

    private void assertNothingLost() {
        visitors.shutdown();
        agents.forEach(HonestAgent::assertNothingLost);
    }

    /** Returns the valid part of each source; two of one source are an error. */
    private Map<String, Part> parts() {
        Map<String, Part> bySource = new TreeMap<>();
        for (Part part : centre.bean(Parts.class).list()) {
            if (part.revoked() == null) {
                assertThat(bySource.put(part.bounds().source(), part))
                        .as("two parts of " + part.bounds().source())
                        .isNull();
            }
        }
        return bySource;
    }

    private static Map<String, String> ids(Map<String, Part> parts) {
        Map<String, String> ids = new TreeMap<>();
        parts.forEach((source, part) -> ids.put(source, part.id()));
        return ids;
    }

    /**
     * Starts agents again three weeks later, as their files say: their certificates have thirty
     * days, so the renewals are due.
     */
    private void renew(List<HonestAgent> due) throws IOException {
        Map<String, Part> before = parts();
        for (HonestAgent agent : due) {
            Path facts = identity(agent).resolve("facts.json");
            agent.restart(() -> {
                String text = Files.readString(facts);
                Matcher received = RECEIVED.matcher(text);
                assertThat(received.find()).as(text).isTrue();
                Files.writeString(
                        facts,
                        received.replaceFirst("\"received\":\""
                                + Instant.parse(received.group(1)).minus(Duration.ofDays(21))
                                + "\""));
            });
        }
        for (HonestAgent agent : due) {
            Awaitility.await("the new certificate of " + agent.source() + " is used")
                    .atMost(LIMIT)
                    .untilAsserted(() -> {
                        Part now = parts().get(agent.source());
                        assertThat(now.serial())
                                .isNotEqualTo(before.get(agent.source()).serial());
                        assertThat(now.serialUsed()).isNotNull();
                    });
        }
    }

    private Path identity(HonestAgent agent) {
        return directory.resolve(agent.source().substring("agent@".length())).resolve("identity");
    }

    private void useOtherCertificate() throws IOException {
        ServerTls tls = centre.bean(ServerTls.class);
        // The service itself looks each minute; this may have been the minute.
        if (tls.refresh()) {
            centre.bean(SslBundleRegistry.class).updateBundle(ServerTls.BUNDLE, tls.bundle());
        }
    }

    @Test
    void renewals_theAuthorityReplacedTwice_andARestart_loseNothing() throws Exception {
        start();
        for (String host : List.of("a", "b", "c")) {
            agent(host);
        }
        Map<String, String> enrolled = ids(parts());
        renew(agents);

        for (int replacement = 1; replacement <= 2; replacement++) {
            centre.bean(Authority.class).replace();
            useOtherCertificate();
            // All have the newer authority before the next replacement, as the manual says.
            renew(agents);
            for (HonestAgent agent : agents) {
                List<X509Certificate> trusted = PartClient.certificates(
                        Files.readString(identity(agent).resolve("authorities.pem")));
                assertThat(trusted)
                        .containsExactlyElementsOf(centre.bean(Authority.class).trusted());
            }
        }
        // And after a restart.
        centre.stop();
        centre.startAgain();

        assertNothingLost();
        assertThat(ids(parts())).isEqualTo(enrolled).hasSize(3);
    }

    @Test
    void usersCertificateReplaced_agentsUseTheNewOne_andLoseNothing() throws Exception {
        TestAuthority company = new TestAuthority("Company authority");
        Path certificate = directory.resolve("server.pem");
        Path key = directory.resolve("server.key");
        write(company, certificate, key);
        start("--komainu.tls.certificate=" + certificate, "--komainu.tls.key=" + key);
        HonestAgent agent = agent("a");
        X509Certificate before = shown();

        write(company, certificate, key);
        useOtherCertificate();

        Awaitility.await("the other certificate")
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(shown()).isNotEqualTo(before));
        agent.restart(() -> {}); // The connection before stays open with the certificate before.
        assertNothingLost();
        assertThat(parts()).hasSize(1);
    }

    private static void write(TestAuthority company, Path certificate, Path key)
            throws IOException {
        KeyPair keys = TestAuthority.keys();
        Files.writeString(
                key,
                "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'})
                                .encodeToString(keys.getPrivate().getEncoded())
                        + "\n-----END PRIVATE KEY-----\n");
        Files.writeString(
                certificate,
                TestAuthority.pem(List.of(
                        company.server(keys.getPublic(), "127.0.0.1", "localhost"),
                        company.certificate())));
    }

    /** Returns the certificate that the service shows to a new connection. */
    private X509Certificate shown() throws Exception {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(null, new TrustManager[] {new TrustsAll()}, null);
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket("127.0.0.1", centre.uri().getPort())) {
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    private static final class TrustsAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Test
    void serviceRestoredFromAnOlderCopy_partsOfBeforeAndAfterIt_loseNothing_andStayTheSame()
            throws Exception {
        start();
        HonestAgent renewed = agent("renewed");
        agent("unchanged");
        Path copy = directory.resolve("copy");
        centre.stop();
        copy(centre.data(), copy, Set.of("telemetry"));
        centre.startAgain();
        agent("later");
        renew(List.of(renewed));

        restore(copy, Set.of("telemetry"));

        // The authority is replaced after the copy: then the newer one is kept.
        centre.bean(Authority.class).replace();
        useOtherCertificate();
        agent("latest");
        renew(List.of(renewed));

        restore(copy, Set.of("telemetry", "authority"));

        assertNothingLost();
    }

    /** Restores the service from a copy, and waits until it knows all parts again. */
    private void restore(Path copy, Set<String> kept) throws IOException {
        Map<String, Part> before = parts();
        assertThat(before).hasSize(agents.size());
        centre.stop();
        delete(centre.data(), kept);
        copy(copy, centre.data(), kept);
        centre.startAgain();
        // A part of before the copy is known at once, with the certificate of then; its next batch
        // shows the newer one.
        Awaitility.await("all parts are known again").atMost(LIMIT).untilAsserted(() -> {
            Map<String, Part> now = parts();
            assertThat(ids(now)).isEqualTo(ids(before));
            now.forEach((source, part) -> {
                assertThat(part.serial()).isEqualTo(before.get(source).serial());
                assertThat(part.bounds()).isEqualTo(before.get(source).bounds());
            });
        });
    }

    /** Returns the files in a directory, the deepest first, without some of its directories. */
    private static List<Path> files(Path directory, Set<String> without) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> !file.equals(directory)
                            && !without.contains(
                                    directory.relativize(file).getName(0).toString()))
                    .sorted(Comparator.reverseOrder())
                    .toList();
        }
    }

    private static void delete(Path directory, Set<String> kept) throws IOException {
        for (Path file : files(directory, kept)) {
            Files.delete(file);
        }
    }

    /** Copies the service's files without some of its directories. */
    private static void copy(Path from, Path to, Set<String> without) throws IOException {
        Files.createDirectories(to);
        for (Path file : files(from, without).reversed()) {
            Files.copy(
                    file,
                    to.resolve(from.relativize(file).toString()),
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
    }
}
