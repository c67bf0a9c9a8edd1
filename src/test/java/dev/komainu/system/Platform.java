package dev.komainu.system;

import dev.komainu.central.control.ControlEngine;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * One {@code ./komainu up}, started by the launcher as a user would, on free ports and with a
 * directory of its own.
 */
final class Platform implements AutoCloseable {

    static final Path ROOT = root();
    private static final ObjectMapper JSON = new ObjectMapper();

    private HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final Process launcher;
    private final Path data;
    private final Path said;
    private final Properties env = new Properties();

    private Platform(Process launcher, Path data, Path said) {
        this.launcher = launcher;
        this.data = data;
        this.said = said;
    }

    /** Starts and waits until {@code up.env} is written; fails with the launcher's own words. */
    static Platform up(String... options) throws IOException {
        return up(Map.of(), options);
    }

    /** Returns the variable of the environment that a setting can be given in. */
    private static String variable(String setting) {
        return setting.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** @param settings of the parts, as variables of the environment */
    static Platform up(Map<String, String> settings, String... options) throws IOException {
        Path data = Files.createTempDirectory("komainu-system");
        Path said = data.resolve("launcher.txt");
        List<String> command = new ArrayList<>(List.of(
                ROOT.resolve("komainu").toString(),
                "up",
                "--data",
                data.toString(),
                "--ports",
                "" + freeBase()));
        command.addAll(List.of(options));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
        builder.environment().put("KOMAINU_BUILT", "yes");
        // Receivers of tests are on this host.
        builder.environment().put("KOMAINU_ALERTS_ALLOW", "127.0.0.1");
        // Control data on PostgreSQL with -Dtest.control.
        ControlEngine.ofThisRun()
                .settings()
                .forEach((name, value) -> builder.environment().put(variable(name), value));
        builder.environment().putAll(settings);
        Platform platform = new Platform(builder.start(), data, said);
        try {
            Awaitility.await("the platform is up")
                    .atMost(Duration.ofSeconds(150))
                    .pollInterval(Duration.ofMillis(200))
                    .failFast("the launcher stopped", () -> !platform.launcher.isAlive())
                    .until(() -> Files.exists(data.resolve("up.env")));
        } catch (RuntimeException | Error e) {
            String words = platform.said();
            platform.close();
            throw new AssertionError("not up. The launcher said: " + words, e);
        }
        try (var reader = Files.newBufferedReader(data.resolve("up.env"))) {
            platform.env.load(reader);
        }
        String authority = platform.env.getProperty("KOMAINU_AUTHORITY");
        if (authority != null) {
            platform.http = HttpClient.newBuilder()
                    .connectTimeout(Duration.ofSeconds(5))
                    .sslContext(trusting(Path.of(authority)))
                    .build();
        }
        return platform;
    }

    private static SSLContext trusting(Path authorities) throws IOException {
        try {
            KeyStore anchors = KeyStore.getInstance("PKCS12");
            anchors.load(null, null);
            int number = 0;
            for (Certificate each : CertificateFactory.getInstance("X.509")
                    .generateCertificates(
                            new ByteArrayInputStream(Files.readAllBytes(authorities)))) {
                anchors.setCertificateEntry("authority-" + number++, each);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(anchors);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(authorities + ": " + e.getMessage(), e);
        }
    }

    /** GET with the read token; the answer must be 200. */
    JsonNode get(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create(url() + path))
                        .header("Authorization", "Bearer " + env.getProperty("KOMAINU_TOKEN"))
                        .timeout(Duration.ofSeconds(20))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(path + ": " + answer.statusCode() + " " + answer.body());
        }
        return JSON.readTree(answer.body());
    }

    /** Like {@link #get}, but the service may be away just now: then missing. */
    JsonNode tryGet(String path) throws InterruptedException {
        try {
            return get(path);
        } catch (IOException e) {
            return JSON.missingNode();
        }
    }

    /** The listed service whose field has this value, or missing. */
    JsonNode service(String field, String value) throws InterruptedException {
        for (JsonNode service : tryGet("/api/v1/services").path("items")) {
            if (service.path(field).asString("").equals(value)) {
                return service;
            }
        }
        return JSON.missingNode();
    }

    /** The listed service that has an address with this port, or missing. */
    JsonNode serviceOnPort(int port) throws InterruptedException {
        for (JsonNode service : tryGet("/api/v1/services").path("items")) {
            for (JsonNode address : service.path("addresses")) {
                if (address.asString("").endsWith(":" + port)) {
                    return service;
                }
            }
        }
        return JSON.missingNode();
    }

    static String pathOf(JsonNode service) {
        return "/api/v1/services/"
                + URLEncoder.encode(service.path("id").asString(), StandardCharsets.UTF_8);
    }

    String url() {
        return env.getProperty("KOMAINU_URL");
    }

    /** Returns an address or a file that the launcher wrote for scripts. */
    String env(String name) {
        return env.getProperty(name);
    }

    HttpClient http() {
        return http;
    }

    URI proxy() {
        return URI.create(env.getProperty("KOMAINU_PROXY"));
    }

    Path data() {
        return data;
    }

    String firstPassword() throws IOException {
        return Files.readString(data.resolve("central/first-password"))
                .lines()
                .findFirst()
                .orElseThrow();
    }

    long processId(String part) throws IOException {
        return Long.parseLong(
                Files.readString(data.resolve("run/" + part + ".pid")).trim());
    }

    /** kill -9: no part may lose what it had acknowledged. The launcher starts it again. */
    void kill(String part) throws IOException {
        ProcessHandle.of(processId(part)).orElseThrow().destroyForcibly();
    }

    String said() {
        try {
            StringBuilder words = new StringBuilder(Files.readString(said));
            for (String part : List.of("central", "proxy", "agent", "demo-server", "demo-load")) {
                Path log = data.resolve("log/" + part + ".log");
                if (Files.exists(log)) {
                    String text = Files.readString(log);
                    words.append("\n--- ")
                            .append(part)
                            .append(".log\n")
                            .append(text, Math.max(0, text.length() - 3_000), text.length());
                }
            }
            return words.toString();
        } catch (IOException e) {
            return "nothing readable: " + e;
        }
    }

    /** Ctrl-C, and everything must be gone. */
    @Override
    public void close() {
        launcher.destroy();
        try {
            if (!launcher.waitFor(60, TimeUnit.SECONDS)) {
                launcher.destroyForcibly();
                throw new AssertionError("the launcher did not stop within 60 s: " + said());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Path root() {
        Path here = Path.of("").toAbsolutePath();
        return Files.exists(here.resolve("komainu")) ? here : here.getParent();
    }

    /**
     * A base with room for console, proxy, control and demo server (see {@code ./komainu up
     * --help}).
     */
    private static int freeBase() throws IOException {
        for (int attempt = 0; attempt < 50; attempt++) {
            int base;
            try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                base = any.getLocalPort();
            }
            if (base < 64_000 && isFree(base + 80) && isFree(base + 81) && isFree(base + 90)) {
                return base;
            }
        }
        throw new IOException("no four free ports found in 50 attempts");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
