package dev.komainu.central;

import dev.komainu.central.enrolment.EnrolmentCodes;
import dev.komainu.central.enrolment.PartKind;
import dev.komainu.central.identity.ServerTls;
import dev.komainu.settings.Cidr;
import dev.komainu.telemetry.identity.EnrolmentCode;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/**
 * A complete service with TLS at a port that stays the same over restarts. Parts enrol at it as
 * they do at a real one.
 */
final class TlsCentre implements AutoCloseable {

    private final Path data;
    private final Clock clock;
    private final List<String> settings;
    private ServletWebServerApplicationContext service;
    private final int port;

    /**
     * Starts a service.
     *
     * @param settings further settings, {@code --NAME=VALUE}
     */
    TlsCentre(Path data, Clock clock, String... settings) {
        this(data, clock, 0, settings);
    }

    /** Starts a service at a port. */
    TlsCentre(Path data, Clock clock, int atPort, String... settings) {
        this.data = data;
        this.clock = clock;
        this.settings = List.of(settings);
        this.service = run(atPort);
        this.port = service.getWebServer().getPort();
    }

    private ServletWebServerApplicationContext run(int atPort) {
        List<String> all = new ArrayList<>(settings);
        all.add("--komainu.data=" + data);
        all.add("--komainu.bootstrap-tokens=" + data.resolveSibling("tokens"));
        all.add("--komainu.tls.mode=always");
        all.add("--server.port=" + atPort);
        return (ServletWebServerApplicationContext) new SpringApplicationBuilder(
                        CentralApplication.class)
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean(
                                "testClock",
                                Clock.class,
                                () -> clock,
                                definition -> definition.setPrimary(true)))
                .run(all.toArray(String[]::new));
    }

    /** Ends the service; its files are consistent then. */
    void stop() {
        service.close();
    }

    /** Starts it again at the same port. */
    void startAgain() {
        service = run(port);
    }

    <T> T bean(Class<T> type) {
        return service.getBean(type);
    }

    Path data() {
        return data;
    }

    URI uri() {
        return URI.create("https://127.0.0.1:" + port);
    }

    /** Returns the secret of a new code for one part of any kind. */
    String secret(@Nullable String node, String... networks) {
        return bean(EnrolmentCodes.class)
                .create(
                        new EnrolmentCodes.Limits(
                                List.of(PartKind.values()),
                                node,
                                List.of(networks).stream().map(Cidr::parse).toList(),
                                1,
                                Duration.ofMinutes(10)),
                        "admin")
                .secret();
    }

    /** Returns a code as an administrator hands it to a part. */
    EnrolmentCode code(@Nullable String node, String... networks) {
        return EnrolmentCode.parse(uri() + "#" + secret(node, networks) + "."
                + bean(ServerTls.class).fingerprint());
    }

    /** Returns a client without a certificate. */
    PartClient stranger() throws Exception {
        return PartClient.without(port, Files.readString(data.resolve("authority/authority.pem")));
    }

    /** Returns a client with the certificate of a new part. */
    PartClient enrolled(PartKind kind, String source, String node, String... networks)
            throws Exception {
        PartClient part = stranger();
        return part.with(
                part.enrol(part.application(secret(null, networks), kind.text(), source, node))
                        .expect(201)
                        .json());
    }

    @Override
    public void close() {
        service.close();
    }
}
