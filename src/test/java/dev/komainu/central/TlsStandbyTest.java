package dev.komainu.central;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.central.control.PostgresqlServer;
import dev.komainu.central.enrolment.PartKind;
import dev.komainu.telemetry.record.ServiceSighting;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;

/** Two central services with TLS: certificates of parts at the one that waits. */
class TlsStandbyTest {

    @TempDir
    Path directory;

    private PostgresqlServer server;
    private TlsCentre one;
    private Thread two;
    private int port;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(PostgresqlServer.isDebianHere(), "PostgreSQL 15: not installed here");
        server = PostgresqlServer.debian();
        String database = server.createDatabase(null);
        int first = freePort();
        one = new TlsCentre(
                directory.resolve("one"), Clock.systemUTC(), first, settings(database, first));
        port = freePort();
        Path authority = Files.createDirectories(directory.resolve("two/authority"));
        for (String name : List.of("authority.key", "authority.pem")) {
            Files.copy(
                    one.data().resolve("authority").resolve(name),
                    authority.resolve(name),
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
        List<String> arguments = new ArrayList<>(List.of(settings(database, port)));
        arguments.add("--komainu.data=" + directory.resolve("two"));
        arguments.add("--komainu.tls.mode=always");
        arguments.add("--server.port=" + port);
        two = Thread.ofPlatform()
                .name("two")
                .start(() -> SpringApplication.run(
                        CentralApplication.class, arguments.toArray(String[]::new)));
        Awaitility.await("the second one forwards")
                .atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .until(() -> waiting().get("/api/v1/services").status() == 401);
    }

    private String[] settings(String database, int at) {
        return new String[] {
            "--komainu.control.url=" + server.url(database),
            "--komainu.control.user=" + PostgresqlServer.USER,
            "--komainu.control.password-file=" + server.passwordFile(),
            "--komainu.lease.address=https://127.0.0.1:" + at
        };
    }

    @AfterEach
    void stop() throws Exception {
        if (two != null) {
            two.interrupt();
            two.join();
        }
        if (one != null) {
            one.close();
        }
        if (server != null) {
            server.close();
        }
    }

    /** Returns a client of the second one, without a certificate. */
    private PartClient waiting() throws Exception {
        return PartClient.without(
                port, Files.readString(one.data().resolve("authority/authority.pem")));
    }

    @Test
    void part_enrolsAndReportsThroughTheOneThatWaits_byItsCertificate() throws Exception {
        PartClient part = waiting();
        part = part.with(part.enrol(
                        part.application(one.secret(null), PartKind.AGENT.text(), "agent@a", "a"))
                .expect(201)
                .json());

        part.sight("agent@a", 1, "a").expect(200);

        assertThat(part.sight("agent@other", 1, "a").status())
                .as("another source than that of the certificate")
                .isEqualTo(403);
        assertThat(waiting().sight("agent@a", 2, "a").status())
                .as("without a certificate")
                .isEqualTo(401);
    }

    @Test
    void client_writesTheFieldsOfACentreItself_isAStranger() throws Exception {
        PartClient part = one.enrolled(PartKind.AGENT, "agent@b", "b");
        X509Certificate certificate = PartClient.certificates(part.chain()).getFirst();
        Map<String, String> forged = Map.of(
                "Komainu-Batch", "agent@b/7/1",
                "Komainu-Lease", "0123456789",
                "Komainu-Client-Address", "127.0.0.1",
                "Client-Cert",
                        ":" + Base64.getEncoder().encodeToString(certificate.getEncoded()) + ":");

        assertThat(one.stranger().report(forged, new ServiceSighting[0]).status())
                .isEqualTo(401);
        assertThat(waiting().report(forged, new ServiceSighting[0]).status()).isEqualTo(401);
    }

    @Test
    void clearText_atTheOneThatWaits_isNotAnswered() throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(400);
        }
    }
}
