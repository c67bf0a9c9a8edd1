package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.fleet.Fleet;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;

/** Tests of a service with TLS at its address: a browser and a real reporter reach it. */
class TlsTest {

    @TempDir
    private static Path data;

    private static ServletWebServerApplicationContext service;

    @BeforeAll
    static void start() {
        service = (ServletWebServerApplicationContext) SpringApplication.run(
                CentralApplication.class,
                "--komainu.data=" + data.resolve("central"),
                "--komainu.bootstrap-tokens=" + data.resolve("tokens"),
                "--komainu.bootstrap-parts=any",
                "--komainu.tls.mode=always",
                "--server.port=0");
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private static int port() {
        return service.getWebServer().getPort();
    }

    private static Path authority() {
        return data.resolve("central/authority/authority.pem");
    }

    private static HttpResponse<String> get(String path) throws Exception {
        KeyStore anchors = KeyStore.getInstance("PKCS12");
        anchors.load(null, null);
        int number = 0;
        for (Certificate each : CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(authority())))) {
            anchors.setCertificateEntry("authority-" + number++, each);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(anchors);
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(null, trust.getTrustManagers(), null);
        try (HttpClient client = HttpClient.newBuilder().sslContext(context).build()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("https://localhost:" + port() + path))
                            .timeout(Duration.ofSeconds(20))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private static ServiceSighting sighting(String service) {
        return new ServiceSighting(
                service,
                "web",
                service,
                "nginx",
                null,
                List.of(),
                new ServiceSighting.ServerProcess(null, null),
                List.of(),
                System.currentTimeMillis() * 1_000);
    }

    private static Reporter reporter(String name, @Nullable Path authorities) throws IOException {
        return new Reporter(ReporterSettings.of(
                        URI.create("https://127.0.0.1:" + port()),
                        data.resolve("tokens/ingest.token"),
                        name,
                        data.resolve(name))
                .withAuthorities(authorities)
                .withBatches(1, 64 << 10, Duration.ofMillis(20))
                .withTimeouts(
                        Duration.ofSeconds(20),
                        Duration.ofMillis(50),
                        Duration.ofMillis(200),
                        Duration.ZERO));
    }

    @Test
    void browserThatTrustsTheAuthority_isServed_withoutStrictTransportSecurity() throws Exception {
        HttpResponse<String> answer = get("/actuator/health");

        assertThat(answer.statusCode()).isEqualTo(200);
        // A browser that obeys it could not reach the service after its own certificate changed.
        assertThat(answer.headers().firstValue("Strict-Transport-Security")).isEmpty();
    }

    @Test
    void clearText_isNotServed() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write("GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));

            String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(answer).doesNotContain("HTTP/1.1 2").doesNotContain("{");
        }
    }

    @Test
    void reporterWithTheAuthority_itsRecordsArrive() throws Exception {
        try (Reporter reporter = reporter("trusting", authority())) {
            reporter.accept(sighting("web:80"));

            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(service.getBean(Fleet.class).service("web:80"))
                            .isNotNull());
        }
    }

    @Test
    void reporterWithoutTheAuthority_sendsNothing_andKeepsItsRecords() throws Exception {
        try (Reporter reporter = reporter("distrusting", null)) {
            reporter.accept(sighting("web:81"));

            Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertThat(reporter.status().lastTrouble()).contains("certification path");
                assertThat(reporter.status().failures()).isGreaterThan(2);
            });
            assertThat(reporter.status().sentRecords()).isZero();
            assertThat(reporter.drops()).isEmpty();
        }
    }
}
